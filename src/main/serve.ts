import { once } from "node:events";
import { createServer } from "node:net";
import type { Observer } from "../surfaces/answer.ts";
import type { HttpServer } from "../surfaces/server.ts";
import { addStarterTasks } from "../tasks/starter-tasks.ts";
import { dutiesOf } from "./duties.ts";
import { watchOf } from "./health.ts";
import { startJobs } from "./jobs.ts";
import { adminServer, publicServer } from "./listeners.ts";
import type { Log } from "./log.ts";
import { baseUrlOf, type Configuration } from "./settings.ts";
import { openWorld } from "./world.ts";

/** A service that answers. */
export interface Served {
  /** The address that clients use. */
  readonly baseUrl: string;
  /** Drains what runs, ends the jobs, lets go of the storage. Takes at most about 10 s. */
  stop(): Promise<void>;
}

/** Starts the whole service. Throws an error whose message is a sentence when it cannot. */
export async function serve(configuration: Configuration, log: Log): Promise<Served> {
  Object.assign(process.report, { excludeNetwork: true }); // A crash report would hold addresses.
  const { host, adminHost, adminPort } = configuration;
  const port = configuration.port || (await freePort(host));
  const baseUrl = baseUrlOf({ ...configuration, port });
  const world = await openWorld(configuration, {
    baseUrl,
    alarm: (what, facts) => log.error(facts, what),
  });
  const duties = dutiesOf(world);
  let draining = false;
  const { figures, pages } = watchOf(world, duties.signerState, () => draining);
  const now_ms = () => Number(process.hrtime.bigint()) / 1e6;
  const network: Observer = {
    now_ms,
    failed: log.failed,
    answered(answer) {
      figures.count(answer);
      log.answered(answer);
    },
  };
  const operators: Observer = { now_ms, failed: log.failed, answered: () => {} };

  const servers: HttpServer[] = [];
  const listen = async (server: HttpServer, at: number, on: string) => {
    await server.listen(at, on).catch((error: Error) => {
      throw new Error(`Cannot listen on ${on} port ${at}: ${error.message}`);
    });
    servers.push(server);
  };
  try {
    await addStarterTasks(world.context);
    await listen(publicServer(world, configuration, network), port, host);
    if (adminPort !== 0) await listen(adminServer(world, operators, pages), adminPort, adminHost);
  } catch (error) {
    await Promise.all(servers.map((server) => server.close()));
    await world.close();
    throw error;
  }
  const jobs = startJobs(duties.jobs, log.jobFailed);
  log.info({ base_url: baseUrl, engine: (await world.store.health()).engine }, "serving");

  return {
    baseUrl,
    async stop() {
      draining = true;
      log.info({}, "stopping");
      world.arrivals.close();
      await Promise.all(servers.map((server) => server.close()));
      await jobs.stop();
      // Minutes of presence and seconds of counts are not worth a wait.
      await world.presence.flush(world.context).catch(() => {});
      await world.occurrences.flush(world.context).catch(() => {});
      await world.close();
      log.info({}, "stopped");
      log.flush();
    },
  };
}

async function freePort(host: string): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
