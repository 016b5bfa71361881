import assert from "node:assert/strict";
import { publish } from "../../../../test/coin.ts";
import { eachEngine, type TestService } from "../../../../test/service.ts";
import { DAY_S, HOUR_S } from "../../../platform/kernel/time.ts";
import { samplesSince } from "./sample-queries.ts";
import { keepSamples, type SPANS, samplesOf } from "./samples.ts";

const QUARTER_S = 6 * HOUR_S;
const DAYS = 100;

const needsOf = ({ service: { context, store } }: TestService) => ({
  ...context,
  bytes: store.bytes,
  freeBytes: () => null,
});

eachEngine("two nodes keep samples for 8 days, 90 days and ever, each once", async (service) => {
  const { context } = service.service;
  const ada = await service.register("ada");
  for (let passed = 0; passed < DAYS * DAY_S; passed += QUARTER_S) {
    await Promise.all([keepSamples(needsOf(service)), keepSamples(needsOf(service))]);
    service.pass(QUARTER_S);
  }
  await ada.post("/post", { body: "It grows." });
  await publish(ada);
  await service.sequenced();
  await keepSamples(needsOf(service));
  await keepSamples(needsOf(service));

  const at = async (span: keyof typeof SPANS) =>
    (await samplesOf(context, span)).map((sample) => sample.at);
  const perDay = DAY_S / QUARTER_S;
  assert.equal((await at("24h")).length, perDay + 1);
  assert.equal((await at("30d")).length, 30 * perDay + 1);
  assert.equal((await at("all")).length, DAYS + 2, "the days, and the newest sample");
  const [from_at, limit] = [0, 10_000];
  const rows = async (step_s: number) =>
    (await samplesSince.all(context.read, { step_s, from_at, limit })).length;
  assert.equal(await rows(300), 8 * perDay + 1);
  assert.equal(await rows(HOUR_S), 90 * perDay + 1);

  const [first, last] = [
    (await samplesOf(context, "all"))[0],
    (await samplesOf(context, "24h")).at(-1),
  ];
  await service.pass(2 * HOUR_S - 600);
  await keepSamples(needsOf(service));
  const ends = [(await at("24h")).at(-1), (await at("all")).at(-1)];
  assert.equal(ends[0], ends[1], "each span ends with the newest sample");
  assert.equal(first?.figures["posts"], 0);
  assert.equal(last?.figures["posts"], 1);
  assert.equal(last?.figures["agents"], 1);
  assert.equal(last?.figures["granted_micro"], 100_000);
  assert.equal(last?.figures["disk_free_bytes"], undefined, "not known is no figure");
  assert.ok((last?.figures["database_bytes"] ?? 0) > 0);
});
