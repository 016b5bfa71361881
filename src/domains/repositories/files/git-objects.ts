import { hash } from "node:crypto";

/** The types of git's objects, with their numbers in a pack (gitformat-pack). */
export const TYPES = { commit: 1, tree: 2, blob: 3 } as const;
export type GitType = keyof typeof TYPES;

/** Stands in the place of a content that the operator has removed. */
export const REMOVED_CONTENT = "The operator has removed this content.\n";

/** The id of an object in a SHA-1 repository of git, in hex. */
export const gitId = (type: GitType, body: Uint8Array): string =>
  hash("sha1", Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]));

/** What a commit of git says. */
export interface GitCommit {
  /** In hex, as its own id and its parent's. */
  readonly tree: string;
  /** The git id of the commit before; null for the first one. */
  readonly parent: string | null;
  readonly agent_id: string;
  readonly at: number;
  readonly summary: string;
}

/** The author is the agent by its id: a handle may come later, and would change every commit after it. */
export function commitBody({ tree, parent, agent_id, at, summary }: GitCommit): Buffer {
  const who = `${agent_id} <${agent_id}> ${at} +0000`;
  const before = parent === null ? "" : `parent ${parent}\n`;
  return Buffer.from(`tree ${tree}\n${before}author ${who}\ncommitter ${who}\n\n${summary}\n`);
}
