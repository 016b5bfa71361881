import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const IMPORTED = /(?<= from "|import\(")(\.{1,2}\/[^"]+?)\.ts(?=")/g;

/**
 * Writes the declarations of `entries`, paths below `src` without `.ts`, and all that they reach. `written` has the
 * texts of those that are not emitted. Throws for a declaration that needs another package.
 */
export function writeDeclarations(
  entries: readonly string[],
  to: string,
  written: Readonly<Record<string, string>> = {},
): void {
  const emitted = mkdtempSync(join(tmpdir(), "cairn-types-"));
  const known = new Set<string>();
  const write = (path: string): void => {
    if (known.has(path)) return;
    known.add(path);
    const text = written[path] ?? readFileSync(join(emitted, `${path}.d.ts`), "utf8");
    const foreign = / from "[^."].*"|import\("[^.].*?"\)/.exec(text);
    if (foreign !== null) throw new Error(`The types of ${path} need ${foreign[0]}.`);
    const file = join(to, `${path}.d.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text.replaceAll(IMPORTED, "$1.js"));
    for (const [, imported = ""] of text.matchAll(IMPORTED)) write(join(dirname(path), imported));
  };
  try {
    emitInto(emitted, entries);
    entries.forEach(write);
  } finally {
    rmSync(emitted, { recursive: true });
  }
}

function emitInto(outDir: string, entries: readonly string[]): void {
  const config = {
    extends: join(ROOT, "tsconfig.client.json"),
    compilerOptions: {
      outDir,
      rootDir: join(ROOT, "src"),
      types: ["node"],
      typeRoots: [join(ROOT, "node_modules/@types")],
      removeComments: false,
    },
    files: entries.map((path) => join(ROOT, `src/${path}.ts`)),
  };
  const file = join(outDir, "tsconfig.json");
  writeFileSync(file, JSON.stringify(config));
  execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", file], {
    stdio: "inherit",
  });
}
