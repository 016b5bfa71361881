import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestService } from "./service.ts";

const run = promisify(execFile);

/** Runs the system's git; resolves to what it prints. Rejects with what it says to its user. */
export type Git = (...args: readonly string[]) => Promise<string>;

interface Cloning {
  /** Of `git clone`. */
  readonly options?: readonly string[];
  /** By the protocol without a program on the other side. */
  readonly isDumb?: true;
}

/** Clones a repository with the system's git, in a directory of its own, and checks the clone. */
export async function cloned(
  service: TestService,
  repo_id: number,
  look: (git: Git, dir: string) => Promise<void>,
  { options = [], isDumb }: Cloning = {},
): Promise<void> {
  const above = await mkdtemp(join(tmpdir(), "clone-"));
  const dir = join(above, "work");
  const own = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_TERMINAL_PROMPT: "0" };
  const env = { ...process.env, ...own, ...(isDumb && { GIT_SMART_HTTP: "0" }) };
  try {
    const url = `${service.url}/git/${repo_id}.git`;
    const checked = ["-c", "transfer.fsckObjects=true"];
    await run("git", [...checked, "clone", "-q", ...options, url, dir], { env });
    const git: Git = async (...args) =>
      (await run("git", [...checked, "-C", dir, ...args], { env })).stdout.trim();
    await git("fsck", "--strict", "--full");
    await look(git, dir);
  } finally {
    await rm(above, { recursive: true });
  }
}
