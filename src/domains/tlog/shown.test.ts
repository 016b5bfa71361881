import assert from "node:assert/strict";
import { operate } from "../../../test/operator.ts";
import { eachWitnessed } from "../../../test/witnessed.ts";
import { HOUR_S } from "../../platform/kernel/time.ts";
import { parseCheckpoint } from "../../platform/kernel/tlog/checkpoint.ts";
import { vkeyOf } from "../../platform/kernel/tlog/note.ts";
import { faultBy, parsePolicy } from "../../platform/kernel/tlog/policy.ts";
import { verifySignature } from "../../platform/ledger/seals/ed25519.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import { cosignatureThinning } from "./thinning.ts";
import { cosignaturesBetween } from "./witness-queries.ts";

eachWitnessed("seals, protection and the policy show who has cosigned", async (network) => {
  const { post, ask, published, witnesses, service, policy, log } = network;
  const get = async (path: string) => (await service.get(path)).body;
  await post(3);
  const counters = async () => (await get("/protection")).counters;
  assert.equal((await counters()).witnessed_through_id, null);
  assert.equal((await counters()).witness_lag_s, null, "nobody was asked so far");
  witnesses[0]?.place.say(() => ({ status: 503, body: "" }));
  await ask();
  assert.deepEqual(await published(), { size: 6, by: ["w2", "w3"] });
  await post();
  service.pass(30);
  const [last_time] = (await get("/protection")).witnesses.flatMap(
    ({ last_time }: { last_time: number | null }) => last_time ?? [],
  );
  assert.deepEqual((await get("/protection")).witnesses, [
    { name: "w1", last_time: null, last_error: "unavailable: status 503" },
    { name: "w2", last_time, last_error: null },
    { name: "w3", last_time, last_error: null },
  ]);
  const { witnessed_through_id, witness_lag_s } = await counters();
  assert.equal(witnessed_through_id, 6);
  assert(witness_lag_s >= 30);

  const { seals } = await get("/seal?with=checkpoint");
  const named = seals.map((seal: { to_id: number; witnesses: { name: string }[] }) => [
    seal.to_id,
    seal.witnesses.map(({ name }) => name),
  ]);
  assert.deepEqual(named.slice(-2), [
    [6, ["w2", "w3"]],
    [7, []],
  ]);
  const checkpoint = parseCheckpoint(seals.at(-2).checkpoint);
  assert(checkpoint !== null);
  assert.equal(faultBy({ verifySignature }, policy, checkpoint), null);
  assert.equal(parseCheckpoint(seals.at(-1).checkpoint)?.size, 7);
  assert.equal("checkpoint" in (await get("/seal")).seals.at(-1), false);

  const { policy_url, url } = (await get("/verify")).log;
  assert.equal(policy_url, `${url}/policy`);
  const text = await (await fetch(`${service.url}/tlog/policy`)).text();
  assert.match(text, /^# A suggestion/);
  const reported = parsePolicy(text, sha256);
  assert.deepEqual(reported, { ...policy, logs: [{ key: log.key, url }] });
  const { facts } = await operate(service.service, "log join", "--contact", "ops@example.org");
  assert.equal(facts["policy_line"], `log ${vkeyOf(log.key)} ${url}`);
  assert.equal(facts["qpd"], 2_880);
});

eachWitnessed("old cosignatures are thinned to one checkpoint a day", async (network) => {
  const { post, ask, service, log } = network;
  const { upkeep } = service.service;
  for (let day = 0; day < 3; day++)
    for (let i = 0; i < 3; i++) {
      service.pass(8 * HOUR_S);
      await post();
      await ask();
    }
  const range = { origin: log.origin, from: 0, to: 1_000 };
  const sizes = async () => [
    ...new Set((await cosignaturesBetween.all(upkeep.read, range)).map(({ size }) => size)),
  ];
  const before = await sizes();
  assert.equal(before.length, 9);
  await cosignatureThinning(before.length)(upkeep, log);
  assert.deepEqual(await sizes(), before, "the newest are kept");
  await cosignatureThinning(2)(upkeep, log);
  const after = await sizes();
  assert.deepEqual(after.slice(-2), before.slice(-2));
  assert.ok(after.length >= 4 && after.length <= 6, `${after}`);
});
