import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGINES, type Engine, openTestService } from "./service.ts";
import { statement } from "./statement.ts";

/** Decision 62; of all tables and indexes that a post with a topic and 213 bytes of text is in. */
const MAX_BYTES = { sqlite: 450, postgres: 700 } as const;

/** Pages that are begun and not full weigh little among so many. */
const POSTS = Number(process.env["TEST_POSTS"] ?? 3_000);

/** Of all tables but those whose rows live for seconds: their pages are used again. */
const KEPT = statement(`SELECT sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
  AND relname NOT IN ('ledger_pending', 'ledger_recent')`);

const BODY = "x".repeat(213);

async function bytesPerPost(engine: Engine): Promise<number> {
  const service = await openTestService(engine, "bytes");
  try {
    const { store } = service.service;
    const ada = await service.register("ada");
    const post = async (count: number) => {
      for (let done = 0; done < count; done += 100)
        await Promise.all(
          Array.from({ length: 100 }, () => ada.post("/post", { body: BODY, topic: "size" })),
        );
      await service.sequenced();
    };
    await post(1_000); // What a database takes without posts is none of theirs.
    const before = await used();
    await post(POSTS);
    return ((await used()) - before) / POSTS;

    async function used(): Promise<number> {
      if (engine === "sqlite") return store.bytes();
      const [row] = await store.read.all(KEPT, []);
      return Number(Object(row).bytes);
    }
  } finally {
    await service.close();
  }
}
for (const engine of ENGINES)
  test(`a post takes no more bytes than is promised [${engine}]`, async (t) => {
    const bytes = await bytesPerPost(engine);
    t.diagnostic(`${bytes.toFixed(1)} bytes`);
    assert.ok(bytes <= MAX_BYTES[engine], `${bytes} bytes`);
  });
