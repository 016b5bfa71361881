import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGINES, openTestService, START, type TestService } from "../../../test/service.ts";
import { refusedRates } from "../../domains/transfers/queries.ts";
import { DAY_S, MINUTE_S } from "../../platform/kernel/time.ts";
import { rateRefresh } from "./rate-source.ts";

/** The body of an answer of the source. */
const prices = (nano: string, monero: string, at = START) =>
  `{"nano":{"usd":${nano},"last_updated_at":${at}},"monero":{"usd":${monero},"last_updated_at":${at}}}`;

interface Source {
  /** Asks the source once, which answers this. */
  ask(body: string, status?: number): Promise<void>;
  readonly asked: { readonly url: string; readonly redirect: string | undefined }[];
}

/** A source of prices that says what it is told, as the network would carry it. */
function sourceOf({ service: { context } }: TestService): Source {
  const asked: { url: string; redirect: string | undefined }[] = [];
  let answer = () => new Response();
  const refresh = rateRefresh(context, async (url, init) => {
    asked.push({ url: String(url), redirect: init?.redirect });
    return answer();
  });
  return {
    asked,
    ask(body, status = 200) {
      answer = () => new Response(body, { status });
      return refresh();
    },
  };
}

const rates = async (service: TestService) => {
  const { body } = await service.get("/currencies");
  return [body.xno_usd_reference, body.xmr_usd_reference, body.rate_source];
};

const refusals = async ({ service }: TestService) => {
  const rows = await refusedRates.all(service.store.read, {});
  return rows.reduce((sum, { refused }) => sum + refused, 0);
};

for (const engine of ENGINES) {
  const withSource = (name: string, run: (service: TestService, source: Source) => Promise<void>) =>
    test(`${name} [${engine}]`, async () => {
      const service = await openTestService(engine, name, { CAIRN_RATE_SOURCE: "coingecko" });
      try {
        await run(service, sourceOf(service));
      } finally {
        await service.close();
      }
    });

  withSource("accepted prices are used, with their source and minute", async (service, source) => {
    assert.deepEqual(await rates(service), [0.8, 300, "static:default"]);
    await source.ask(prices("0.870000019999999999999", "312.5"));
    assert.deepEqual(await rates(service), [0.87000001, 312.5, "coingecko:2027-01-15T08:00Z"]);
    const [{ url, redirect } = { url: "", redirect: "" }] = source.asked;
    assert.match(url, /^https:\/\/api\.coingecko\.com\/.*ids=nano,monero&vs_currencies=usd/);
    assert.equal(redirect, "error");
    assert.equal(await refusals(service), 0);
  });

  withSource("a leap is believed when it is said twice in a row", async (service, source) => {
    await source.ask(prices("1", "300"));
    await source.ask(prices("2", "300"));
    assert.deepEqual((await rates(service)).slice(0, 2), [1, 300]);
    await source.ask(prices("1", "300"));
    await source.ask(prices("2", "300"));
    assert.deepEqual((await rates(service)).slice(0, 2), [1, 300], "not in a row");
    await source.ask(prices("2.1", "300"));
    assert.deepEqual((await rates(service)).slice(0, 2), [2.1, 300]);
    assert.equal(await refusals(service), 2);
  });

  withSource(
    "a price that cannot be is refused, and the other one taken",
    async (service, source) => {
      for (const nano of ["0", "4.01", "0.15", "1000000"]) await source.ask(prices(nano, "310"));
      assert.deepEqual((await rates(service)).slice(0, 2), [0.8, 310]);
      assert.equal(await refusals(service), 4);
    },
  );

  withSource("an answer that is no list of prices changes nothing", async (service, source) => {
    await source.ask(prices("0.9", "310"));
    const bad = [
      "",
      "<html>",
      "{}",
      prices('"0.9"x', "1"),
      prices("8e-1", "310"),
      prices("-0.9", "310"),
      prices("null", "310"),
      prices("0.95", "310").padEnd(70_000),
    ];
    for (const body of bad) await assert.rejects(source.ask(body), body.slice(0, 20));
    await assert.rejects(source.ask(prices("0.95", "310"), 429), /answers 429/);
    assert.deepEqual((await rates(service)).slice(0, 2), [0.9, 310]);
  });

  withSource("a price that is not renewed for a day is not used", async (service, source) => {
    await source.ask(prices("0.9", "310", START - MINUTE_S));
    service.pass(DAY_S - MINUTE_S);
    assert.equal((await rates(service))[0], 0.9);
    service.pass(1);
    assert.deepEqual(await rates(service), [0.8, 300, "static:default"]);
    await source.ask(prices("0.9", "310", START + 9 * DAY_S));
    assert.equal((await rates(service))[2], "coingecko:2027-01-16T07:59Z", "never of the future");
  });

  test(`a contribution keeps the rate of its moment [${engine}]`, async () => {
    const variables = {
      CAIRN_RATE_SOURCE: "coingecko",
      CAIRN_XMR_USD: "200",
      CAIRN_BTC_USD: "90000.5",
    };
    const service = await openTestService(engine, "moment", variables);
    try {
      const source = sourceOf(service);
      const agent = await service.register();
      const declare = async (currency: string, txid: string) => {
        const { body } = await agent.post("/contribute", {
          currency,
          txid: txid.repeat(64),
          amount: 2,
        });
        const { usd, rate, rate_source } = body.contribution;
        return [usd, rate, rate_source];
      };
      assert.deepEqual(await declare("xmr", "a"), [400, "200", "static:configured"]);
      assert.deepEqual(await declare("btc", "b"), [180_001, "90000.5", "static:configured"]);
      await source.ask(prices("0.9", "250"));
      assert.deepEqual(await declare("xmr", "c"), [500, "250", "coingecko:2027-01-15T08:00Z"]);
      await service.sequenced();
      assert.equal((await service.get("/contributions")).body.totals.declared_usd, 180_901);
    } finally {
      await service.close();
    }
  });
}

test("the source is asked only where the operator wants it", async () => {
  for (const [source, wanted] of [
    ["static", false],
    ["coingecko", true],
  ] as const) {
    const service = await openTestService("sqlite", source, { CAIRN_RATE_SOURCE: source });
    assert.equal(
      service.shared.jobs.some(({ name }) => name === "rates"),
      wanted,
    );
    await service.close();
  }
});
