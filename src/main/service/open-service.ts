import { randomBytes } from "node:crypto";
import {
  type RewardPoolCache,
  rewardPoolCache,
} from "../../domains/coin/pace/reward-pool-cache.ts";
import { contracts } from "../../domains/contracts.ts";
import { type KeptOccurrences, occurrencesOf } from "../../domains/counters/occurrences.ts";
import { handlersOf } from "../../domains/handlers.ts";
import { type Presence, presenceOf } from "../../domains/identity/presence.ts";
import {
  type RememberedPause,
  rememberedPause,
} from "../../domains/identity/registrations/pauses.ts";
import { prepareKeys } from "../../domains/identity/shared-key.ts";
import { newestConcerns } from "../../domains/inbox/newest.ts";
import type { Quota } from "../../domains/quota/accounts.ts";
import type { LogSigner } from "../../domains/tlog/signer.ts";
import { chooseNetwork } from "../../domains/transfers/network.ts";
import { type OwnAccounts, ownAccounts } from "../../domains/transfers/own-accounts.ts";
import type { ServiceFacts } from "../../domains/views/facts.ts";
import type { Registrations, ServiceContext } from "../../platform/context.ts";
import type { Store } from "../../platform/db/engine.ts";
import type { SpaceAt } from "../../platform/db/sqlite/disk.ts";
import type { Alarm } from "../../platform/kernel/alarms.ts";
import { isOutage, reject } from "../../platform/kernel/contract/errors.ts";
import { lru } from "../../platform/kernel/lru.ts";
import { clockRecorder, recordOf } from "../../platform/ledger/clocks/boot.ts";
import { type NetworkClock, networkClock } from "../../platform/ledger/clocks/clock.ts";
import {
  type SteadyClock,
  type SystemClock,
  steadyClock,
} from "../../platform/ledger/clocks/steady-clock.ts";
import { kindsWithin } from "../../platform/ledger/entry-queries.ts";
import { ledgerHead } from "../../platform/ledger/queries.ts";
import { RULES } from "../../platform/ledger/rules.ts";
import { entryProver } from "../../platform/ledger/seals/entry-prover.ts";
import { genesisOf } from "../../platform/ledger/seals/keys.ts";
import { clockAccepted } from "../../platform/ledger/seals/notice-queries.ts";
import type { Signer } from "../../platform/ledger/seals/signer.ts";
import { openSigning, type Signing } from "../../platform/ledger/seals/signing.ts";
import { type RulesFence, rulesFence } from "../../platform/ledger/sequencing/fence.ts";
import { journalOf } from "../../platform/ledger/sequencing/sequence.ts";
import { type BoundOperation, bind, registryOf } from "../../surfaces/dispatch/registry.ts";
import { REFUSED_USER_AGENT } from "../../surfaces/wire/edge.ts";
import { NETWORK_SHARE, SITE_SHARE } from "../../surfaces/wire/rate-limit.ts";
import { isNothingAt } from "../running/trusted-file.ts";
import { settingsOf } from "../settings/context-settings.ts";
import { rehearsed } from "../settings/rehearsed.ts";
import type { Configuration } from "../settings/settings.ts";
import { bootOfMachine, sinceBoot_s } from "../storage/boot.ts";
import { databaseFile } from "../storage/database.ts";
import { demandOpenFiles } from "../storage/open-files.ts";
import { openStore } from "../storage/open-store.ts";
import { PROJECTORS } from "../storage/projectors.ts";
import { type WriteWatch, watchedWrites } from "../storage/write-watch.ts";
import { openWitness, type WitnessOfOthers } from "./cosigner.ts";
import { type CriterionPool, criterionPool } from "./criterion-pool.ts";
import { type WaitingReads, waitingReads } from "./ledger-signal.ts";
import { type Limits, limitsOf } from "./limits.ts";
import { logFiles, logSignerOf } from "./log-key.ts";
import {
  joinServiceChain,
  openServiceChain,
  type ReachChain,
  type ServiceChain,
} from "./open-chain.ts";
import { openOrigin } from "./open-ledger.ts";
import { processLimits } from "./process-limits.ts";
import { quotaFor } from "./quota.ts";
import { refusingAll, refusingWrites } from "./refusals.ts";
import { demandNoKeys, type Rehearsal, rehearsalIn } from "./rehearsal.ts";
import { readVerifier } from "./served-files.ts";
import { type WitnessParts, witnessParts } from "./witness-parts.ts";

