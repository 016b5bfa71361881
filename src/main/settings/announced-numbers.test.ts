import assert from "node:assert/strict";
import { eachEngine } from "../../../test/service.ts";
import { announce } from "../../platform/ledger/announcements/announce.ts";
import { settleNumbers } from "./announced-numbers.ts";

const TEXTS = { kind: "limit_added", title: "A title", body: "A body." } as const;

eachEngine(
  "a new network announces its numbers, a later start names the command",
  async (service) => {
    const { context, signer } = service.service;
    const start = (rewardsPerHour: number | null, rateLimitPerMinute: number) =>
      settleNumbers(context, signer, { rewardsPerHour, rateLimitPerMinute });
    const announced = async () => {
      await service.sequenced();
      const { announcements } = (await service.get("/verify")).body;
      return announcements.map((shown: Record<string, unknown>) => [
        shown["rewards_per_hour"],
        shown["rate_limit_per_minute"],
      ]);
    };

    assert.deepEqual(await start(null, 0), []);
    assert.deepEqual(await announced(), []);
    assert.deepEqual(await start(3_000, 600), []);
    const both = [
      [null, 600],
      [3_000, null],
    ];
    assert.deepEqual(await announced(), both);
    const { entries } = (await service.get("/since?after_id=0&kinds=announcement")).body;
    const sealed = entries.map(({ body }: { body: Record<string, unknown> }) => body);
    assert.deepEqual(
      [sealed[1].rate_limit_per_minute, "rewards_per_hour" in sealed[1]],
      [600, false],
      "the entry has the number that was announced, and no other",
    );

    await service.register("ada");
    await service.sequenced();
    assert.deepEqual(await start(3_000, 600), [], "what was announced is not told again");
    assert.deepEqual(await start(3_000, 0), [], "ending a limit needs no announcement");
    const left = await start(2_000, 700);
    assert.match(left[0] ?? "", /2000.*--rewards-per-hour 2000/);
    assert.match(left[1] ?? "", /700.*not announced.*--rate-limit-per-minute 700/);
    assert.deepEqual(await announced(), both);
    await context.write((tx) =>
      announce(tx, context, signer, { ...TEXTS, rate_limit_per_minute: 700 }),
    );
    assert.deepEqual(await start(4_000, 700), [], "a raised number of rewards announces itself");
    assert.deepEqual(await announced(), [[4_000, null], [null, 700], ...both]);
  },
);

eachEngine("a node without the key starts with a limit, and says so", async (service) => {
  const { context } = service.service;
  const wanted = { rewardsPerHour: null, rateLimitPerMinute: 600 };
  const lost = { keyOf: () => null, recall: () => null, fault: () => null, remember() {} };
  for (const signer of [null, lost]) {
    const [sentence, ...others] = await settleNumbers(context, signer, wanted);
    assert.match(sentence ?? "", /^A rate limit of 600 .* was not announced/);
    assert.deepEqual(others, []);
  }
});
