import cluster from "node:cluster";
import { setTimeout } from "node:timers/promises";
import { cutOffMarks } from "../domains/identity/writes/marks.ts";
import { addStarterTasks } from "../domains/tasks/starter-tasks.ts";
import type { Alarm } from "../platform/kernel/alarms.ts";
import { isOutage } from "../platform/kernel/contract/errors.ts";
import type { HttpServer } from "../surfaces/server.ts";
import type { Observer } from "../surfaces/wire/answer.ts";
import { messageOf } from "../verify/stop.ts";
import { alertsOf, demandSecret } from "./alerts/alerts.ts";
import { backupJobs } from "./backups/backups.ts";
import { type Wrong, wrong } from "./conditions/reasons.ts";
import { backgroundThrottle } from "./jobs/background-throttle.ts";
import { startJobs } from "./jobs/jobs.ts";
import {
  closeService,
  jobWatchOf,
  observerOf,
  perProcessJobs,
  type Served,
} from "./jobs/per-process.ts";
import { sharedJobs } from "./jobs/shared.ts";
import { type OpenConsole, openConsole, systemSeconds } from "./listeners/console.ts";
import { type Standing, watchOf } from "./listeners/health.ts";
import { adminServer, publicServer, type Serving } from "./listeners/listeners.ts";
import { type TakenPort, takeNetworkPort, takeOperatorsPort } from "./listeners/ports.ts";
import type { Program } from "./listeners/runs.ts";
import { NO_LOAD } from "./listeners/sockets.ts";
import type { Log } from "./log.ts";
import { type Happenings, happeningsOf } from "./measures/happenings.ts";
import { pulseOf } from "./measures/pulse.ts";
import type { Load } from "./measures/traffic.ts";
import { serveShare } from "./processes/worker.ts";
import { type Workers, workersOf } from "./processes/workers.ts";
import { announceService, inDataFolder } from "./running/service-record.ts";
import { isNothingAt } from "./running/trusted-file.ts";
import { openService, type Service } from "./service/open-service.ts";
import { rememberOwnAccounts } from "./service/own-accounts.ts";
import { rehearsalIn } from "./service/rehearsal.ts";
import { settleNumbers } from "./settings/announced-numbers.ts";
import { operatorsUrl } from "./settings/console-mode.ts";
import { rehearsed } from "./settings/rehearsed.ts";
import {
  baseUrlOf,
  type Configuration,
  isNobodysAddress,
  NOBODYS_ADDRESS,
} from "./settings/settings.ts";
import { refuseEnded } from "./storage/database.ts";
import { eraseAgain } from "./storage/erasures.ts";
import { lockFolder } from "./storage/folder-lock.ts";
import { isFull, type LateFiles, lateFiles, takeSpareRoom } from "./storage/late-files.ts";
import { announceFiles, openFilesFile, withdrawFiles } from "./storage/open-files.ts";
import { PACKAGE_VERSION } from "./version.ts";

/** Those that the service has taken; no port for operators where they have none. */
interface Ports {
  readonly network: TakenPort;
  readonly operators: TakenPort | null;
}

interface Start {
  readonly ports: Ports;
  readonly files: LateFiles;
  /** Null where the service was not started by the command. */
  readonly program: Program | null;
}

/** The observers of alarms, jobs and requests. */
interface Told {
  readonly log: Log;
  readonly happenings: Happenings;
}

/** Starts the whole service. Throws an error whose message is a sentence when it cannot. */
export async function serve(
  asked: Configuration,
  log: Log,
  program: Program | null = null,
): Promise<Served> {
  const configuration = rehearsalIn(asked.dataDir) === null ? asked : rehearsed(asked);
  Object.assign(process.report, { excludeNetwork: true }); // A crash report would hold addresses.
  const happenings = happeningsOf(systemSeconds, log);
  const alarm: Alarm = (what, facts) => {
    happenings.alarmed(what);
    log.error(facts, what);
  };
  const reporting: Told = { log, happenings };
  if (cluster.isWorker)
    return serveShare(configuration, { baseUrl: baseUrlOf(configuration), alarm }, reporting);
  const freed: (() => unknown)[] = [];
  let hasPorts = false;
  try {
    const network = await takeNetworkPort(configuration);
    freed.push(network.release);
    const operators = configuration.adminPort === 0 ? null : await takeOperatorsPort(configuration);
    if (operators !== null) freed.push(operators.release);
    const own = { ...configuration, port: network.port };
    hasPorts = true;
    await refuseEnded(own); // Before anything is put into its folder.
    const lock = lockFolder(own.dataDir);
    freed.push(lock.release);
    withdrawFiles(own); // Of one that ended without a stop.
    demandSecret(own);
    takeSpareRoom(own.dataDir);
    const files = lateFiles(own.dataDir, log);
    const service = await openService(own, { baseUrl: baseUrlOf(own), alarm });
    files.put(openFilesFile(own), () => announceFiles(own));
    const start = { program, files, ports: { network, operators } };
    const served = await serveWhole(own, service, { ...reporting, ...start });
    const withdraw = announce(own, served.origin, announced(program, service), files);
    const release = () => {
      withdraw();
      withdrawFiles(own);
      lock.release();
    };
    const { lost } = service.store;
    return { ...served, lost, stop: () => served.stop().finally(release) };
  } catch (error) {
    for (const free of freed) await free();
    throw hasPorts ? orFull(error, configuration) : error;
  }
}

