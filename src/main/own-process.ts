import type { Observer } from "../surfaces/answer.ts";
import type { Figures } from "../surfaces/figures.ts";
import type { HttpServer } from "../surfaces/server.ts";
import type { Job } from "./jobs.ts";
import type { Log } from "./log.ts";
import type { World } from "./world.ts";

const PRESENCE_EVERY_MS = 5_000;
const POOL_EVERY_MS = 1_000;
const CHAIN_EVERY_MS = 60_000;

/** A service that answers. */
export interface Served {
  /** The address that clients use. */
  readonly baseUrl: string;
  /** Drains what runs, ends the jobs, lets go of the storage. Takes at most about 10 s. */
  stop(): Promise<void>;
}

/** What each process that answers does for itself: it keeps and remembers things of its own. */
export const ownJobs = ({ context, books, presence, occurrences, chain }: World): Job[] => [
  { name: "presence", every_ms: PRESENCE_EVERY_MS, run: () => presence.flush(context) },
  { name: "occurrences", every_ms: PRESENCE_EVERY_MS, run: () => occurrences.flush(context) },
  { name: "coin_pool", every_ms: POOL_EVERY_MS, run: () => books.look(context.read) },
  ...nodeJobs(chain),
];

/** Looks whether the nodes are on the right network and not behind. */
const nodeJobs = ({ chain }: World["chain"]): readonly Job[] =>
  chain === null ? [] : [{ name: "chain", every_ms: CHAIN_EVERY_MS, run: () => chain.check() }];

/** Sees all answers of this process. */
export const observerOf = (
  log: Log,
  figures: Pick<Figures, "count">,
  asked: () => void = () => {},
): Observer => ({
  now_ms: () => performance.now(),
  failed: log.failed,
  answered(answer) {
    asked();
    figures.count(answer);
    log.answered(answer);
  },
});

/** Rejects with a sentence when the address cannot be had. */
export async function listening(server: HttpServer, port: number, host: string): Promise<void> {
  await server.listen(port, host).catch((error: Error) => {
    throw new Error(`Cannot listen on ${host} port ${port}: ${error.message}`);
  });
}

/** Minutes of presence and seconds of counts are not worth a wait. */
export async function closeWorld({ context, presence, occurrences, close }: World): Promise<void> {
  await presence.flush(context).catch(() => {});
  await occurrences.flush(context).catch(() => {});
  await close();
}
