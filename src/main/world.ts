import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { appsHandlers } from "../apps/handlers.ts";
import { claimsHandlers } from "../claims/handlers.ts";
import { type RememberedBooks, rememberedBooks } from "../coin/books.ts";
import { coinHandlers } from "../coin/handlers.ts";
import { commonsHandlers } from "../commons/handlers.ts";
import type { Clock, Context } from "../context.ts";
import { contracts } from "../contracts.ts";
import { type KeptOccurrences, occurrencesOf } from "../counters/occurrences.ts";
import type { Journal, Store } from "../db/engine.ts";
import { openSqlite } from "../db/sqlite.ts";
import { feedHandlers } from "../feed/handlers.ts";
import { prepareChallenges } from "../identity/challenge.ts";
import { identityHandlers } from "../identity/handlers.ts";
import { type Presence, presenceOf } from "../identity/presence.ts";
import { TOKEN_PATTERN } from "../identity/tokens.ts";
import { type NetworkClock, networkClock } from "../ledger/clock.ts";
import { ledgerHandlers } from "../ledger/handlers.ts";
import { genesisOf } from "../ledger/keys.ts";
import { ledgerHead } from "../ledger/queries.ts";
import { journalOf } from "../ledger/sequence.ts";
import type { Signer, SignerState } from "../ledger/signer.ts";
import { marketHandlers } from "../market/handlers.ts";
import { messagesHandlers } from "../messages/handlers.ts";
import { repositoriesHandlers } from "../repositories/handlers.ts";
import { requestsHandlers } from "../requests/handlers.ts";
import { REFUSED_USER_AGENT } from "../surfaces/edge.ts";
import { type Bound, bind, registryOf } from "../surfaces/registry.ts";
import type { HeavyCheck } from "../tasks/criterion-check.ts";
import { tasksHandlers } from "../tasks/handlers.ts";
import { chooseNetwork } from "../transfers/network.ts";
import { treasuryHandlers } from "../treasury/handlers.ts";
import type { ServiceFacts } from "../views/facts.ts";
import { viewsHandlers } from "../views/handlers.ts";
import { type WaitingReads, waitingReads } from "./arrivals.ts";
import { type CriterionPool, criterionPool } from "./criterion-pool.ts";
import { databaseFile } from "./database.ts";
import { GUARDS } from "./guards.ts";
import {
  joinServiceChain,
  openServiceChain,
  type ReachChain,
  type ServiceChain,
} from "./open-chain.ts";
import { openOrigin } from "./open-ledger.ts";
import { PROJECTORS } from "./projectors.ts";
import type { Configuration } from "./settings.ts";

/** Tells the operator of something that needs a person; the facts hold nothing secret. */
export type Alarm = (what: string, facts: Readonly<Record<string, unknown>>) => void;

/** Everything that a service is made of, but its listeners and its jobs. */
export interface World {
  readonly context: Context;
  readonly store: Store;
  readonly clock: NetworkClock;
  readonly registry: readonly Bound[];
  readonly books: RememberedBooks;
  readonly presence: Presence;
  readonly occurrences: KeptOccurrences;
  readonly arrivals: WaitingReads;
  readonly chain: ServiceChain;
  /** Where the checks of tasks run that may have to be ended. */
  readonly criteria: CriterionPool;
  /** Null when this node does not hold the operator's key. */
  readonly signer: Signer | null;
  /** What it said when it was last asked to sign. */
  readonly signing: { state: SignerState };
  readonly alarm: Alarm;
  close(): Promise<void>;
}

/** What surrounds a service. Tests put their own clock and randomness here. */
export interface Surroundings {
  /** The address that clients use. */
  readonly baseUrl: string;
  readonly alarm: Alarm;
  /** Instead of the engine's clock. */
  readonly clock?: Clock;
  readonly random?: (n: number) => Uint8Array;
}

/** What a process is: it runs the chain or joins it, and begins a network or wants one. */
interface Role {
  readonly reachChain: ReachChain;
  readonly ledger: "may_begin" | "has_begun";
}

/** Puts the service together. Throws an error whose message is a sentence when it cannot be. */
export const openWorld = (configuration: Configuration, around: Surroundings): Promise<World> =>
  assemble(configuration, around, { reachChain: openServiceChain, ledger: "may_begin" });

/** The same for a command of the operator, beside a service that runs or without one. */
export async function joinWorld(
  configuration: Configuration,
  around: Surroundings,
  ledger: Role["ledger"],
): Promise<World> {
  const isMissing = configuration.databaseUrl === null && !existsSync(databaseFile(configuration));
  if (isMissing && ledger === "has_begun") refuseNothing(); // Before a mistyped folder is made.
  return assemble(configuration, around, { reachChain: joinServiceChain, ledger });
}

function refuseNothing(): never {
  throw new Error(
    "There is no network in this database. Name another with --data-dir or --database-url, or begin one with `cairn init`.",
  );
}

async function assemble(
  configuration: Configuration,
  around: Surroundings,
  { reachChain, ledger }: Role,
): Promise<World> {
  const { alarm } = around;
  const system = around.clock ?? { now: () => store.now() };
  const clock = networkClock(system, configuration.clockAccepted ? "accepted" : "refused");
  const store = await openStore(configuration, {
    journal: journalOf({ clock, projectors: PROJECTORS }),
    onEntries: () => arrivals.look(),
    alarm,
  });
  const head = () => ledgerHead.first(store.read, {});
  const arrivals = waitingReads(async () => (await head())?.last_id ?? 0);
  try {
    clock.observe((await head())?.last_at ?? 0);
    if (ledger === "has_begun" && (await genesisOf(store.read)) === undefined) refuseNothing();
    return await furnish(configuration, around, { store, clock, arrivals, reachChain });
  } catch (error) {
    await store.close(); // A process that cannot start must be able to end.
    throw error;
  }
}

