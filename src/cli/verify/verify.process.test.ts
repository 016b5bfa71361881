import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import {
  type Chain,
  chainOf,
  type Draft,
  genesisOf,
  operatorOf,
  posts,
  rotationOf,
} from "../../../test/chain.ts";
import { type Answer, listening, Raw, serviceOf } from "../../../test/chain-server.ts";
import { runCairn } from "../../../test/process.ts";
import { auditRun, newFile, verifyJson as run, verifyRun } from "../../../test/verify-run.ts";

const origin = "example.org/test";
const [ada, bo] = [operatorOf(1), operatorOf(2)];
const adaKey = { public_key: ada.pubkey, from_seq: 1, to_seq: null, anchored: true };
const keys = [adaKey];

const plain = chainOf([
  { covers: [...genesisOf(origin, ada), ...posts(1, 2)], by: ada, origin },
  { covers: posts(3), by: ada, origin },
  { covers: posts(4, 5), by: null, origin },
]);

const firstSeals = (chain: Chain, count: number): Chain => ({
  ...chain,
  seals: chain.seals.slice(0, count),
});

const toBo = rotationOf({ origin, rotation: 1, from: ada, to: bo });
const rotated = chainOf([
  { covers: [...genesisOf(origin, ada), ...posts(1, 2), toBo, ...posts(3)], by: ada, origin },
  { covers: posts(4), by: null, origin },
  { covers: posts(5, 6, 7), by: bo, origin },
]);

test("a good chain verifies, along its links and with every entry", async (t) => {
  const url = await listening(t, serviceOf(plain, origin, keys));
  const links = await run([url]);
  assert.equal(links.exit_code, 0);
  const { seals, unsigned, entries, key_source, history, checked } = links.report;
  assert.deepEqual(
    { seals, unsigned, entries, key_source, history, checked },
    {
      seals: 3,
      unsigned: 1,
      entries: 0,
      key_source: "first_use",
      history: "new",
      checked: "links",
    },
  );
  const all = await run([`${url}/api/v1/`, "--entries", "--key", ada.pubkey, "--origin", origin]);
  assert.equal(all.exit_code, 0);
  assert.equal(all.report["entries"], 6);
  assert.equal(all.report["key_source"], "given");
});

test("a chain of more than one page verifies, and a ledger without a seal", async (t) => {
  const covers = posts(...Array.from({ length: 1_500 }, (_, i) => i + 1));
  const many = chainOf([
    ...covers.map((draft) => ({ covers: [draft], by: null, origin })),
    { covers: posts(...Array.from({ length: 2_100 }, (_, i) => i + 2_000)), by: ada, origin },
  ]);
  const url = await listening(t, serviceOf(many, origin, keys));
  const { exit_code, report } = await run([url, "--entries"]);
  assert.deepEqual([exit_code, report["seals"], report["entries"]], [0, 1_501, 3_600]);
  const empty = await listening(t, serviceOf({ entries: [], seals: [] }, origin, []));
  assert.equal((await run([empty])).exit_code, 0);
});

test("the command itself speaks to people: what was checked, and how far the key is trusted", async (t) => {
  const url = await listening(t, serviceOf(plain, origin, keys));
  const { code, stdout, stderr } = await child([url, "--state", newFile()]);
  assert.equal(code, 0);
  assert.equal(stderr, "");
  assert.match(stdout, /3 seals, 1 not signed yet; the newest is 3, [0-9a-f]{64}\.\n/);
  assert.match(stdout, /--entries also checks what they seal/);
  assert.match(stdout, /trusted on first use/);
  assert.match(stdout, /vouches for everything up to seal 2, and for nothing after it yet\.\n/);
  assert.match(stdout, /The chain verifies\.\n$/);
});

test("whatever goes wrong is a sentence on standard error, never a stack trace", async () => {
  const { code, stdout, stderr } = await child(["http://127.0.0.1:1", "--state", newFile()]);
  assert.equal(code, 5);
  assert.equal(stdout, "");
  assert.match(
    stderr,
    /^GET http:\/\/127.0.0.1:1\/api\/v1\/verify: The network cannot be reached\..*\n$/,
  );
});

