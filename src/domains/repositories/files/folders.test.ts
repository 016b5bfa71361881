import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { overflowOf } from "./bounds.ts";
import {
  changedFolder,
  clashIn,
  EMPTY_FOLDER,
  type FileFacts,
  type Folder,
  hashFolders,
  type PathChange,
  treeBody,
  treeSha256,
  treeSha256AtOnce,
} from "./folders.ts";
import { gitId } from "./git-objects.ts";
import { slices, unsliced } from "./slices.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const file = (text: string): FileFacts => ({
  sha256: sha256(text),
  bytes: Buffer.byteLength(text),
  id: Buffer.from(gitId("blob", Buffer.from(text)), "hex").toString("latin1"),
});

const put = (path: string, text: string): PathChange => ({ path, file: file(text) });

const deep = (n: number) =>
  Array.from({ length: n }, (_, i) => put(`${i.toString(36)}/${"a/".repeat(8)}f`, `${i}`));

async function rootOf(changes: readonly PathChange[]): Promise<Folder> {
  const { root } = changedFolder(EMPTY_FOLDER, changes);
  await hashFolders(root, unsliced);
  return root;
}

test("a change hashes the folders on its way and no others", async () => {
  const before = await rootOf(deep(500));
  assert.equal(before.folders, 500 * 9 + 1);
  const { root, made } = changedFolder(before, [put(`1/${"a/".repeat(8)}f`, "new")]);
  const hashed: string[] = [];
  await hashFolders(root, unsliced, (folder) => hashed.push(folder.id ?? ""));
  assert.equal(made.length, 10);
  assert.equal(hashed.length, 10);
  assert.notEqual(root.id, before.id);
  const back = changedFolder(root, [put(`1/${"a/".repeat(8)}f`, "1")]).root;
  await hashFolders(back, unsliced);
  assert.equal(back.id, before.id);
  assert.deepEqual([root.files, root.folders], [before.files, before.folders]);
});

test("hashing yields in proportion to the folders", async () => {
  const turnsFor = async (n: number) => {
    let turns = 0;
    const step = slices();
    const { root } = changedFolder(EMPTY_FOLDER, deep(n));
    await hashFolders(root, (pieces) => {
      const rest = step(pieces);
      if (rest !== undefined) turns++;
      return rest;
    });
    return turns;
  };
  const [few, many] = [await turnsFor(100), await turnsFor(400)];
  assert.ok(few >= 2, `${few} turns for 900 folders`);
  assert.ok(many >= 3 * few, `${many} turns for 3,600`);
});

const name = fc.constantFrom("a", "b", "a.b", "a-b", "é", "ａ", "𝒳", "Z", "z");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));

test("folders are those of all their files, whatever the order of the changes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(path, fc.option(fc.constantFrom("1", "2"))), { maxLength: 30 }),
      async (steps) => {
        const files = new Map<string, string>();
        let root = EMPTY_FOLDER;
        for (const [path, text] of steps) {
          const isClash = [...files.keys()].some(
            (known) => known.startsWith(`${path}/`) || path.startsWith(`${known}/`),
          );
          if (isClash) continue;
          root = changedFolder(root, [{ path, file: text === null ? null : file(text) }]).root;
          if (text === null) files.delete(path);
          else files.set(path, text);
        }
        await hashFolders(root, unsliced);
        const whole = await rootOf([...files].map(([path, text]) => put(path, text)));
        assert.equal(root.id, whole.id);
        assert.deepEqual([root.files, root.bytes], [whole.files, whole.bytes]);
        const lines = [...files].map(([path, text]) => [Buffer.from(path), sha256(text)] as const);
        lines.sort(([a], [b]) => Buffer.compare(a, b));
        const text = lines.map(([path, sum]) => `${path}\0${sum}\n`).join("");
        assert.equal(await treeSha256(root, slices()), sha256(text));
        assert.equal(treeSha256AtOnce(root), sha256(text));
      },
    ),
  );
});

test("a tree has the id that git gives it", async () => {
  // The example of gitobject's hash: printf '100644 f\0…' with the empty blob, by `git mktree`.
  const root = await rootOf([put("f", ""), put("d/f", "")]);
  const hex = (id: string | null) => Buffer.from(id ?? "", "latin1").toString("hex");
  assert.equal(hex(root.id), gitId("tree", treeBody(root)));
  assert.equal(
    hex((await rootOf([])).id),
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904", // The empty tree of every repository.
  );
});

test("names clash where they are equal for some system, and only where one is new", () => {
  const before = changedFolder(EMPTY_FOLDER, [put("Src/a", "1"), put("x", "1")]).root;
  const clash = (path: string) => {
    const { made } = changedFolder(before, [put(path, "2")]);
    return made.flatMap((folder) => clashIn(folder) ?? [])[0];
  };
  assert.deepEqual(clash("src/b"), { path: "src/", other: "Src/" });
  assert.deepEqual(clash("x/y"), { path: "x/", other: "x" });
  assert.deepEqual(clash("Src"), { path: "Src", other: "Src/" });
  assert.equal(clash("Src/b"), undefined);
});

test("a folder is full with its own files, whatever is below", () => {
  const flat = Array.from({ length: 500 }, (_, i) => put(`d/${i}`, `${i}`));
  const before = changedFolder(EMPTY_FOLDER, flat).root;
  const overflow = (changes: readonly PathChange[]) => {
    const { root, made } = changedFolder(before, changes);
    return overflowOf(root, made)?.of;
  };
  assert.equal(overflow([put("d/0", "changed")]), undefined);
  assert.equal(overflow([put("d/500", "more")]), "files in a folder");
  assert.equal(overflow([put("d/500", "more"), { path: "d/1", file: null }]), undefined);
  assert.equal(overflow([put("d/e/1", "below")]), undefined);
});
