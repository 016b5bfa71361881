import { USAGE } from "./stop.ts";

/** What a command says, where, and its exit code. */
export interface Ended {
  readonly exit_code: number;
  readonly stream: "stdout" | "stderr";
  readonly text: string;
  /** Runs once the text was written whole: what a reader has not got must not be forgotten. */
  readonly printed?: () => Promise<void>;
}

/**
 * Prints what a command says, and resolves to its exit code. Where standard output takes nothing, as on
 * a full disk, a sentence says so, and the code is 2 unless the result itself has another than 0. A
 * reader that has ended wanted no more.
 */
export async function print({ exit_code, stream, text, printed }: Ended): Promise<number> {
  const code = text === "" ? null : await written(stream, text);
  if (code === null) await printed?.();
  if (code === null || code === "EPIPE") return exit_code;
  await written("stderr", `The result was not printed: standard output takes nothing (${code}).`);
  return exit_code === 0 ? USAGE : exit_code;
}

/** Resolves to the code of the error, or null. */
const written = (stream: Ended["stream"], text: string): Promise<string | null> =>
  new Promise((resolve) => {
    process[stream].once("error", () => {}); // The callback has it, too.
    process[stream].write(`${text}\n`, (error) =>
      resolve(error ? String("code" in error ? error.code : error.message) : null),
    );
  });
