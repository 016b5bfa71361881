import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { inspect } from "node:util";

/** A seed that failed is printed; with TEST_SEED it is the only one. */
const ONLY = process.env["TEST_SEED"];

type Answer = { readonly value: unknown } | { readonly error: string };

/** The first `count` seeds, in groups of `size`; or the one that is asked for. */
export function seedsIn(groups: { readonly count: number; readonly size: number }): string[][] {
  if (ONLY !== undefined) return [[ONLY]];
  const seeds = Array.from({ length: groups.count }, (_, n) => String(n + 1));
  return Array.from({ length: Math.ceil(groups.count / groups.size) }, (_, n) =>
    seeds.slice(n * groups.size, (n + 1) * groups.size),
  );
}

/**
 * Has groups of seeds worked through by as many processes as there are cores; `program` lies beside
 * this file and calls `simulates`. Within a test every promise is watched by the runner, which takes
 * a quarter of the time of a simulation. Rejects with the first failure.
 */
export async function simulate<T>(
  program: string,
  groups: readonly (readonly string[])[],
): Promise<T[]> {
  const results: T[] = [];
  const queue = groups.values();
  const work = async () => {
    const child = fork(new URL(program, import.meta.url));
    const ended = once(child, "exit").then(() => null);
    try {
      for (const seeds of queue) results.push((await ask(child, ended, seeds)) as T);
    } finally {
      child.kill();
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results;
}

async function ask(
  child: ChildProcess,
  ended: Promise<null>,
  seeds: readonly string[],
): Promise<unknown> {
  const answered = once(child, "message") as Promise<[Answer]>;
  child.send(seeds);
  const [answer] = (await Promise.race([answered, ended])) ?? [];
  if (answer === undefined)
    throw new Error(`The process that had the seeds ${seeds.join(", ")} has ended.`);
  if ("error" in answer) throw new Error(answer.error);
  return answer.value;
}

/** The other side: answers each group of seeds with what `work` makes of it. */
export function simulates(work: (seeds: readonly string[]) => Promise<unknown>): void {
  process.on("message", async (seeds: readonly string[]) => {
    const answer: Answer = await work(seeds).then(
      (value) => ({ value }),
      (error: unknown) => ({ error: inspect(error) }),
    );
    process.send?.(answer);
  });
}

/** Says which seed it was that failed. */
export async function blaming<T>(seed: string, life: Promise<T>): Promise<T> {
  try {
    return await life;
  } catch (cause) {
    throw new Error(`Seed ${seed} fails; run it alone with TEST_SEED=${seed}.`, { cause });
  }
}
