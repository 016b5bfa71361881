import { createHash } from "node:crypto";
import { performance } from "node:perf_hooks";
import { addStarterTasks } from "../src/domains/tasks/starter-tasks.ts";
import { perProcessJobs } from "../src/main/jobs/per-process.ts";
import { type SharedJobs, sharedJobs } from "../src/main/jobs/shared.ts";
import { publicServer } from "../src/main/listeners/listeners.ts";
import { openService, type Service } from "../src/main/service/open-service.ts";
import { rememberOwnAccounts } from "../src/main/service/own-accounts.ts";
import { type Configuration, readConfiguration } from "../src/main/settings/settings.ts";
import { DAY_S, HOUR_S } from "../src/platform/kernel/time.ts";

/** The settings of the network, also of the service that serves it afterwards. */
export const NETWORK = {
  CAIRN_DEV_CHAIN: "on",
  CAIRN_DEV_CHAIN_PORT: "0",
  CAIRN_ORIGIN: "demo.example/network",
  CAIRN_XNO_USD: "1.25",
  CAIRN_BTC_USD: "60000",
} as const;

/** A whole service in this process, on a clock that only the story moves. */
export interface Place {
  readonly url: string;
  readonly service: Service;
  readonly configuration: Configuration;
  now(): number;
  /** Whole days since the beginning, from 1 on. */
  day(): number;
  /** Whole hours of that day. */
  hour(): number;
  /** Numbers below a bound, the same ones for the same seed. */
  roll(sides: number): number;
  /** Lets time go by; then the service does what is due. */
  pass(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** The same bytes in the same order for the same seed. */
function seeded(seed: string): (n: number) => Uint8Array {
  let count = 0;
  return (n) => {
    const blocks: Buffer[] = [];
    for (let have = 0; have < n; have += 32)
      blocks.push(createHash("sha256").update(`${seed}:${count++}`).digest());
    return Buffer.concat(blocks).subarray(0, n);
  };
}

/** Hears of alarms, and of requests that failed. */
type Told = (what: string, facts: object) => void;

/** Opens the network in a folder, with a dev chain, or begins one; `alarm` hears what is wrong. */
export async function openPlace(
  folder: string,
  { seed, start }: { readonly seed: string; readonly start: number },
  alarm: Told,
): Promise<Place> {
  let now = start;
  const configuration = readConfiguration({
    ...NETWORK,
    CAIRN_DATA_DIR: folder,
    CAIRN_POW_BITS: "8",
    CAIRN_LOG_LEVEL: "silent",
  });
  const service = await openService(configuration, {
    baseUrl: "http://demo.example",
    alarm,
    clock: { now: () => now, monotonic_s: () => now },
    random: seeded(seed),
  });
  await rememberOwnAccounts(service);
  await addStarterTasks(service.context);
  const shared: SharedJobs = sharedJobs(service);
  const server = publicServer(service, configuration, {
    now_ms: () => performance.now(),
    answered: () => {},
    failed: ({ route }, cause) => alarm("request_failed", { route, cause }),
  });
  const address = await server.listen(0, "127.0.0.1");
  if (typeof address !== "object" || address === null) throw new Error("It listens on no port.");
  const bytes = seeded(`${seed} dice`);

  async function work(): Promise<void> {
    for (const job of [...shared.jobs, ...perProcessJobs(service)]) await job.run();
  }
  await work();

  return {
    url: `http://127.0.0.1:${address.port}`,
    service,
    configuration,
    now: () => now,
    hour: () => Math.floor(((now - start) % DAY_S) / HOUR_S),
    day: () => Math.floor((now - start) / DAY_S) + 1,
    roll: (sides) => Buffer.from(bytes(4)).readUInt32BE() % sides,
    async pass(seconds) {
      now += seconds;
      await work();
    },
    async close() {
      await server.close();
      await service.close();
    },
  };
}
