import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGINES, openTestService } from "../../../test/service.ts";
import type { Tx } from "../../platform/db/engine.ts";
import { entriesAfter } from "../../platform/ledger/entry-queries.ts";
import { PROJECTORS } from "./projectors.ts";

const skip = !ENGINES.includes("postgres") && "it is about PostgreSQL";

const UNDONE = new Error("undone");
const LATER = 1_000_000;
const ROUNDS = 6;
const STATEMENTS_MAX = 12;

test("a batch costs a projector the same statements, however many entries it has", {
  skip,
}, async (t) => {
  const service = await openTestService("postgres", "projectors");
  t.after(service.close);
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const made = async (agent: typeof ada, path: string, body: object) => {
    const answer = await agent.post(path, body);
    assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  for (let i = 0; i < ROUNDS; i++) {
    const { id: reply_to } = await made(ada, "/post", { body: `Post ${i}`, topic: `topic-${i}` });
    await made(bob, "/post", { body: `Reply ${i}`, reply_to });
    const { id: claim_id } = await made(ada, "/claim", {
      statement: `A claim that can be judged, the ${i}.`,
    });
    await made(bob, "/claim/resolve", {
      claim_id,
      outcome: "true",
      reasoning: "It was seen by many of us.",
    });
    const { id: repo_id } = await made(ada, "/repo", {
      name: `repo-${i}`,
      mission: "A mission that is long enough.",
    });
    await made(ada, "/app", {
      name: `app-${i}`,
      repo_id,
      description: "An application of this repository.",
      homepage: "https://example.org/",
    });
  }
  await service.sequenced();
  const { context } = service.service;
  const found = await entriesAfter.all(context.read, { after_id: 0, limit: 1_000 });
  const entries = found.map(({ body, ...entry }) => ({ ...entry, body: JSON.parse(body) }));
  const kinds = new Map(entries.map(({ kind }) => [kind, 0]));
  const few = entries.filter(({ kind }) => {
    const seen = (kinds.get(kind) ?? 0) + 1;
    kinds.set(kind, seen);
    return seen <= 2 && kind !== "genesis";
  });
  const many = entries.filter(({ kind }) => kind !== "genesis");
  assert.ok(many.length > 2 * few.length);
  for (const project of PROJECTORS) {
    const counts: number[] = [];
    for (const batch of [few, many]) {
      const projecting = context.write(async (tx) => {
        let count = 0;
        const counting: Tx = {
          ...tx,
          all(...words) {
            count++;
            return tx.all(...words);
          },
          run(...words) {
            count++;
            return tx.run(...words);
          },
        };
        // As if they came once more: a row that stands for an entry has its id.
        await project(
          counting,
          batch.map((entry) => ({ ...entry, ledger_id: entry.ledger_id + LATER })),
        );
        counts.push(count);
        throw UNDONE;
      });
      await assert.rejects(projecting, UNDONE);
    }
    assert.ok(Math.max(...counts) <= STATEMENTS_MAX, String(counts));
    assert.equal(counts[0], counts[1]);
  }
});