const child = (args: readonly string[]) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const command = [join(import.meta.dirname, "../cairn.ts"), "verify", ...args];
    execFile(process.execPath, command, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

test("a second walk remembers the first: kept, grown, rewritten, cut off", async (t) => {
  let served: Chain = firstSeals(plain, 2);
  const url = await listening(t, (path, query) => serviceOf(served, origin, keys)(path, query));
  const { state } = await run([url]);
  assert.equal((await run([url], state)).history, "kept");
  served = plain;
  const grown = await run([url], state);
  assert.deepEqual([grown.exit_code, grown.history], [0, "kept"]);
  assert.equal(grown.report["key_source"], "remembered");

  served = firstSeals(plain, 2);
  const cut = await run([url], state);
  assert.deepEqual([cut.exit_code, cut.history], [4, "truncated"]);
  assert.deepEqual(cut.reasons, []);

  served = chainOf([
    { covers: [...genesisOf(origin, ada), ...posts(1, 9)], by: ada, origin },
    { covers: posts(3), by: ada, origin },
    { covers: posts(4), by: ada, origin },
  ]);
  const rewritten = await run([url], state);
  assert.deepEqual([rewritten.exit_code, rewritten.history], [3, "rewritten"]);
  const another: Draft[] = [...genesisOf(origin, bo), ...posts(1, 2)];
  served = chainOf([
    { covers: another, by: bo, origin },
    { covers: posts(3), by: bo, origin },
    { covers: posts(4, 5), by: bo, origin },
  ]);
  const taken = await run([url], state);
  assert.deepEqual(
    [taken.exit_code, taken.history],
    [3, "rewritten"],
    "by whom is the lesser news",
  );
  assert.notDeepEqual(taken.reasons, []);
  served = plain;
  assert.equal((await run([url], state)).exit_code, 0, "only a good walk is remembered");
});

test("an address that serves another chain than before is not believed until it is named", async (t) => {
  const other = "example.org/other";
  let answer = serviceOf(plain, origin, keys);
  const url = await listening(t, (path, query) => answer(path, query));
  const { state } = await run([url]);
  answer = serviceOf(
    chainOf([{ covers: genesisOf(other, ada), by: ada, origin: other }]),
    other,
    keys,
  );
  const replaced = await run([url], state);
  assert.deepEqual([replaced.exit_code, replaced.history], [3, "replaced"]);
  assert.equal((await run([url, "--origin", other], state)).exit_code, 0);
  assert.equal((await run([url], state)).history, "kept");
});

test("a restore that the ledger admits is told, and is no fault", async (t) => {
  const second = `${origin}#2`;
  const body = { epoch: 2, origin: second, lost_after_id: 4, lost_after_seq: 2, reason_sha256: "" };
  const restore: Draft = { kind: "ledger_restored", ref: "2", body };
  const restored = chainOf([
    { covers: [...genesisOf(origin, ada), ...posts(1, 2)], by: ada, origin },
    { covers: posts(3), by: ada, origin },
    { covers: [restore], by: ada, origin: second },
  ]);
  let answer = serviceOf(plain, origin, keys);
  const url = await listening(t, (path, query) => answer(path, query));
  const { state } = await run([url]);
  answer = serviceOf(restored, second, keys);
  for (const depth of [[], ["--entries"]]) assert.equal((await run([url, ...depth])).exit_code, 0);
  const known = await run([url], state);
  assert.deepEqual([known.exit_code, known.history], [0, "restored"]);
  assert.equal((await run([url], state)).history, "kept");
  const pinned = ["--entries", "--key", ada.pubkey, "--origin"];
  for (const named of [origin, second]) {
    const { exit_code, reasons, history } = await run([url, ...pinned, named], state);
    assert.deepEqual([exit_code, reasons, history], [0, [], "kept"], named);
  }
});

test("a restore that nobody signed admits nothing, and is not remembered", async (t) => {
  const begun: Draft[] = [...genesisOf(origin, ada), ...posts(1, 2)];
  const forged = (epoch: number, named: string, by: typeof ada | null) => {
    const body = { epoch, origin: named, lost_after_id: 3, lost_after_seq: 1, reason_sha256: "" };
    const restore: Draft = { kind: "ledger_restored", ref: String(epoch), body };
    return chainOf([
      { covers: begun, by: ada, origin },
      { covers: [restore], by, origin: named },
    ]);
  };
  let answer = serviceOf(plain, origin, keys);
  const url = await listening(t, (path, query) => answer(path, query));
  const { state } = await run([url]);
  const second = `${origin}#2`;
  for (const depth of [[], ["--entries"]]) {
    answer = serviceOf(forged(2, second, null), second, keys);
    const { exit_code, history, report } = await run([url, ...depth], state);
    assert.deepEqual([exit_code, history], [3, "unvouched"]);
    assert.deepEqual((report["vouched"] as { seq: number }).seq, 1, "and no further");
    answer = serviceOf(plain, origin, keys);
    assert.equal((await run([url, ...depth], state)).history, "kept", "the true one is known");
  }
  for (const [epoch, named] of [
    [2, `${origin}#3`],
    [2, "example.org/other#2"],
    [1, origin],
  ] as const) {
    answer = serviceOf(forged(epoch, named, ada), named, keys);
    assert.equal((await run([url, "--entries", "--origin", origin])).exit_code, 1, named);
  }
});

test("a chain of which nothing is signed is anybody's, whatever key it names", async (t) => {
  const chain = chainOf([{ covers: [...genesisOf(origin, ada), ...posts(9)], by: null, origin }]);
  const url = await listening(t, serviceOf(chain, origin, keys));
  for (const args of [["--key", ada.pubkey, "--entries"], []]) {
    const { exit_code, report, history, state } = await run([url, ...args]);
    assert.deepEqual([exit_code, report["faults"], report["vouched"]], [1, 0, null]);
    assert.deepEqual([history, (await run([url, ...args], state)).history], ["new", "new"]);
  }
  const keyless = chainOf([{ covers: genesisOf(origin, null), by: null, origin }]);
  const free = await listening(t, serviceOf(keyless, origin, []));
  assert.equal((await run([free])).exit_code, 0, "a ledger without a key promises no signature");
});

const boKey = { public_key: bo.pubkey, from_seq: 2, to_seq: null, anchored: true };

test("a rotation is followed, by its proof or by reading the entry", async (t) => {
  const service = serviceOf(rotated, origin, [{ ...adaKey, to_seq: 1 }, boKey]);
  const url = await listening(t, service);
  for (const depth of [[], ["--entries"]]) assert.equal((await run([url, ...depth])).exit_code, 0);
  const hiding: Answer = (path, query) =>
    query.get("kind") === "key_rotation"
      ? new Raw(404, `{"ok":false,"error":"entry_not_found","message":"No."}`)
      : service(path, query);
  const { exit_code, reasons } = await run([await listening(t, hiding)]);
  assert.equal(exit_code, 1);
  assert.deepEqual(reasons, ["3: it is signed with another key than the chain allows here"]);
});

test("a key that nothing links must be pinned, or be there on first use", async (t) => {
  const lost = rotationOf({ origin, rotation: 1, from: ada.pubkey, to: bo });
  const chain = chainOf([
    { covers: genesisOf(origin, ada), by: ada, origin },
    { covers: [lost], by: null, origin },
    { covers: posts(1), by: bo, origin },
  ]);
  const named = [adaKey, { ...boKey, anchored: false }];
  let answer = serviceOf(firstSeals(chain, 1), origin, keys);
  const url = await listening(t, (path, query) => answer(path, query));
  const { state } = await run([url]);
  answer = serviceOf(chain, origin, named);
  assert.equal((await run([url], state)).exit_code, 1);
  assert.equal((await run([url, "--key", ada.pubkey, "--key", bo.pubkey], state)).exit_code, 0);
  assert.equal((await run([url], state)).exit_code, 0);
  assert.equal((await run([url])).exit_code, 0);
});

test("an address that is no service's is refused, and not repeated", async () => {
  const { exit_code, error } = await run(["postgres://cairn:secret@127.0.0.1/cairn"]);
  assert.equal(exit_code, 2);
  assert.doesNotMatch(error, /secret/);
});

test("a key that cannot be pinned is told from one that is misspelt", async () => {
  const said = async (key: string) => {
    const { exit_code, error } = await run(["file", "--key", key]);
    assert.equal(exit_code, 2);
    return error;
  };
  assert.match(await said(`01${"00".repeat(31)}`), /allowed is .* no key of low order/);
  for (const key of [ada.pubkey.toUpperCase(), "01"])
    assert.match(await said(key), /allowed is 64 lower-case hex characters/);
});

test("words after -- are no options", async () => {
  for (const command of [verifyRun, auditRun]) {
    const { exit_code, stream, text } = await command(["--state", newFile(), "--", "--json"]);
    assert.deepEqual([exit_code, stream], [5, "stderr"]);
    assert.match(text, /^--json cannot be read/);
  }
  const backup = await runCairn(["backup", "--", "--json", "more"]);
  assert.deepEqual(
    [backup.code, backup.out, backup.err],
    [2, "", '"more" is one word too many. See `cairn backup --help`.\n'],
  );
});

test("pins are kept to: another key or origin than the given one does not verify", async (t) => {
  const url = await listening(t, serviceOf(plain, origin, keys));
  assert.equal((await run([url, "--key", bo.pubkey])).exit_code, 1);
  assert.equal((await run([url, "--origin", "example.org/other"])).exit_code, 1);
});
