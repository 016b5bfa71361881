import { rewardPoolCache } from "../../../domains/coin/pace/reward-pool-cache.ts";
import { contracts } from "../../../domains/contracts.ts";
import { handlersOf } from "../../../domains/handlers.ts";
import { viewOrder } from "../../../domains/market/orders/order-view.ts";
import { findOwnOrder } from "../../../domains/market/orders/orders.ts";
import type { ServiceFacts } from "../../../domains/views/facts.ts";
import { accountKey } from "../../../platform/chain/account.ts";
import type { Agent, ServiceContext } from "../../../platform/context.ts";
import { Rejection, reject } from "../../../platform/kernel/contract/errors.ts";
import { micro, toNumber } from "../../../platform/kernel/money.ts";
import { type BoundOperation, bind } from "../../../surfaces/dispatch/registry.ts";
import type { Filled, Filling } from "./filling.ts";
import { isShown, type Shown } from "./lists.ts";

/** What the ledger makes of an answer, in both fillings, or the code with which it is refused. */
export interface Made {
  readonly refused?: string;
  readonly first: Shown;
  readonly second: Shown;
  /** How many items the page has, where those of all pages are told. */
  readonly page: number | null;
}

/** The agent that asks, if one does, and the second in which it does. */
export interface Asking {
  readonly now: number;
  readonly me: string | null;
}

/** A read that has something to write is answered once the service has written it. */
const refused = () =>
  Promise.reject(new Rejection("storage_unavailable", "A replay writes nothing."));

/** An account of nobody, for a setting that no entry tells. */
const NOBODY = "nano_1111111111111111111111111111111111111111111111111111hifc8npp";

/** Where contributions go: to one of the accounts that entries name as the project's own, the last one as a rule. */
function projectKeyIn({ connection }: Filled, filling: Filling) {
  const accounts = connection.database
    .prepare("SELECT account FROM own_account WHERE role = 'project' ORDER BY n")
    .all()
    .map(({ account }) => String(account));
  return accountKey((filling === 0 ? accounts.at(-1) : (accounts[0] ?? NOBODY)) ?? "");
}

/** The settings of a service, which no entry tells; the two fillings have different ones. */
const settingsOf = (
  filled: Filled,
  filling: Filling,
  baseUrl: string,
): ServiceContext["settings"] => ({
  baseUrl: filling === 0 ? baseUrl : `${baseUrl}/other`,
  origin: `filling ${filling}`,
  appsOrigin: null,
  logUrl: null,
  powBits: filling,
  sealInterval_s: filling,
  sealMaxEntries: filling,
  projectKey: projectKeyIn(filled, filling),
  escrowKey: filling === 0 ? null : accountKey(NOBODY),
  addresses: { xmr: null, btc: null, otherNote: null },
  rates: { source: "static", xno_e8: null, xmr_e8: null, btc_e8: null },
  payWithin_s: filling,
  minReward_raw: BigInt(filling),
});

/** Facts of the process that answers, which no answer of a replay has. */
const FACTS: ServiceFacts = {
  contracts,
  limits: {
    rateLimitPerMinute: 0,
    registrationsPerHour: 0,
    networkShare: 0,
    siteShare: 0,
    addresses: () => "unknown",
  },
  agentMibPerDay: 0,
  diskDays: 0,
  edgeRule: { isOn: false, userAgent: /^$/ },
  processLimits: {},
  signerState: () => "no_key",
  clockClamps: () => 0,
};

/** The operations with handlers of their own, for what these remember is of one database. */
const registryOf = (): ReadonlyMap<string, BoundOperation> => {
  const parts = { heavy: refused, facts: FACTS, verifier: { sha256: "", version: "" } };
  return new Map(
    bind(contracts, handlersOf(parts)).map((operation) => [operation.name, operation]),
  );
};

/** What a handler knows of the service. It reads the rows of a filling, and nothing else happens. */
const contextOf = (
  { read }: Filled,
  settings: ServiceContext["settings"],
  now: number,
): ServiceContext => ({
  reject,
  read,
  settings,
  snapshot: (work) => work(read),
  write: refused,
  chargeAhead: refused,
  clock: { now: () => now, mayEnd: () => false },
  random: (n) => new Uint8Array(n),
  ledgerSignal: { waitForEntry: async () => false, waitForConcern: async () => false },
  rewardPool: rewardPoolCache(),
  occurrences: { count: () => {}, unsaved: () => 0 },
  registrations: { take: () => 0, pause: () => null },
  storedBytes: { perDay_bytes: null, unsaved: () => 0, daysLeft: () => null },
  chain: null,
  edited: () => {},
  isProven: async () => true,
});

