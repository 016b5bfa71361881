import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Store } from "../src/platform/db/engine.ts";
import { prepared } from "../src/platform/db/prepared.ts";
import { append } from "../src/platform/ledger/append.ts";
import { eventually, openStore, type Setting, TOLD, times, withStore } from "./postgres-store.ts";
import { ENGINES, openTestService } from "./service.ts";

const CHAINS = Math.min(Number(process.env["TEST_ROUNDS"] ?? 40), 500);
const LINKS = 8;
const AT_ONCE = 20;
const PAUSE_MAX_MS = 3;

const insertRow = prepared((db, p: { name: string; value: Uint8Array }) =>
  db.insertInto("secret").values(p),
);
const findRow = prepared((db, p: { name: string }) =>
  db.selectFrom("secret").select("name").where("name", "=", p.name),
);
const entries = prepared((db, p: { after: number }) =>
  db
    .selectFrom("ledger_entry")
    .select(["ledger_id", "ref"])
    .where("ledger_id", ">", p.after)
    .where("ref", "like", "link/%")
    .orderBy("ledger_id"),
);

const pause = () => setTimeout(Math.random() * PAUSE_MAX_MS);

/** Each link is written by the other node after that one has read the link before it; then an entry alone. */
async function writeChain(nodes: readonly [Store, Store], chain: number): Promise<void> {
  for (let link = 0; link < LINKS; link++) {
    const [node, other] = link % 2 === 0 ? nodes : nodes.toReversed();
    const name = `link/${chain}/${link}`;
    await node?.write(async (tx) => {
      const before = await findRow.all(tx, { name: `link/${chain}/${link - 1}` });
      assert.equal(before.length, Math.min(link, 1), "it reads what the other node wrote");
      await insertRow.run(tx, { name, value: new Uint8Array() });
      append(tx, TOLD, { name });
      await pause();
    });
    await other?.write(async (tx) => append(tx, TOLD, { name: `${name}/told` }), "grouped");
  }
}

/** The names of chains in which an effect got a smaller id than its cause. */
async function brokenChains(nodes: readonly [Store, Store]): Promise<number[]> {
  let next = 0;
  const runner = async () => {
    while (next < CHAINS) await writeChain(nodes, next++);
  };
  await Promise.all(times(AT_ONCE, runner));
  const [{ read, sequence }] = nodes;
  const stored = async () => {
    await sequence();
    return entries.all(read, { after: 0 });
  };
  await eventually(async () => (await stored()).length === CHAINS * LINKS * 2);
  const order = new Map((await stored()).map(({ ref }, place) => [ref, place]));
  return times(CHAINS, (chain) => chain).filter((chain) => {
    const names = times(LINKS, (link) => `link/${chain}/${link}`);
    const places = names.flatMap((name) => [order.get(name) ?? 0, order.get(`${name}/told`) ?? 0]);
    return places.some((place, i) => place < (places[i - 1] ?? 0));
  });
}

async function onTwoNodes({ store, url }: Setting): Promise<number[]> {
  const second = await openStore(url);
  try {
    return await brokenChains([store, second]);
  } finally {
    await second.close();
  }
}

if (ENGINES.includes("sqlite"))
  test("an effect has a larger id than its cause [sqlite]", async () => {
    const { service, close } = await openTestService("sqlite", "order");
    try {
      assert.deepEqual(await brokenChains([service.store, service.store]), []);
    } finally {
      await close();
    }
  });

if (ENGINES.includes("postgres")) {
  test("an effect has a larger id than its cause [postgres]", () =>
    withStore(async (setting) => assert.deepEqual(await onTwoNodes(setting), [])));

  test("with an order key that connections draw in advance, this test fails [postgres]", () =>
    withStore(async (setting) => {
      const { rows } = await setting.other.query<{ name: string }>(
        `SELECT table_name AS name FROM information_schema.columns
         WHERE column_name = 'row_id' AND is_identity = 'YES'`,
      );
      assert.equal(rows.length, 1, "one table has the order key");
      await setting.other.query(`ALTER TABLE ${rows[0]?.name} ALTER COLUMN row_id SET CACHE 32`);
      assert.notDeepEqual(await onTwoNodes(setting), []);
    }));
}
