import assert from "node:assert/strict";
import { lstat, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { chainOf, genesisOf, operatorOf, posts, sealed } from "../../../test/chain.ts";
import { type Answer, listening, Raw, serviceOf } from "../../../test/chain-server.ts";
import { newFile, verifyJson, verifyRun } from "../../../test/verify-run.ts";
import { paced } from "../../verify/transport.ts";

const origin = "example.org/test";
const ada = operatorOf(1);
const keys = [{ public_key: ada.pubkey, from_seq: 1, to_seq: null, anchored: true }];
const chain = chainOf([
  { covers: [...genesisOf(origin, ada), ...posts(1, 2)], by: ada, origin },
  { covers: posts(3), by: ada, origin },
  { covers: posts(4, 5), by: ada, origin },
]);
const good = serviceOf(chain, origin, keys);

/** The service, but what it answers to one path is changed. */
const lying =
  (about: string, change: (answer: Record<string, unknown>) => unknown): Answer =>
  (path, query) => {
    const answer = good(path, query);
    return path !== about || answer instanceof Raw ? answer : change(Object(answer));
  };

const walked = async (t: TestContext, answer: Answer, ...options: string[]) =>
  verifyJson([await listening(t, answer), ...options]);

const unreadable: Readonly<Record<string, Answer>> = {
  "a page of HTML": () => new Raw(200, "<!doctype html><title>Welcome</title>"),
  "a page of HTML that says 404": () => new Raw(404, "<h1>Not Found</h1>"),
  "no such route": () => new Raw(404, `{"ok":false,"error":"not_found","message":"No."}`),
  "a redirect": () => new Raw(302, ""),
  "an error of its own": () =>
    new Raw(500, `{"ok":false,"error":"internal_error","message":"It failed."}`),
  "JSON that is no answer": () => [],
  "an answer without its fields": () => ({}),
  "seals that are none": lying("/seal", (answer) => ({ ...answer, seals: [{ seq: "1" }] })),
  "nothing after the first answer": lying("/seal", () => new Raw(503, "")),
};

for (const [what, answer] of Object.entries(unreadable)) {
  test(`a server with ${what} is told in a sentence, and nothing is remembered`, async (t) => {
    const { exit_code, error, state } = await walked(t, answer);
    assert.equal(exit_code, 5);
    assert.match(error, /^GET http:\/\/127.0.0.1:\d+\/api\/v1\/\w+: [A-Z].*\.( \(.+\)|\))?$/);
    const again = await verifyJson([await listening(t, good)], state);
    assert.equal(again.history, "new");
  });
}

