import cluster from "node:cluster";
import { figuresOf } from "../../surfaces/operator/metrics.ts";
import { startJobs } from "../jobs/jobs.ts";
import {
  closeService,
  jobWatchOf,
  observerOf,
  perProcessJobs,
  type Served,
} from "../jobs/per-process.ts";
import { figureLooks } from "../listeners/health.ts";
import { publicServer } from "../listeners/listeners.ts";
import { listening } from "../listeners/ports.ts";
import type { Log } from "../log.ts";
import type { Happenings } from "../measures/happenings.ts";
import { type Environment, joinService } from "../service/open-service.ts";
import type { Configuration } from "../settings/settings.ts";
import { askedRegistrations } from "./registrations.ts";
import { SHARE_EVERY_MS } from "./shares.ts";
import type { News, Report } from "./workers.ts";

const REPORT_EVERY_MS = 1_000;

/** Answers the network beside other processes; the one that has begun it does all else. */
export async function serveShare(
  configuration: Configuration,
  around: Environment,
  { log, happenings }: { readonly log: Log; readonly happenings: Happenings },
): Promise<Served> {
  const tell = (report: Report) => void process.send?.(report);
  const registrations = askedRegistrations(tell);
  const counted = { ...around, registrations: registrations.take };
  const service = await joinService(configuration, counted, "has_begun");
  const figures = figuresOf([], figureLooks());
  const server = publicServer(service, configuration, observerOf(log, figures));
  const { buckets, senders } = service.limits;
  process.on("message", (news: News) => {
    if ("finding" in news) {
      const { signer, lacks, violations } = news.finding;
      Object.assign(service.signing, { state: signer, lacks });
      service.rewardPool.report(violations);
    } else if ("registration" in news) registrations.taken(news);
    else {
      senders.adopt(news.share.keys);
      buckets.hear(news.share.taken);
    }
  });
  try {
    await listening(server, configuration);
  } catch (error) {
    await service.close();
    cluster.worker?.disconnect();
    throw error;
  }
  server.prepare();
  const report = async () =>
    tell({
      counted: figures.take(),
      happened: happenings.take(),
      load: server.load(),
      refusal: service.writeWatch.refusal(),
      failing: happenings.failing(),
    });
  const share = async () => {
    const taken = buckets.unreported();
    if (taken.length > 0) tell({ taken });
  };
  const reporting = { name: "report", every_ms: REPORT_EVERY_MS, run: report };
  const sharing = { name: "share", every_ms: SHARE_EVERY_MS, run: share };
  const jobs = startJobs(
    [...perProcessJobs(service), reporting, sharing],
    jobWatchOf(log, happenings),
  );

  return {
    baseUrl: around.baseUrl,
    origin: service.context.settings.origin,
    lost: service.store.lost,
    async stop() {
      service.ledgerSignal.close();
      await server.close();
      await jobs.stop();
      await closeService(service);
      await report();
      log.flush();
      cluster.worker?.disconnect();
    },
  };
}