/** A full disk ends a start in many places, with many words, and what helps is the same in all. */
function orFull(error: unknown, { dataDir }: Pick<Configuration, "dataDir">): unknown {
  const why = messageOf(error);
  const isFullDisk = /ENOSPC|EDQUOT|disk is full/.test(why);
  if (!isFullDisk && (isNothingAt(dataDir) || !isFull(dataDir))) return error;
  const sentence = `The disk of ${dataDir} is full, so the service cannot start: ${why.replace(/\.$/, "")}. Make room there, then start it again.`;
  return new Error(sentence, { cause: error });
}

/** Tells commands that this service runs. It serves as well where they cannot find it. */
function announce(
  configuration: Configuration,
  origin: string,
  program: Program | null,
  files: Pick<LateFiles, "put">,
): () => void {
  if (program === null) return () => {};
  const { environment, settings } = program;
  const adminUrl = operatorsUrl(configuration);
  let withdraw = () => {};
  files.put(inDataFolder(configuration.dataDir), () => {
    withdraw = announceService({ configuration, origin, adminUrl, settings, environment });
  });
  return () => withdraw();
}

/** No command finds a rehearsal by itself: only what names its folder knows of it. */
const announced = (program: Program | null, { rehearsal }: Service): Program | null =>
  program === null || rehearsal === null ? program : { ...program, environment: {} };

const programOf = ({ databaseUrl, dataDir }: Configuration) => ({
  release: PACKAGE_VERSION,
  engine: databaseUrl === null ? "sqlite" : "postgres",
  data: dataDir,
});

const ENDS_LATER =
  "The machine has booted since the last entry: orders and rewards whose time is over end in ten minutes.";

/** Writes what belongs to every network, or to these settings. */
async function prepare(
  configuration: Configuration,
  service: Service,
  log: Pick<Log, "warn">,
): Promise<void> {
  if (isNobodysAddress(service.context.settings.baseUrl))
    log.warn({}, `${NOBODYS_ADDRESS.text} ${NOBODYS_ADDRESS.advice}`);
  const left = await settleNumbers(service.context, service.signer, configuration);
  for (const sentence of left) log.warn({}, sentence);
  if (!service.clock.mayEnd()) log.warn({}, ENDS_LATER);
  const erased = await eraseAgain(service.upkeep, configuration.dataDir);
  if (erased > 0)
    log.warn({ erased }, "Texts that were erased before came back, and are erased again.");
  await addStarterTasks(service.context);
  await rememberOwnAccounts(service);
}

const PREPARE_EVERY_MS = 10_000;

/** The same once, now or as soon as the storage takes it and nothing forbids it. */
function preparation(configuration: Configuration, service: Service, log: Pick<Log, "warn">) {
  let isDone = false;
  const run = async () => {
    if (isDone || service.whyRefused() !== null) return;
    await prepare(configuration, service, log);
    isDone = true;
  };
  return {
    async now() {
      const { refusal } = await service.store.health();
      if (refusal !== null) log.warn({ why: refusal }, "only reads are served");
      try {
        // Never later: by then a mark may be one of this process.
        if (!service.store.hadOthers) await cutOffMarks(service.upkeep);
        await run();
      } catch (error) {
        if (!isOutage(error)) throw error;
      }
    },
    job: { name: "prepare", every_ms: PREPARE_EVERY_MS, run },
  };
}