test("a body without an end is cut off", async (t) => {
  const megabyte = " ".repeat(1024 * 1024);
  const server = createServer((_, response) => {
    const more = () => {
      while (response.write(megabyte));
    };
    response.on("drain", more);
    more();
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert(typeof address === "object" && address !== null);
  const { exit_code, error } = await verifyJson([`http://127.0.0.1:${address.port}`]);
  assert.equal(exit_code, 5);
  assert.match(error, /verify: The answer has over 2097152 bytes\.$/);
});

const [one, two, three] = chain.seals;
assert(one && two && three);
const seals = (...list: unknown[]) => lying("/seal", (answer) => ({ ...answer, seals: list }));
const head = (change: object) =>
  lying("/seal", (answer) => ({ ...answer, head: { ...Object(answer["head"]), ...change } }));

const faulty: Readonly<Record<string, readonly [Answer, string]>> = {
  "seals in falling order": [seals(three, two, one), "1: its seq says 3"],
  "the same page for ever": [seals(one, two), "3: its seq says 1"],
  "no seals at all": [seals(), "1: the chain ends here, but its source names seal 3"],
  "a head with another hash": [
    head({ seal_hash: one.seal_hash }),
    "4: the chain ends here, but its source names seal 3",
  ],
  "a head that it does not show": [
    head({ seq: 9 }),
    "4: the chain ends here, but its source names seal 9",
  ],
  "a seal that its key did not sign": [
    seals(one, { ...sealed(two, operatorOf(2)), pubkey: ada.pubkey }, three),
    "2: the signature does not fit",
  ],
};

for (const [what, [answer, reason]] of Object.entries(faulty)) {
  test(`a server that shows ${what} is found out`, async (t) => {
    const { exit_code, reasons } = await walked(t, answer);
    assert.equal(exit_code, 1);
    assert(
      reasons.some((reported) => reported.startsWith(reason)),
      reasons.join("; "),
    );
  });
}

type Shown = Record<string, unknown>;

const entries = (change: (entry: Shown) => Shown) =>
  lying("/since", (answer) => {
    const shown = answer["entries"];
    assert(Array.isArray(shown));
    return { ...answer, entries: shown.map((entry) => (entry.id === 4 ? change(entry) : entry)) };
  });

const faultyEntries: Readonly<Record<string, readonly [Answer, string]>> = {
  "another body beside the sealed text": [
    entries((entry) => ({ ...entry, body: { post_id: 99 } })),
    "2: entry 4: what stands beside its text says something else",
  ],
  "another leaf": [
    entries((entry) => ({ ...entry, leaf: "0".repeat(64) })),
    "2: entry 4: its leaf is not the hash of its text",
  ],
  "a leaf that is no hash": [
    entries((entry) => ({ ...entry, leaf: "?" })),
    "2: entry 4: its leaf is not the hash of its text",
  ],
  "a text that was not sealed": [
    entries((entry) => ({ ...entry, text: { body: "edited" } })),
    "2: entry 4: the body beside it is not the one that was sealed",
  ],
  "another sealed text": [
    entries((entry) => ({ ...entry, entry: String(entry["entry"]).replace("post_id", "post_ix") })),
    "2: its root is not that of its entries",
  ],
  "no entries": [
    lying("/since", (answer) => ({ ...answer, entries: [] })),
    "1: 0 entries up to 0 were read for it",
  ],
};

for (const [what, [answer, reason]] of Object.entries(faultyEntries)) {
  test(`a server that shows ${what} is found out by reading the entries`, async (t) => {
    const { exit_code, reasons } = await walked(t, answer, "--entries");
    assert.equal(exit_code, 1);
    assert(reasons.includes(reason), reasons.join("; "));
  });
}

test("a false proof of a rotation is a finding, not a rotation", async (t) => {
  const proof = lying("/seal/proof", (answer) => ({ ...answer, path: [] }));
  const { exit_code, reasons } = await walked(t, proof);
  assert.equal(exit_code, 1);
  assert.match(reasons[0] ?? "", /^1: a proof under it: /);
});

const everyPost = posts(...Array.from({ length: 150 }, (_, i) => i + 1));

test("of many faults 100 are told, and all are counted", async (t) => {
  const covers = everyPost.map((draft) => [draft]);
  const strange = chainOf(covers.map((drafts) => ({ covers: drafts, by: operatorOf(2), origin })));
  const { reasons, report } = await walked(t, serviceOf(strange, origin, keys));
  assert.equal(reasons.length, 100);
  assert.equal(report["faults"], 150);
  const url = await listening(t, serviceOf(strange, origin, keys));
  const { text } = await verifyRun([url, "--state", newFile()]);
  assert.match(
    text,
    /\nand 50 more\nThe chain does not verify: 150 faults, the first at seal 1\.$/,
  );
});

test("an entry that is longer than any is refused when it is read", async (t) => {
  const entry = "x".repeat(65_536);
  const { exit_code, error } = await walked(
    t,
    lying("/seal/proof", (answer) => ({ ...answer, entry })),
  );
  assert.equal(exit_code, 5);
  assert.match(error, /seal\/proof: The answer has over 65536 bytes\.$/);
  const whole = lying("/since", (answer) => ({
    ...answer,
    entries: [{ ...Object(answer["entries"])[0], entry }],
  }));
  assert.equal((await walked(t, whole, "--entries")).exit_code, 5);
});

test("a chain that never ends is left after its faults, or at its head", async (t) => {
  let pages = 0;
  const head = { seq: 2 ** 30, seal_hash: "0".repeat(64) };
  const endless: Answer = (path, query) => {
    if (path !== "/seal") return good(path, query);
    const after = Number(query.get("after_seq"));
    const { seals } = Object(good("/seal", new URLSearchParams({ after_seq: "0", limit: "1" })));
    pages++;
    const made = Array.from({ length: 1_000 }, (_, i) => ({ ...seals[0], seq: after + i + 2 }));
    return { ok: true, seals: made, head, unsealed: { entries: 0 } };
  };
  const { exit_code, report, reasons } = await walked(t, endless);
  assert.equal(exit_code, 1);
  assert.ok(pages < 10, `${pages} pages`);
  assert.ok(Number(report["faults"]) > 1_000 && reasons.length === 100);
  const far = lying("/seal", (answer) => ({ ...answer, head: { ...head, seq: 2 ** 53 - 1 } }));
  const { exit_code: code, error } = await walked(t, far);
  assert.equal(code, 5);
  assert.match(error, /no chain has as many/);
});

test("a slow service ends a walk", async () => {
  async function* drip() {
    for (let i = 0; ; i++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      yield i;
    }
  }
  const pace = { window_ms: 20, records_min: 1_000, windows_max: 1_000 };
  await assert.rejects(Array.fromAsync(paced(drip(), pace)), /too slowly/);
  const day = { window_ms: 20, records_min: 0, windows_max: 3 };
  await assert.rejects(Array.fromAsync(paced(drip(), day)), /too slowly/);
});

test("an empty chain is said to be none", async (t) => {
  const empty = serviceOf(chainOf([]), origin, keys);
  const { text, exit_code } = await verifyRun([await listening(t, empty), "--state", newFile()]);
  assert.equal(exit_code, 0, text);
  assert.match(text, /There is no seal yet\.\nChecked: nothing/);
  assert.match(text, /\nThere is no chain to verify yet\.$/);
  assert.doesNotMatch(text, /The chain verifies/);
});

test("a state file behind a symbolic link is written where it is", async (t) => {
  const [state, link, dangling] = [newFile(), newFile(), newFile()];
  const url = await listening(t, good);
  await verifyRun([url, "--state", state]);
  await writeFile(state, `{"version":1,"heads":{}}`);
  await symlink(state, link);
  const target = newFile();
  await symlink(target, dangling);
  for (const [given, real] of [
    [link, state],
    [dangling, target],
  ] as const) {
    assert.equal((await verifyRun([url, "--state", given])).exit_code, 0);
    assert.ok((await lstat(given)).isSymbolicLink());
    assert.match(await readFile(real, "utf8"), /"seal_hash"/);
  }
});

test("texts of strangers cannot steer the terminal", async (t) => {
  const { text } = await verifyRun([
    await listening(t, serviceOf(chain, `${origin}\u001b[2J\u202e`, keys)),
    "--state",
    newFile(),
  ]);
  assert.match(text, /example\.org\/test\ufffd\[2J\ufffd\n/);
  assert.doesNotMatch(text.replaceAll("\n", ""), /\p{C}/u);
});

test("wrong arguments, and a memory that cannot be used, are told before anything is read", async () => {
  const damaged = newFile();
  for (const args of [
    [],
    ["a", "b"],
    ["--nonsense", "a"],
    ["http://"],
    ["a", "--key", "0".repeat(64)],
    ["a", "--key", "xyz"],
    ["a", "--origin", "a b"],
    ["a", "--save", damaged],
  ])
    assert.equal((await verifyJson(args)).exit_code, 2, args.join(" "));
});