/** Everything that a service is made of, but its listeners and its jobs. */
export interface Service {
  readonly context: ServiceContext;
  /** The same for what the service notes for itself, which goes on when `context` refuses writes. */
  readonly upkeep: ServiceContext;
  readonly store: Store;
  /** Whether the storage takes what is to be stored. */
  readonly writeWatch: WriteWatch;
  readonly clock: NetworkClock;
  /** Below it: the system's clock without its jumps. */
  readonly steady: SteadyClock;
  readonly registry: readonly BoundOperation[];
  readonly rewardPool: RewardPoolCache;
  readonly presence: Presence;
  readonly occurrences: KeptOccurrences;
  readonly quota: Quota;
  readonly ledgerSignal: WaitingReads;
  readonly limits: Limits;
  readonly pauses: RememberedPause;
  readonly chain: ServiceChain;
  readonly own: OwnAccounts;
  /** Where the checks of tasks run that may have to be ended. */
  readonly criteria: CriterionPool;
  /** Stores what its clock shows, for the next start on this boot. */
  readonly recordClock: (needs: Pick<ServiceContext, "write" | "clock">) => Promise<void>;
  /** Null when this node does not hold the operator's key. */
  readonly signer: Signer | null;
  /** Its state at the last request to sign, and the state that another node's signer reported. */
  readonly signing: Signing;
  /** The key of the public log, where this node has it, and what it signed. */
  readonly logSigner: LogSigner;
  readonly witnesses: WitnessParts;
  /** Null where it witnesses no log of others. */
  readonly witness: WitnessOfOthers | null;
  /** Why no write is taken now although the storage could; null while they are. */
  readonly whyRefused: () => string | null;
  /** Null but where the folder only rehearses a restore: then it reads, and does nothing else. */
  readonly rehearsal: Rehearsal | null;
  readonly alarm: Alarm;
  close(): Promise<void>;
}

/** The environment of a service. Tests put their own clock and randomness here. */
export interface Environment {
  /** The address that clients use. */
  readonly baseUrl: string;
  readonly alarm: Alarm;
  /** Instead of the engine's clock. */
  readonly clock?: SystemClock;
  readonly random?: (n: number) => Uint8Array;
  /** Instead of the file system's word on its free space. */
  readonly spaceAt?: SpaceAt;
  /** Whether it is a command beside a service, which ends nothing that the clock ends. */
  readonly isCommand?: true;
  /** Instead of counting registrations in this process. */
  readonly registrations?: Registrations["take"];
  /** Instead of the seconds that work waits for its turn in a PostgreSQL database. */
  readonly patience_ms?: number;
}

const BOOT = bootOfMachine();

/** An injected clock counts from no boot of this machine, and a command on it does not recall that clock. */
const bootOf = ({ clock }: Environment): string => (clock === undefined ? BOOT : "injected");

/** What a process is: it runs the chain or joins it, and begins a network or wants one. */
interface Role {
  readonly reachChain: ReachChain;
  readonly ledger: "may_begin" | "has_begun";
}

/** Puts the service together. Throws an error whose message is a sentence when it cannot be. */
export const openService = (configuration: Configuration, around: Environment): Promise<Service> =>
  assemble(configuration, around, { reachChain: openServiceChain, ledger: "may_begin" });

/** The same for a command of the operator, beside a service that runs or without one. */
export async function joinService(
  configuration: Configuration,
  around: Environment,
  ledger: Role["ledger"],
): Promise<Service> {
  const isMissing = configuration.databaseUrl === null && isNothingAt(databaseFile(configuration));
  if (isMissing && ledger === "has_begun") refuseNothing(); // Before a mistyped folder is made.
  demandOpenFiles(configuration);
  return assemble(configuration, around, { reachChain: joinServiceChain, ledger });
}

