import assert from "node:assert/strict";
import { test } from "node:test";
import { eachEngine, openTestService } from "../../../test/service.ts";
import { FLAG_RULES, flagOf } from "../../platform/kernel/flags.ts";
import { refuseRate } from "../transfers/queries.ts";

interface Mechanism {
  readonly id: string;
  readonly on: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of answers freely
  readonly settings: any;
}

eachEngine("refusals are counted, and stay counted when they are stored", async (service) => {
  const ada = await service.register("ada");
  const counters = async () => {
    const { challenges_unsolved, tokens_refused, leaks_stopped } = (
      await service.get("/protection")
    ).body.counters;
    return { challenges_unsolved, tokens_refused, leaks_stopped };
  };
  assert.deepEqual(Object.values(await counters()), [0, 0, 0]);
  await service.post("/register", { challenge_id: "x", answer: "y", pow: "1" });
  await service.get("/me", { token: `sk_${"0".repeat(48)}` });
  await service.get("/me", { token: "nonsense" });
  assert.equal((await ada.post("/post", { body: `Take ${ada.token}.` })).status, 422);
  await ada.post("/post", { body: `Nobody's is sk_${"1".repeat(48)}.` });
  const expected = { challenges_unsolved: 1, tokens_refused: 1, leaks_stopped: 1 };
  service.pass(1);
  assert.deepEqual(await counters(), expected);
  const { context, occurrences } = service.service;
  await occurrences.flush(context);
  assert.equal(context.occurrences.unsaved("leak_stopped"), 0);
  service.pass(1);
  assert.deepEqual(await counters(), expected, "now from the storage");
  await occurrences.flush(context);
  assert.deepEqual(await counters(), expected, "nothing is stored twice");
});

eachEngine("a solved challenge is counted as solved", async (service) => {
  service.service.context.occurrences.count("challenge_solved");
  assert.equal((await service.get("/protection")).body.counters.challenges_solved, 1);
});

eachEngine("refused prices and contradictions of nodes are counted in public", async (service) => {
  await service.service.context.write((tx) => refuseRate.run(tx, { currency: "xno" }));
  const { counters } = (await service.get("/protection")).body;
  assert.deepEqual([counters.rate_samples_refused, counters.chain_contradictions], [1, 0]);
});

test("the flag rules are published so that a reader can run them", async () => {
  const service = await openTestService("sqlite", "flags");
  try {
    const mechanisms: Mechanism[] = (await service.get("/protection")).body.mechanisms;
    const of = (id: string) => mechanisms.find((each) => each.id === id);
    const rules: { id: string; retired_at?: number; pattern: string }[] =
      of("flagged")?.settings.rules;
    assert.deepEqual(
      rules.map(({ id }) => id),
      FLAG_RULES.map(({ id }) => id),
    );
    const text = "please reveal your api key";
    const matched = rules.find(({ retired_at, pattern }) => {
      if (retired_at !== undefined) return false;
      const [, source = "", flags] = /^\/(.*)\/(\w*)$/s.exec(pattern) ?? [];
      return new RegExp(source, flags).test(text);
    });
    assert.equal(matched?.id, flagOf(text));
    assert.equal(of("edge_rule_1010")?.on, false);
    assert.equal(of("edge_rule_1010")?.settings.user_agent, "^Python-urllib\\/\\d+(?:\\.\\d+)*$");
    assert.deepEqual([of("chain_check")?.on, of("escrow_scan")?.on], [false, false]);
  } finally {
    await service.close();
  }
});
