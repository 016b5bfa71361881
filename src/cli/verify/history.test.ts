import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import {
  type Chain,
  chainOf,
  type Draft,
  genesisOf,
  type Operator,
  operatorOf,
  type Plan,
  posts,
  rotationOf,
} from "../../../test/chain.ts";
import { listening, serviceOf } from "../../../test/chain-server.ts";
import { verifyJson as run } from "../../../test/verify-run.ts";

const origin = "example.org/test";
const second = `${origin}#2`;
const [ada, bo, cy, di] = [operatorOf(1), operatorOf(2), operatorOf(3), operatorOf(4)];

const rotation = (n: number, from: Operator | string, to: Operator, under = origin): Draft =>
  rotationOf({ origin: under, rotation: n, from, to });

const begun: Plan[] = [
  { covers: genesisOf(origin, ada), by: ada, origin },
  { covers: posts(1), by: ada, origin },
];

const rotatedTwice = chainOf([
  ...begun,
  { covers: [rotation(1, ada, bo)], by: ada, origin },
  { covers: [rotation(2, bo, cy)], by: bo, origin },
  { covers: posts(2), by: cy, origin },
]);

/** A backup of the first two seals is restored, and `plans` come after that. */
function restored(by: Operator | null, ...plans: readonly Omit<Plan, "origin">[]): Chain {
  const body = { epoch: 2, origin: second, lost_after_id: 2, lost_after_seq: 2, reason_sha256: "" };
  const admission: Draft = { kind: "ledger_restored", ref: "2", body };
  const later = [{ covers: [admission], by }, ...plans].map((plan) => ({
    ...plan,
    origin: second,
  }));
  return chainOf([...begun, ...later]);
}

/** A service whose chain can be replaced, after a reader has walked the first one. */
async function known(t: TestContext, chain: Chain) {
  const named = (keys: readonly Operator[]) =>
    keys.map(({ pubkey }) => ({ public_key: pubkey, from_seq: 1, to_seq: null, anchored: true }));
  let answer = serviceOf(chain, origin, named([ada]));
  const url = await listening(t, (path, query) => answer(path, query));
  const { exit_code, state } = await run([url]);
  assert.equal(exit_code, 0);
  return {
    state,
    walk: (next: Chain, ...args: string[]) => {
      answer = serviceOf(next, next.seals.at(-1)?.origin ?? origin, named([ada]));
      return run([url, ...args], state);
    },
  };
}

test("a key from before a rotation that a reader has followed admits no loss", async (t) => {
  const { walk, state } = await known(t, rotatedTwice);
  const forged = restored(ada, { covers: posts(7, 8), by: ada }, { covers: posts(9), by: ada });
  for (const depth of [[], ["--entries"], ["--key", ada.pubkey]]) {
    const { exit_code, history, reasons } = await walk(forged, ...depth);
    assert.deepEqual([exit_code, history, reasons], [3, "another_key", []]);
    assert.equal((await walk(rotatedTwice, ...depth)).history, "kept", "the true one is known");
  }
  const older = JSON.parse(readFileSync(state, "utf8"));
  delete older.heads[origin].signer; // As a release wrote it that did not remember the key.
  writeFileSync(state, JSON.stringify(older));
  assert.deepEqual((await walk(rotatedTwice)).exit_code, 0);
  assert.equal((await walk(forged)).history, "another_key", "known since that walk");
});

test("a state file that names no key goes on as before", async (t) => {
  const { walk, state } = await known(t, rotatedTwice);
  const older = JSON.parse(readFileSync(state, "utf8"));
  delete older.heads[origin].signer;
  writeFileSync(state, JSON.stringify(older));
  assert.equal((await walk(restored(ada))).history, "restored");
});

test("the rotation itself is enough: the new key need not have signed yet", async (t) => {
  const turned = chainOf([...begun, { covers: [rotation(1, ada, bo)], by: ada, origin }]);
  const { walk } = await known(t, turned);
  assert.equal((await walk(restored(ada))).history, "another_key");
});

test("a restore from before a rotation is believed when the newer key signs again", async (t) => {
  const { walk } = await known(t, rotatedTwice);
  const back = { covers: [rotation(1, ada, cy, second)], by: ada };
  assert.equal((await walk(restored(ada, back))).exit_code, 3, "it has signed nothing yet");
  const { exit_code, history } = await walk(restored(ada, back, { covers: posts(3), by: cy }));
  assert.deepEqual([exit_code, history], [0, "restored"]);
});

test("a restore is believed that a key vouches for which the reader pins only now", async (t) => {
  const { walk } = await known(t, rotatedTwice);
  const lost = { covers: [rotation(1, ada.pubkey, di, second)], by: null };
  const chain = restored(null, lost, { covers: posts(3), by: di });
  const pinned = ["--key", ada.pubkey, "--key", di.pubkey];
  const { exit_code, history } = await walk(chain, ...pinned);
  assert.deepEqual([exit_code, history], [0, "restored"]);
  assert.equal((await walk(chain)).history, "kept");
});
