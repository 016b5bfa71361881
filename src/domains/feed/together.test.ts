import assert from "node:assert/strict";
import { Client } from "pg";
import { times } from "../../../test/postgres-store.ts";
import { eachEngine } from "../../../test/service.ts";
import type { GroupTx } from "../../platform/db/engine.ts";
import { reject } from "../../platform/kernel/contract/errors.ts";
import { enactSurely } from "../../platform/ledger/rows/enact.ts";
import { agentById } from "../identity/queries.ts";
import { rows as feed } from "./rows.ts";

const POSTS = 1_000;
const LATE_EVERY = 20;
/** Each has a connection of its own; on a busy machine more of them would wait longer than the server waits for a head. */
const AT_ONCE = 250;

eachEngine(
  "1,000 posts, 250 at once, of which 50 are refused: each has its own id, text and entry",
  async (service) => {
    const ada = await service.register("ada");
    const { as_of } = (await service.get("/me/writes?limit=1", { token: ada.token })).body;
    const post = async (n: number) => {
      const late = n % LATE_EVERY === 0 && { not_after: as_of - 1 };
      const { status, body } = await ada.post("/post", { body: `Stone ${n}. @ada`, ...late });
      assert.equal(status, late ? 409 : 201, JSON.stringify(body));
      return late ? [] : [{ id: body.id, text: `Stone ${n}. @ada` }];
    };
    const made: { readonly id: number; readonly text: string }[] = [];
    for (let from = 0; from < POSTS; from += AT_ONCE) {
      const answers = await Promise.all(times(AT_ONCE, (n) => post(from + n)));
      made.push(...answers.flat());
    }
    assert.equal(new Set(made.map(({ id }) => id)).size, POSTS - POSTS / LATE_EVERY);
    await service.sequenced();
    for (const { id, text } of made) {
      const { body } = await service.get(`/post/${id}`);
      assert.equal(body.post.body, text);
    }
    const { body } = await service.get("/stats");
    assert.equal(body.posts, made.length);
  },
);

eachEngine(
  "grouped writes of one turn are one transaction on PostgreSQL, also beside refused ones",
  async (service) => {
    const ada = await service.register("ada");
    const { context } = service.service;
    const id = (await agentById.first(context.read, { agent_id: ada.agent_id }))?.id ?? 0;
    const agent = { id, agent_id: ada.agent_id };
    const post = { agent, body: "A stone.", client_ref: null };
    const outcomes = await Promise.allSettled(
      times(60, (n) =>
        context.write(async (tx) => {
          if (n % 5 === 0) reject("too_late", "Not this one.");
          return (await enactSurely(tx, feed.post, post, context.clock.now())).id;
        }, "grouped"),
      ),
    );
    const ids = outcomes.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    assert.equal(ids.length, 48);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    );
    if (service.engine !== "postgres") return;
    const client = new Client(service.configuration.databaseUrl ?? "");
    await client.connect();
    const { rows } = await client.query("SELECT count(DISTINCT xmin::text)::int AS n FROM post");
    await client.end();
    assert.deepEqual(rows, [{ n: 1 }]);
  },
);

/** The body of a grouped write cannot read: this would compile otherwise. */
export const READING = (tx: GroupTx) => [
  // @ts-expect-error
  tx.all,
  // @ts-expect-error
  tx.run,
];

eachEngine("the body of a grouped write is given nothing that reads", async ({ service }) => {
  const given = await service.context.write(async (tx) => Object.keys(tx), "grouped");
  assert.deepEqual(given.toSorted(), ["entries", "inserted", "standing", "together"]);
});