/** The agent as its rows have it. */
function agentIn(filled: Filled, agent_id: string): Agent {
  const found = filled.connection.database
    .prepare("SELECT handle FROM agent WHERE agent_id = ?")
    .get(agent_id);
  const handle = typeof found?.["handle"] === "string" ? found["handle"] : null;
  return { id: filled.numberOf(agent_id), agent_id, handle };
}

/** An answer, or the code with which it is refused. */
type Answer = Shown | string;

/** The service's own handlers over the rows of a filling. */
function replayedService(filled: Filled, settings: ServiceContext["settings"]) {
  const registry = registryOf();
  return async (name: string, asked: Shown, { now, me }: Asking): Promise<Answer> => {
    const operation = registry.get(name);
    if (operation === undefined) throw new Error(`There is no operation ${name}.`);
    const context = contextOf(filled, settings, now);
    const agent = me === null ? null : agentIn(filled, me);
    const { id } = asked;
    try {
      const answer =
        name === "market.get" && typeof id === "number"
          ? await wholeOrder(context, agent, id)
          : await operation.run(
              { ...context, agent, afterAnswer: () => {} },
              operation.input.parse(asked),
            );
      return asJson(answer);
    } catch (error) {
      if (error instanceof Rejection) return error.code;
      throw error;
    }
  };
}

/**
 * The handler of an order shows its parties all of it only while its row is what its entries make. Here it is
 * made of them, but for texts.
 */
async function wholeOrder(context: ServiceContext, agent: Agent | null, id: number) {
  const { read, settings, clock } = context;
  if (agent === null) throw new Error("An order is shown to its parties alone.");
  const { role } = await findOwnOrder({ ...context, agent }, id);
  const time = { now: clock.now(), payWithin_s: settings.payWithin_s };
  return { order: await viewOrder(read, { order_id: id, role, delivery: undefined }, time) };
}

/** An object as JSON has it. */
const asJson = (of: object): Shown =>
  Object.fromEntries(
    Object.entries(of).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, jsonOf(value)]],
    ),
  );

function jsonOf(value: unknown): unknown {
  if (typeof value === "bigint") return toNumber(micro(value));
  if (Array.isArray(value)) return value.map(jsonOf);
  return typeof value === "object" && value !== null ? asJson(value) : value;
}

/** A list whose order no entry determines is read so far. */
const PAGES_MAX = 50;

/** The answers of both fillings. */
export function replayedServices(fillings: readonly [Filled, Filled], baseUrl: string) {
  const [first, second] = fillings;
  const services = [
    replayedService(first, settingsOf(first, 0, baseUrl)),
    replayedService(second, settingsOf(second, 1, baseUrl)),
  ] as const;
  return {
    async answers(name: string, asked: Shown, asking: Asking): Promise<Made> {
      const ask = services.map((service) => (of: Shown) => service(name, of, asking));
      const [one, other] = await Promise.all(ask.map((service) => service(asked)));
      if (!isShown(one) || !isShown(other))
        return { refused: `${isShown(one) ? other : one}`, first: {}, second: {}, page: null };
      const isOpen = typeof one["next"] === "string" && one["next"] !== other["next"];
      if (!isOpen) return { first: one, second: other, page: null };
      const whole = ask.map((service, i) =>
        readOn(i === 0 ? one : other, (cursor) => service({ ...asked, cursor })),
      );
      const [all = {}, others = {}] = await Promise.all(whole);
      const list = Object.values(one).find((value) => Array.isArray(value));
      return { first: all, second: others, page: list?.length ?? 0 };
    },
  };
}

/** All pages of a list as one, from the first one on. */
async function readOn(first: Shown, ask: (cursor: string) => Promise<Answer>): Promise<Shown> {
  let all = first;
  let { next } = first;
  for (let page = 1; page < PAGES_MAX && typeof next === "string"; page++) {
    const answer = await ask(next);
    if (!isShown(answer)) break;
    next = answer["next"];
    all = Object.fromEntries(
      Object.entries(all).map(([name, value]) => {
        const more = answer[name];
        return [name, Array.isArray(value) && Array.isArray(more) ? [...value, ...more] : value];
      }),
    );
  }
  return all;
}

export type ReplayedServices = ReturnType<typeof replayedServices>;