function refuseNothing(): never {
  throw new Error(
    "There is no network in this database. Name another with --data-dir or --database-url, or begin one with `cairn init`.",
  );
}

async function assemble(
  asked: Configuration,
  around: Environment,
  { reachChain, ledger }: Role,
): Promise<Service> {
  const rehearsal = rehearsalIn(asked.dataDir);
  if (rehearsal !== null) demandNoKeys(asked.dataDir);
  const configuration = rehearsal === null ? asked : rehearsed(asked);
  const { alarm } = around;
  const steady = steadyClock(around.clock ?? { now: () => store.now(), monotonic_s: sinceBoot_s });
  const mayEnd = () => around.isCommand !== true && !steady.isNewBoot();
  const clock = networkClock(steady, configuration.clockAccepted ? "accepted" : "refused", mayEnd);
  const fence = rulesFence(RULES, (rules) => alarm("rules_unknown", { rules, known: RULES }));
  const opened = await openStore(configuration, {
    journal: journalOf({ clock, projectors: PROJECTORS, fence }),
    onEntries: () => ledgerSignal.poll(),
    alarm,
    isAlone: around.isCommand !== true && configuration.workers === 1,
    ...(around.spaceAt && { spaceAt: around.spaceAt }),
    ...(around.patience_ms && { patience_ms: around.patience_ms }),
  });
  const readable = rehearsal === null ? opened : { ...opened, write: refusingAll().write };
  const now_ms = () => performance.now();
  const { store, watch: writeWatch } = watchedWrites(readable, { alarm, now_ms });
  const head = () => ledgerHead.first(store.read, {});
  const occurrences = occurrencesOf();
  const ledgerSignal = waitingReads(
    {
      lastId: async () => (await head())?.last_id ?? 0,
      kindsWithin: (range) => kindsWithin.all(store.read, range),
      concerning: (agents) => newestConcerns(store.read, agents),
    },
    () => occurrences.count("wait_displaced"),
  );
  try {
    const { last_at = 0, rules = 0 } = (await head()) ?? {};
    fence.observe(rules);
    const boot = bootOf(around);
    const known = await recordOf(store.read, boot);
    if (known !== null || last_at > 0) steady.recall(known); // A new network has nothing to end.
    if (configuration.clockAccepted) steady.accept(store.now());
    if (around.isCommand === true)
      steady.accept((await clockAccepted.first(store.read, {}))?.at ?? 0);
    clock.observe(last_at);
    if (ledger === "has_begun" && (await genesisOf(store.read)) === undefined) refuseNothing();
    const recordClock = clockRecorder(boot, steady);
    const parts = {
      rehearsal,
      store,
      writeWatch,
      clock,
      steady,
      fence,
      recordClock,
      ledgerSignal,
      occurrences,
      reachChain,
    };
    const service = await build(configuration, around, parts);
    // Where the storage takes no writes now, the job stores it as soon as it does.
    if (around.isCommand !== true) await service.recordClock(service.upkeep).catch(unlessOutage);
    return service;
  } catch (error) {
    await store.close(); // A process that cannot start must be able to end.
    throw error;
  }
}

type Begun = Pick<
  Service,
  | "rehearsal"
  | "store"
  | "writeWatch"
  | "clock"
  | "steady"
  | "recordClock"
  | "ledgerSignal"
  | "occurrences"
> &
  Pick<Role, "reachChain"> & { readonly fence: RulesFence };