async function furnish(
  configuration: Configuration,
  { baseUrl, alarm, random = randomBytes }: Surroundings,
  {
    store,
    clock,
    arrivals,
    reachChain,
  }: Pick<World, "store" | "clock" | "arrivals"> & Pick<Role, "reachChain">,
): Promise<World> {
  const { signer, origin } = await openOrigin(configuration, baseUrl, store);
  const { read, snapshot, write, writeShared } = store;
  const { powBits, sealInterval_s, sealMaxEntries, xnoMinReward_raw } = configuration;
  const { xmrAddress, btcAddress, otherAddressNote } = configuration;
  const { rateSource, xnoUsd, xmrUsd, btcUsd } = configuration;
  await demandNetwork(store, configuration);
  const serviceChain = await reachChain(configuration, { baseUrl, random, alarm });
  const { projectKey, escrowKey, chain } = serviceChain;
  const settings = {
    baseUrl,
    appsOrigin: configuration.appsOrigin,
    origin,
    powBits,
    sealInterval_s,
    sealMaxEntries,
    projectKey,
    escrowKey,
    addresses: { xmr: xmrAddress, btc: btcAddress, otherNote: otherAddressNote },
    rates: { source: rateSource, xno_e8: xnoUsd, xmr_e8: xmrUsd, btc_e8: btcUsd },
    minReward_raw: xnoMinReward_raw,
  };
  const books = rememberedBooks();
  await books.look(read);
  const occurrences = occurrencesOf();
  const context: Context = {
    read,
    snapshot,
    write,
    writeShared,
    clock,
    random,
    arrivals,
    books,
    occurrences,
    chain,
    settings,
  };
  await prepareChallenges(context);
  const criteria = criterionPool();
  const signing: World["signing"] = { state: signer === null ? "no_key" : "ok" };
  return {
    context,
    store,
    clock,
    books,
    registry: operations(criteria.heavy, factsOf(configuration, clock, signing)),
    presence: presenceOf(),
    occurrences,
    arrivals,
    chain: serviceChain,
    criteria,
    signer,
    signing,
    alarm,
    async close() {
      arrivals.close();
      await serviceChain.close();
      await criteria.close();
      await store.close();
    },
  };
}

/** A database goes with one network; a dev chain beside real money would make both worthless. */
async function demandNetwork(store: Store, { devChain }: Configuration): Promise<void> {
  const wanted = devChain === "on" ? "dev" : "live";
  const chosen = await chooseNetwork(store, wanted);
  if (chosen === wanted) return;
  throw new Error(
    chosen === "dev"
      ? "This database was begun on the dev chain; start with --dev-chain, or with another data folder."
      : "This database was begun without the dev chain; use another data folder for --dev-chain.",
  );
}

const factsOf = (
  { rateLimitPerMinute, edgeUaRule }: Configuration,
  clock: NetworkClock,
  signing: World["signing"],
): ServiceFacts => ({
  contracts,
  rateLimitPerMinute,
  edgeRule: { isOn: edgeUaRule === "on", userAgent: REFUSED_USER_AGENT },
  guards: GUARDS,
  signerState: () => signing.state,
  clockClamps: clock.clamps,
});

/** Every domain's contract with its handlers. */
const operations = (heavy: HeavyCheck, facts: ServiceFacts): readonly Bound[] =>
  registryOf(
    bind("identity", contracts.identity, identityHandlers),
    bind("feed", contracts.feed, feedHandlers),
    bind("messages", contracts.messages, messagesHandlers()),
    bind("repositories", contracts.repositories, repositoriesHandlers),
    bind("apps", contracts.apps, appsHandlers),
    bind("claims", contracts.claims, claimsHandlers),
    bind("requests", contracts.requests, requestsHandlers),
    bind("tasks", contracts.tasks, tasksHandlers(heavy)),
    bind("coin", contracts.coin, coinHandlers),
    bind("treasury", contracts.treasury, treasuryHandlers),
    bind("market", contracts.market, marketHandlers),
    bind("commons", contracts.commons, commonsHandlers),
    bind("ledger", contracts.ledger, ledgerHandlers(TOKEN_PATTERN)),
    bind("views", contracts.views, viewsHandlers(facts)),
  );

/** What an engine is given, and whom it tells. */
interface EngineParts {
  readonly journal: Journal;
  readonly onEntries: () => void;
  readonly alarm: Alarm;
}

async function openStore(configuration: Configuration, parts: EngineParts): Promise<Store> {
  const { databaseUrl, databaseReadUrl } = configuration;
  if (databaseUrl === null) {
    const path = databaseFile(configuration);
    return openSqlite({ ...parts, path, onStall: () => parts.alarm("write_stalled", {}) });
  }
  // Loaded only where it is used: a node on the embedded engine starts sooner without it.
  const { openPostgres } = await import("../db/postgres.ts");
  const systemNow = () => Math.floor(Date.now() / 1_000);
  return openPostgres({ ...parts, url: databaseUrl, readUrl: databaseReadUrl, systemNow });
}
