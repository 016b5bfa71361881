import cluster from "node:cluster";
import { figuresOf } from "../surfaces/figures.ts";
import type { Finding } from "./duties.ts";
import { startJobs } from "./jobs.ts";
import { publicServer } from "./listeners.ts";
import type { Log } from "./log.ts";
import { closeWorld, listening, observerOf, ownJobs, type Served } from "./own-process.ts";
import type { Configuration } from "./settings.ts";
import { joinWorld, type Surroundings } from "./world.ts";

const REPORT_EVERY_MS = 1_000;

/** Answers the network beside other processes; the one that has begun it does all else. */
export async function serveShare(
  configuration: Configuration,
  around: Surroundings,
  log: Log,
): Promise<Served> {
  const world = await joinWorld(configuration, around, "has_begun");
  const figures = figuresOf([]);
  const server = publicServer(world, configuration, observerOf(log, figures));
  process.on("message", ({ signer, violations }: Finding) => {
    world.signing.state = signer;
    world.books.report(violations);
  });
  try {
    await listening(server, configuration.port, configuration.host);
  } catch (error) {
    await world.close();
    cluster.worker?.disconnect();
    throw error;
  }
  const report = async () => void process.send?.(figures.take());
  const reporting = { name: "report", every_ms: REPORT_EVERY_MS, run: report };
  const jobs = startJobs([...ownJobs(world), reporting], log.jobFailed);

  return {
    baseUrl: around.baseUrl,
    async stop() {
      world.arrivals.close();
      await server.close();
      await jobs.stop();
      await closeWorld(world);
      await report();
      log.flush();
      cluster.worker?.disconnect();
    },
  };
}