async function build(
  configuration: Configuration,
  { baseUrl, alarm, random = randomBytes, isCommand, registrations }: Environment,
  { store, writeWatch, clock, steady, fence, recordClock, ledgerSignal, ...begun }: Begun,
): Promise<Service> {
  const { occurrences, reachChain, rehearsal } = begun;
  const { signer, origin } = await openOrigin(configuration, baseUrl, store);
  const { read, snapshot, write } = store;
  if (rehearsal === null) await demandNetwork(store, configuration);
  const witnesses = witnessParts(configuration);
  const witness = await openWitness(configuration, store, origin);
  const own = ownAccounts();
  await own.refresh(read);
  const serviceChain = await reachChain(configuration, { baseUrl, random, alarm, own: own.keys });
  const settings = settingsOf(configuration, { baseUrl, origin, ...serviceChain });
  const rewardPool = await openPool(read, clock);
  const pauses = await openPauses(read, clock);
  const signing = await openSigning({ read, clock }, signer);
  const grounds = { signing, steady, fence, isCommand };
  const { whyRefused, ...guarded } =
    rehearsal === null ? refusingWrites(store, grounds, configuration) : refusingAll();
  const limits = limitsOf(configuration, { clock, random, occurrences, alarm });
  const quota = quotaFor(configuration, { clock, store, occurrences });
  const upkeep: ServiceContext = {
    reject,
    read,
    snapshot,
    write,
    chargeAhead: (_, work) => work(),
    clock,
    random,
    ledgerSignal,
    rewardPool,
    occurrences,
    registrations: { take: registrations ?? limits.registrations.take, pause: pauses.pause },
    storedBytes: quota,
    chain: serviceChain.chain,
    edited: tellingOfEdits(alarm),
    isProven: entryProver(signer, clock),
    settings,
  };
  await prepareKeys(upkeep);
  const criteria = criterionPool();
  const facts = factsOf(configuration, limits, clock, signing);
  return {
    context: { ...upkeep, ...guarded },
    upkeep,
    store,
    writeWatch,
    clock,
    steady,
    rewardPool,
    registry: registryOf(
      bind(contracts, handlersOf({ heavy: criteria.heavy, facts, verifier: readVerifier() })),
    ),
    presence: presenceOf(),
    occurrences,
    quota,
    ledgerSignal,
    limits,
    pauses,
    chain: serviceChain,
    own,
    criteria,
    recordClock,
    signer,
    signing,
    logSigner: logSignerOf(logFiles(configuration)),
    witnesses,
    witness,
    whyRefused,
    rehearsal,
    alarm,
    async close() {
      ledgerSignal.close();
      await serviceChain.close();
      await criteria.close();
      await store.close();
    },
  };
}

async function openPool(read: Store["read"], clock: NetworkClock): Promise<RewardPoolCache> {
  const pool = rewardPoolCache();
  await pool.refresh(read, clock.now());
  return pool;
}

async function openPauses(read: Store["read"], clock: NetworkClock): Promise<RememberedPause> {
  const pauses = rememberedPause(clock.now);
  await pauses.refresh(read);
  return pauses;
}

/** Edited rows that were told last; older ones may be told again. */
const TOLD_MAX = 10_000;

/** Tells of each edited row once, however often somebody looks at it. */
function tellingOfEdits(alarm: Alarm): ServiceContext["edited"] {
  const told = lru<string | number, true>({ max: TOLD_MAX, sizeOf: () => 1 });
  return (row) => {
    const isOrder = "order_id" in row;
    const name = isOrder ? row.order_id : row.txid;
    if (told.get(name) === undefined)
      if (isOrder) alarm("market_violation", { invariant: "I16", ...row });
      else alarm("transfer_violation", { invariant: "I13", ...row });
    told.set(name, true);
  };
}

function unlessOutage(error: unknown): void {
  if (!isOutage(error)) throw error;
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
  {
    rateLimitPerMinute,
    registrationsPerHour,
    agentMibPerDay,
    diskDays,
    databaseUrl,
    edgeUaRule,
  }: Configuration,
  { senders, rooms }: Limits,
  clock: NetworkClock,
  signing: Service["signing"],
): ServiceFacts => ({
  contracts,
  limits: {
    rateLimitPerMinute,
    registrationsPerHour,
    networkShare: NETWORK_SHARE,
    siteShare: SITE_SHARE,
    addresses: senders.addresses,
  },
  agentMibPerDay,
  diskDays: databaseUrl === null ? diskDays : 0,
  edgeRule: { isOn: edgeUaRule === "on", userAgent: REFUSED_USER_AGENT },
  processLimits: processLimits(rooms.network),
  signerState: () => signing.state,
  clockClamps: clock.clamps,
});
