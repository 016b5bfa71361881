import assert from "node:assert/strict";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { encryptedStore } from "./messages/encrypted-store.ts";
import { makeMessageKeys } from "./messages/keys.ts";
import { messageMemory } from "./messages/store.ts";
import { fileStore } from "./node.ts";

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "cairn-store-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "keys");
}

const FAR_S = 4_000_000_000;
const seen = (nonce: string, message_id: number, until = FAR_S) => ({
  from: "ag_a",
  nonce,
  message_id,
  until,
});

test("a folder keeps keys, pins and nonces, for its owner alone", async (t) => {
  const folder = folderFor(t);
  const [old, fresh] = [makeMessageKeys(), makeMessageKeys()];
  const first = await fileStore(folder);
  await first.addOwnKeys(old);
  await first.addOwnKeys(fresh);
  await first.pin("ag_a", { encryption: "e", signing: "s" });
  const all = [seen("x", 1), seen("x", 2), seen("y", 3), seen("gone", 4, 1)];
  const ids = await Promise.all(all.map((one) => first.firstWith(one)));
  assert.deepEqual(ids, [1, 1, 3, 4]);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  for (const name of readdirSync(folder))
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
  await first.close();

  const second = await fileStore(folder);
  assert.deepEqual(await second.ownKeys(), [fresh, old]);
  assert.deepEqual(await second.pinned("ag_a"), { encryption: "e", signing: "s" });
  assert.equal(await second.pinned("ag_b"), null);
  assert.equal(await second.firstWith(seen("x", 9)), 1);
  assert.equal(await second.firstWith(seen("gone", 10)), 10, "it was too old to be kept");
  await second.close();
});

test("one process at a time, and one that is gone holds nothing for longer than 30 s", async (t) => {
  const folder = folderFor(t);
  const first = await fileStore(folder);
  await assert.rejects(fileStore(folder), { code: "store_in_use" });
  const old_s = Date.now() / 1_000 - 31;
  utimesSync(join(folder, "lock"), old_s, old_s);
  const second = await fileStore(folder);
  await assert.rejects(first.addOwnKeys(makeMessageKeys()), { code: "store_in_use" });
  assert.deepEqual(await second.ownKeys(), []);
  await first.close().catch(() => {});
  await second.addOwnKeys(makeMessageKeys());
  await second.close();
});

test("a damaged file is named and stays as it is", async (t) => {
  const folder = folderFor(t);
  await (await fileStore(folder)).close();
  for (const [name, text] of [
    ["keys.json", '[{"encryption":"e"}]'],
    ["pins.json", '{"ag_a":'],
    ["pins.json", "[]"],
    ["nonces.jsonl", '{"from":1}\n'],
  ] as const) {
    const file = join(folder, name);
    writeFileSync(file, text);
    await assert.rejects(fileStore(folder), (error: Error & { code?: string }) => {
      assert.equal(error.code, "store_damaged");
      return error.message.startsWith(`${file} is damaged.`);
    });
    assert.equal(readFileSync(file, "utf8"), text);
    rmSync(file);
  }
  writeFileSync(join(folder, "nonces.jsonl"), `${JSON.stringify(seen("x", 1))}\n{"from":"ag`);
  const store = await fileStore(folder);
  assert.equal(await store.firstWith(seen("x", 2)), 1, "a line without its end was never told");
  await store.close();
});

test("a mark without an end of its time was written once, and ends in 31 days", async (t) => {
  const folder = folderFor(t);
  const store = await fileStore(folder);
  for (const until of [2 ** 60, Number.NaN])
    await assert.rejects(store.firstWith(seen("x", 1, until)), RangeError);
  await store.setHandleOwner("ada", "ag_a");
  await store.close();
  const file = join(folder, "nonces.jsonl");
  writeFileSync(file, `${JSON.stringify(seen("x", 1, 2 ** 53 + 2_592_000))}\n`);
  const opened = await fileStore(folder);
  assert.equal(await opened.firstWith(seen("x", 2)), 1);
  assert.equal(await opened.handleOwner("ada"), "ag_a");
  assert.equal(await opened.handleOwner("bob"), null);
  await opened.close();
  const { until } = JSON.parse(readFileSync(file, "utf8"));
  assert.ok(until < Date.now() / 1_000 + 32 * 86_400, `${until}`);
});

test("own secrets open with their key alone, and nowhere else", async () => {
  const inner = messageMemory();
  const keys = makeMessageKeys();
  const key = new Uint8Array(32).fill(1);
  await encryptedStore(inner, key).addOwnKeys(keys);
  assert.deepEqual(await encryptedStore(inner, key).ownKeys(), [keys]);
  const [kept] = await inner.ownKeys();
  assert(kept);
  const text = JSON.stringify(kept);
  for (const secret of [keys.encryptionSecret, keys.signingSecret])
    assert.equal(text.includes(secret), false);
  const damaged = { code: "store_damaged" };
  await assert.rejects(
    encryptedStore(
      inner,
      key.map(() => 2),
    ).ownKeys(),
    damaged,
  );
  const swapped = messageMemory();
  const { encryptionSecret: signingSecret, signingSecret: encryptionSecret } = kept;
  await swapped.addOwnKeys({ ...kept, encryptionSecret, signingSecret });
  await assert.rejects(encryptedStore(swapped, key).ownKeys(), damaged);
  assert.throws(() => encryptedStore(inner, new Uint8Array(16)), RangeError);
});
