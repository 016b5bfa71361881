import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkpointOf, logAt } from "../../../test/log.ts";
import { eachWitnessed } from "../../../test/witnessed.ts";
import { parseCheckpoint } from "../../platform/kernel/tlog/checkpoint.ts";
import { logLine, noteKey, noteOf, WITNESS_KEY } from "../../platform/kernel/tlog/note.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import * as sql from "./witness-queries.ts";

const ALL = ["w1", "w2", "w3"];

eachWitnessed("a checkpoint is published when two of three have cosigned it", async (network) => {
  const { post, ask, published, witnesses, service } = network;
  const [w1, w2, w3] = witnesses;
  assert(w1 && w2 && w3);
  await post(3);
  assert.equal(await published(), null, "nothing without a quorum");
  w1.place.say(() => ({ status: 503, body: "" }));
  w2.place.say(() => ({ status: 200, body: "garbage" }));
  await ask();
  assert.equal(await published(), null, "one of three is no quorum");
  assert(service.alarms.includes("witness_bad_signature"));
  service.alarms.length = 0;
  w2.place.say(w2.witness.add);
  service.pass(200);
  await ask();
  assert.deepEqual(await published(), { size: 6, by: ["w2", "w3"] });
  w1.place.say(w1.witness.add);
  service.pass(400);
  await ask();
  assert.deepEqual(await published(), { size: 6, by: ALL }, "later words are added");

  await post(300);
  await ask();
  assert.deepEqual(await published(), { size: 306, by: ALL });
  const { requests } = w3.place;
  assert.deepEqual(new Set(requests), new Set(["POST /sub/add-checkpoint"]));
  assert.equal(requests.length, 2, "what is cosigned is not asked again");
  await ask();
  assert.equal(requests.length, 2);
});

eachWitnessed(
  "a witness that is behind, or ahead of us, or new, is brought up",
  async (network) => {
    const { post, ask, published, witnesses, service, log, states, dataDir } = network;
    const [w1, w2, w3] = witnesses;
    assert(w1 && w2 && w3);
    await post(3);
    await ask();
    w1.witness.seen.clear(); // It has lost what it saw: 409 with 0.
    await post(400);
    await ask();
    assert.deepEqual(await published(), { size: 406, by: ALL });

    // A bare claim suspends that witness and alarms; the log goes on.
    w1.place.say(() => ({ status: 409, body: "5000\n", type: "text/x.tlog.size" }));
    await post();
    await ask();
    assert.deepEqual(await published(), { size: 407, by: ["w2", "w3"] });
    assert(service.alarms.includes("witness_ahead"));
    assert.match((await states())[0]?.last_error ?? "", /ahead: it has seen 5000/);
    assert.equal(w1.place.requests.at(-1)?.startsWith("GET /sub/"), true);

    // A note with our own signature over a larger tree ends signing.
    const key = service.service.logSigner.key();
    assert(key !== null);
    const text = `${log.origin}\n5000\n${Buffer.alloc(32, 7).toString("base64")}\n`;
    const note = noteOf(text, [logLine(log.key, Buffer.from(key.sign(text), "base64"))]);
    w1.place.say((body) =>
      body === ""
        ? { status: 200, body: note }
        : { status: 409, body: "5000\n", type: "text/x.tlog.size" },
    );
    service.pass(9_000);
    await post();
    await ask();
    await post();
    const head = await checkpointOf(logAt(service), log.key);
    assert.equal(head.size, 408, "what was signed before is published, and nothing after it");
    assert(service.alarms.includes("log_refuses"));
    const [kept = ""] = readdirSync(join(dataDir, "evidence"));
    assert.equal(readFileSync(join(dataDir, "evidence", kept), "utf8"), note);
  },
);

eachWitnessed("a refusal is an alarm, and its proof is kept", async (network) => {
  const { post, ask, published, witnesses, service, dataDir, states } = network;
  const [w1, w2, w3] = witnesses;
  assert(w1 && w2 && w3);
  for (const [status, body, alarm] of [
    [404, "", "witness_unknown_log"],
    [403, "unknown log", "witness_unknown_log"],
    [403, "", "witness_refuses_key"],
    [422, "no", "witness_inconsistent"],
    [500, "", null],
    [429, "", null],
    [301, "", null],
  ] as const) {
    service.alarms.length = 0;
    w1.place.say(() => ({ status, body }));
    await post();
    await ask();
    assert.deepEqual((await published())?.by, ["w2", "w3"], `${status}`);
    assert.deepEqual(service.alarms, alarm === null ? [] : [alarm]);
    const asked: number = w1.place.requests.length;
    await ask();
    assert.equal(w1.place.requests.length, asked, "it is left alone for a while");
    w1.place.say(w1.witness.add);
    service.pass(8_000);
    await ask();
    assert.deepEqual((await published())?.by, ALL);
    assert.equal((await states())[0]?.failures, 0);
  }
  const [kept = ""] = readdirSync(join(dataDir, "evidence"));
  const evidence = readFileSync(join(dataDir, "evidence", kept), "utf8");
  assert.match(evidence, /^old \d+\n[\s\S]*no$/);
});

eachWitnessed("whatever a hostile witness answers, nothing of it is stored", async (network) => {
  const { post, ask, published, witnesses, service, log } = network;
  const [w1, , w3] = witnesses;
  assert(w1 && w3);
  w3.place.say(() => ({ status: 503, body: "" }));
  await post();
  const { read } = service.service.store;
  const now = () => service.service.clock.now();
  const textOf = (body: string) => {
    const note = parseCheckpoint(body.slice(body.indexOf("\n\n") + 2));
    assert(note !== null);
    return note.note.text;
  };
  const { cosign, key } = w1.witness;
  const other = noteKey("w1.example", WITNESS_KEY, "11".repeat(32), sha256);
  const hostile: ((body: string) => string)[] = [
    (body) => cosign(textOf(body), now(), { ...key, name: "other.example" }),
    (body) => cosign(textOf(body), now(), other),
    (body) => cosign(`${textOf(body)}x\n`, now()),
    (body) => cosign(textOf(body), 0),
    (body) => cosign(textOf(body), now() + 301),
    (body) => `${cosign(textOf(body), now())}\n`.repeat(17).slice(0, -1),
    (body) => `${cosign(textOf(body), now())}\r`,
    (body) => `\n${cosign(textOf(body), now())}`,
    () => "x".repeat(10_000_000),
    () => "",
  ];
  for (const answer of hostile) {
    w1.place.say((body) => ({ status: 200, body: `${answer(body)}\n` }));
    service.pass(8_000);
    await ask();
    assert.equal(await published(), null, String(answer));
    const held = await sql.cosignaturesOf.all(read, { origin: log.origin, size: 4 });
    assert.deepEqual(
      held.map(({ witness }) => witness),
      ["w2"],
    );
  }
  w1.place.say((_, res) => {
    res.writeHead(302, { location: `${w1.place.url}/inside` }).end();
    return null;
  });
  service.pass(8_000);
  await ask();
  assert(!w1.place.requests.some((request) => request.includes("inside")));
  w1.place.say(w1.witness.add);
  service.pass(8_000);
  await ask();
  assert.deepEqual((await published())?.by, ["w1", "w2"]);
  assert(service.alarms.includes("unwitnessed"));
});
