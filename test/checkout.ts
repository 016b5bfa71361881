import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";

const ROOT = join(import.meta.dirname, "..");
const OURS = [
  "*",
  ".ci/*",
  ".gitignore",
  "{bench,bin,clients,demo,docs,ops,packages,src,test}/**/*",
];
const NOT_OURS = /^(?:node_modules|data|dist|\.dev|[^/]*\.log)$/;

/** What a command printed, and how it ended. */
interface Outcome {
  readonly code: number | null;
  readonly text: string;
}

/** A copy of the project's files that a test may change. */
export interface Checkout {
  readonly folder: string;
  /** Runs a command of the checkout, such as `tsc -p .`. */
  run(command: string, variables?: Readonly<Record<string, string>>): Outcome;
}

/** Copies what a clone of the project has: its tracked files as they are now, without packages. */
export function cloneTo(folder: string): void {
  const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = spawnSync("git", words, { cwd: ROOT, encoding: "utf8" });
  for (const path of stdout.split("\0").filter(Boolean))
    cpSync(join(ROOT, path), join(folder, path));
}

/** Copies the project, or the files of it that fit, to a folder that is removed with the test. */
export function checkoutOf(t: TestContext, files: readonly string[] = OURS): Checkout {
  const folder = mkdtempSync(join(tmpdir(), "cairn-checkout-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const entry of globSync(files, {
    cwd: ROOT,
    exclude: ["**/node_modules/**"],
    withFileTypes: true,
  })) {
    const from = join(entry.parentPath, entry.name);
    const path = from.slice(ROOT.length + 1);
    if (!entry.isFile() || NOT_OURS.test(path.split("/")[0] ?? "")) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(from, join(folder, path));
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return {
    folder,
    run(command, variables = {}) {
      const { NODE_TEST_CONTEXT, TEST_CAIRN, ...env } = process.env;
      const PATH = `${join(folder, "node_modules/.bin")}:${env["PATH"]}`;
      const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
        cwd: folder,
        env: { ...env, PATH, NO_COLOR: "1", ...variables },
        encoding: "utf8",
        maxBuffer: 64 * 1024 * 1024,
      });
      return { code: status, text: stdout + stderr };
    },
  };
}
