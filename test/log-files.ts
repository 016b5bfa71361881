import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { levelsOf, tilePath, tilesBetween } from "../src/platform/kernel/tlog/tiles.ts";
import { signed, treeOf } from "./witness-tree.ts";

/** Puts a log of these entries into a folder, signed with the log key of the vectors. */
export async function writeLog(folder: string, entries: readonly Uint8Array[]): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const [tree, size] = [treeOf(entries), entries.length];
  for (const level of [...levelsOf(size), "entries" as const])
    for (const tile of tilesBetween(level, 0, size)) {
      const path = join(folder, tilePath(tile));
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, tree.tile(tile));
    }
  await writeFile(join(folder, "checkpoint"), signed(size, tree.rootOf({ from: 0, to: size })));
}

/** Serves a folder as a plain file server does, and resolves to its address. A busy one refuses each file once. */
export async function fileServer(
  t: TestContext,
  folder: string,
  as: "idle" | "busy" = "idle",
): Promise<string> {
  const refused = new Set<string | undefined>();
  const server = createServer((req, res) => {
    if (as === "busy" && !refused.has(req.url)) {
      refused.add(req.url);
      res.writeHead(429, { "retry-after": "0" }).end();
      return;
    }
    readFile(join(folder, req.url ?? "")).then(
      (bytes) => res.end(bytes),
      () => res.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
