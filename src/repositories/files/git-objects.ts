import { createHash } from "node:crypto";

/** The types of git's objects, with their numbers in a pack (gitformat-pack). */
export const TYPES = { commit: 1, tree: 2, blob: 3 } as const;
export type GitType = keyof typeof TYPES;

/** Stands in the place of a content that the operator has removed. */
export const REMOVED_TEXT = "The operator has removed this content.\n";

/** The id of an object in a SHA-1 repository of git, in hex. */
export const gitId = (type: GitType, body: Uint8Array): string =>
  createHash("sha1").update(`${type} ${body.length}\0`).update(body).digest("hex");

/** A folder that knows its own tree until a file below it changes. */
export interface Folder {
  readonly files: Map<string, string>;
  readonly folders: Map<string, Folder>;
  id: string | null;
}

export const emptyFolder = (): Folder => ({ files: new Map(), folders: new Map(), id: null });

/** Puts a blob (its git id) at a path, or takes it away with null. Folders without files go. */
export function setFile(root: Folder, path: string, blob: string | null): void {
  const names = path.split("/");
  const name = names.pop() ?? "";
  const way: (readonly [Folder, string])[] = [];
  let folder = root;
  folder.id = null;
  for (const each of names) {
    const below = folder.folders.get(each) ?? emptyFolder();
    folder.folders.set(each, below);
    way.push([folder, each]);
    folder = below;
    folder.id = null;
  }
  if (blob !== null) folder.files.set(name, blob);
  else folder.files.delete(name);
  for (const [above, each] of way.reverse()) {
    const below = above.folders.get(each);
    if (below !== undefined && below.files.size + below.folders.size === 0)
      above.folders.delete(each);
  }
}

/** The git id of a folder. `made` is told of each tree that is new since the last call. */
export function treeId(folder: Folder, made: (id: string, body: Buffer) => void): string {
  if (folder.id !== null) return folder.id;
  const items = [...folder.files].map(([name, id]) => ({ name, id, mode: "100644", order: name }));
  for (const [name, below] of folder.folders)
    items.push({ name, id: treeId(below, made), mode: "40000", order: `${name}/` });
  const sorted = items.map((item) => ({ ...item, key: Buffer.from(item.order) }));
  sorted.sort((a, b) => Buffer.compare(a.key, b.key));
  const body = Buffer.concat(
    sorted.flatMap(({ mode, name, id }) => [
      Buffer.from(`${mode} ${name}\0`),
      Buffer.from(id, "hex"),
    ]),
  );
  folder.id = gitId("tree", body);
  made(folder.id, body);
  return folder.id;
}

/** What a commit of git says. */
export interface GitCommit {
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
