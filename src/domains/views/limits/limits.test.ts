import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eachEngine, openTestService } from "../../../../test/service.ts";
import { toNumber } from "../../../platform/kernel/money.ts";
import { DAY_S } from "../../../platform/kernel/time.ts";
import * as apps from "../../apps/rules.ts";
import * as claims from "../../claims/rules.ts";
import * as coin from "../../coin/rules.ts";
import * as commons from "../../commons/rules.ts";
import * as feed from "../../feed/rules.ts";
import * as identity from "../../identity/rules.ts";
import * as inbox from "../../inbox/rules.ts";
import * as market from "../../market/rules.ts";
import * as messages from "../../messages/rules.ts";
import * as repositories from "../../repositories/rules.ts";
import * as requests from "../../requests/rules.ts";
import * as tasks from "../../tasks/rules.ts";
import * as treasury from "../../treasury/rules.ts";
import * as views from "../rules.ts";
import { economyOf } from "./economy.ts";

const RULES = {
  apps,
  claims,
  coin,
  commons,
  feed,
  identity,
  inbox,
  market,
  messages,
  repositories,
  requests,
  tasks,
  treasury,
  views,
};

/** No bounds, but sizes of what the network itself draws, and when it asks the chain again. */
const NO_BOUNDS = new Set([
  "SLUG_RANDOM_LENGTH",
  "DELIVERY_SALT_BYTES",
  "PAUSE_MINUTES_MAX",
  "RECHECK_FIRST_S",
  "UNKNOWN_MAX_S",
]);

interface Limit {
  readonly id: string;
  readonly what: string;
  readonly value: number | string | null;
  readonly unit: string;
  readonly applies_to: string;
}

/** A bound as `/limits` could show it: amounts in coin or USD, long times in days, too. */
const shownAs = (bound: number | bigint): number[] =>
  typeof bound === "bigint" ? [toNumber(bound)] : [bound, bound / DAY_S];

const FOLDERS = readdirSync(join(import.meta.dirname, "../.."));
const folderOf = (domain: string): string =>
  FOLDERS.includes(domain) ? `../../${domain}` : `../../../platform/${domain}`;
const textOf = (file: string) => readFileSync(join(import.meta.dirname, file), "utf8");
const table = readdirSync(join(import.meta.dirname, "bounds"))
  .map((file) => textOf(`bounds/${file}`))
  .join("\n");

/** A value may be that of several bounds, so its own name has to stand in the table or in a schema. */
const isNamed = (domain: string, name: string): boolean =>
  new RegExp(`\\b${domain}\\.${name}\\b`).test(table) ||
  new RegExp(`\\b${name}\\b`).test(textOf(`${folderOf(domain)}/contract.ts`));

test("every bound of every domain is listed, with the value that the code obeys", async () => {
  const service = await openTestService("sqlite", "limits");
  try {
    const { body } = await service.get("/limits");
    const limits: Limit[] = body.limits;
    const listed = new Set(limits.map(({ value }) => value));
    for (const [domain, rules] of Object.entries(RULES))
      for (const [name, bound] of Object.entries<unknown>(rules)) {
        if ((typeof bound !== "number" && typeof bound !== "bigint") || bound === 0n) continue;
        if (NO_BOUNDS.has(name)) continue;
        const isListed = shownAs(bound).some((value) => listed.has(value));
        assert.ok(isListed && isNamed(domain, name), `${domain}: ${name} is not in /limits`);
      }
    const ids = [...limits, ...body.honest_limits].map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, "each id is there once");
    for (const { id, what, unit, applies_to } of limits)
      assert.ok(what && unit && applies_to, `${id} says all that there is to say`);
    assert.equal(body.count, limits.length);
  } finally {
    await service.close();
  }
});

eachEngine("bounds of fields are those of the schemas, one for each value", async ({ get }) => {
  const limits: Limit[] = (await get("/limits")).body.limits;
  const bound = (id: string) => limits.find((limit) => limit.id === id)?.value;
  assert.equal(bound("feed.post.body.max_length"), feed.POST_LENGTH_MAX);
  assert.equal(bound("messages.send.box.max_bytes"), messages.BOX_MAX_BYTES);
  assert.equal(bound("identity.setProfile.capabilities[].max_length"), 160);
  assert.equal(bound("identity.setProfile.capabilities.max_items"), 32);
  assert.equal(bound("market.offer.price_usd.max"), 5_000);
  assert.equal(bound("apps.create.body_bytes"), apps.APP_BODY_MAX_BYTES);
  const lists = limits.find(({ what, value }) => what === "Largest limit" && value === 100);
  assert.match(lists?.applies_to ?? "", /GET \/feed, /);
  assert.equal(limits.filter(({ what }) => what === "Largest limit").length, 3);
});

test("what one network of callers can earn is told as figures", async () => {
  const figures = async (variables: Record<string, string>) => {
    const service = await openTestService("sqlite", "economy", variables);
    try {
      const { limits } = (await service.get("/limits?about=coin")).body;
      const value = (id: string) => limits.find((limit: Limit) => limit.id === id)?.value;
      return ["coin_per_day", "network_coins", "pool_days"].map(value);
    } finally {
      await service.close();
    }
  };
  assert.deepEqual(await figures({}), [1, null, null], "registrations have no limit");
  assert.deepEqual(await figures({ CAIRN_REGISTRATIONS_PER_HOUR: "20" }), [1, 223_200, 456]);
  const [bounded] = economyOf({ registrationsPerHour: 20, perHour: 200 }).slice(1);
  assert.equal(bounded?.value, 24 * 30, "a twentieth of 200 an hour is 24 coin a day");
  const ends = (perHour: number | null, registrationsPerHour: number) =>
    economyOf({ registrationsPerHour, perHour }).at(-1)?.value;
  assert.equal(ends(null, 20_000), 14, "as many as a thousand networks with 20");
  assert.equal(ends(200, 0), Math.ceil(50_000_000 / 24), "registrations without a limit");
  assert.equal(ends(0, 20), null);
});

test("the rate limit is the first, whether or not one is enforced", async () => {
  const first = async (variables: Record<string, string>) => {
    const service = await openTestService("sqlite", "rate", variables);
    try {
      const { limits } = (await service.get("/limits")).body;
      const { mechanisms } = (await service.get("/protection")).body;
      const mechanism = mechanisms.find(({ id }: Limit) => id === "rate_limit");
      const { id, what, value } = limits[0];
      return [id, value, /none is enforced today/.test(what), mechanism.on, mechanism.settings];
    } finally {
      await service.close();
    }
  };
  const settings = {
    requests_per_minute: null,
    per_network: null,
    registrations_per_hour: null,
    addresses: "unknown",
  };
  assert.deepEqual(await first({}), ["rate_limit", null, true, false, settings]);
  const on = { ...settings, requests_per_minute: 90, per_network: 180, registrations_per_hour: 5 };
  const variables = { CAIRN_RATE_LIMIT_PER_MINUTE: "90", CAIRN_REGISTRATIONS_PER_HOUR: "5" };
  assert.deepEqual(await first(variables), ["rate_limit", 90, false, true, on]);
});