/** Everything, but that other processes may answer the network. */
async function serveWhole(
  configuration: Configuration,
  service: Service,
  { log, happenings, program, ports, files }: Told & Start,
): Promise<Omit<Served, "lost">> {
  const { baseUrl, origin } = service.context.settings;
  let draining = false;
  let own: Serving | null = null;
  const { registrations, senders } = service.limits;
  const workers = workersOf(configuration, log, {
    counted: (each) => figures.add(each),
    happened: happenings.add,
    keys: senders.keys,
    registrations,
  });
  const stopping = new AbortController();
  const now_ms = () => performance.now();
  const throttle = backgroundThrottle({ now_ms, sleep: setTimeout, stopping: stopping.signal });
  const shared = sharedJobs(service, {
    onFinding: workers?.tell ?? (() => {}),
    yielder: throttle.yielder,
  });
  const { figures, pages, ledger } = watchOf(service, {
    configuration,
    happenings,
    standing: standingOf(workers, { isDraining: () => draining, load: () => own?.load() }),
  });
  const pulse = pulseOf(figures, systemSeconds);
  const { unhealthy } = pages;
  const alerts = alertsOf(service, configuration, { figures, happenings, log, unhealthy });
  const network = observerOf(log, figures, throttle.asked);

  const preparing = preparation(configuration, service, log);
  const servers: HttpServer[] = [];
  let console: OpenConsole | null = null;
  const listen = async (server: HttpServer, port: TakenPort) => {
    await port.handTo(server);
    servers.push(server);
  };
  try {
    await preparing.now();
    if (workers === null) {
      own = publicServer(service, configuration, network);
      await listen(own, ports.network);
    } else {
      await ports.network.release();
      await workers.start();
    }
    console = openConsole(service, configuration, {
      log,
      program,
      files,
      watch: { ...pages, ledger, raised: alerts.raised, jobs: happenings.jobs, ...pulse.watch },
    });
    const admin = {
      ...pages,
      names: [configuration.adminHost.toLowerCase(), ...configuration.adminNames],
      console,
    };
    if (ports.operators !== null)
      await listen(adminServer(service, unseen(network), admin), ports.operators);
  } catch (error) {
    console?.close();
    await workers?.stop();
    await Promise.all(servers.map((server) => server.close()));
    await service.close();
    throw error;
  }
  const background = [...ownJobs(service, configuration, program), ...alerts.jobs];
  const ofStart = [preparing.job, files.job, pulse.job];
  const all = [...shared.jobs, ...ofStart, ...background];
  const jobs = startJobs(service.rehearsal === null ? all : [], jobWatchOf(log, happenings));
  if (service.rehearsal !== null) log.warn({ ...service.rehearsal }, wrong("rehearsal").sentence);
  log.info({ base_url: baseUrl, origin, ...programOf(configuration) }, "serving");
  own?.prepare();

  return {
    baseUrl,
    origin,
    async stop() {
      draining = true;
      log.info({}, "stopping");
      service.ledgerSignal.close();
      // The operators' listener goes last: it says that the service is stopping.
      const admin = ports.operators === null ? undefined : servers.at(-1);
      const others = servers.filter((server) => server !== admin);
      await Promise.all([workers?.stop(), ...others.map((server) => server.close())]);
      await admin?.close();
      console?.close();
      stopping.abort();
      await jobs.stop();
      await closeService(service);
      log.info({}, "stopped");
      log.flush();
    },
  };
}

/** Answers to operators are no traffic of the network. */
const unseen = (network: Observer): Observer => ({ ...network, answered: () => {} });

/** What this process does for itself and for the disk. */
const ownJobs = (service: Service, configuration: Configuration, program: Program | null) => [
  ...perProcessJobs(service),
  ...backupJobs(service, configuration, { program, now: systemSeconds }),
];

/** How the processes stand that answer the network: the workers, or this one alone. */
const standingOf = (
  workers: Workers | null,
  own: { isDraining(): boolean; load(): Load | undefined },
): Standing => ({
  whyUnready: () => whyUnready(own.isDraining(), workers),
  whyUnstored: () => workers?.whyUnstored() ?? null,
  failing: () => workers?.failing() ?? [],
  answering: () => workers?.answering() ?? 1,
  load: () => workers?.load() ?? own.load() ?? NO_LOAD,
});

function whyUnready(draining: boolean, workers: Workers | null): Wrong | null {
  if (draining) return wrong("stopping");
  return workers?.answering() === 0 ? wrong("no_worker") : null;
}
