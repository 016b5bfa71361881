import { createHash } from "node:crypto";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { type SharedJobs, sharedJobs } from "../src/main/jobs/shared.ts";
import { publicServer } from "../src/main/listeners/listeners.ts";
import { type Environment, openService, type Service } from "../src/main/service/open-service.ts";
import { type Configuration, readConfiguration } from "../src/main/settings/settings.ts";
import { MINUTE_S } from "../src/platform/kernel/time.ts";
import type { Observer } from "../src/surfaces/wire/answer.ts";
import { dropPostgres, freshPostgres, freshSqlite } from "./database.ts";
import { checkInvariants } from "./invariants.ts";
import { WATCHDOG_MS } from "./postgres-store.ts";

const ALL_ENGINES = ["sqlite", "postgres"] as const;
export type Engine = (typeof ALL_ENGINES)[number];

/** The engines that tests run on: all, unless `TEST_ENGINES` names one. */
export const ENGINES: readonly Engine[] = ALL_ENGINES.filter(
  (engine) => (process.env["TEST_ENGINES"] ?? engine) === engine,
);

/** When the tests' clock begins: 2027-01-15 08:00:00 UTC. */
export const START = 1_800_000_000;

/** An answer as a client sees it. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // Tests read fields of answers freely; the wire's shapes are checked by the contract tests.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
}

/** What a request may carry beside its path. */
export interface Sent {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One service on a fresh database, reached through its socket, with a clock that tests move. */
export interface TestService {
  readonly engine: Engine;
  /** Whose folder and database a command of its own may use. */
  readonly configuration: Configuration;
  readonly url: string;
  readonly service: Service;
  readonly shared: SharedJobs;
  get(path: string, sent?: Sent): Promise<Reply>;
  post(path: string, body?: unknown, sent?: Sent): Promise<Reply>;
  /** A new agent. */
  register(handle?: string): Promise<TestAgent>;
  pass(seconds: number): void;
  /** Sets the clock, forward or back, without any time passing. */
  jump(seconds: number): void;
  /** Every committed entry has its id when this resolves. */
  sequenced(): Promise<void>;
  /** Seals, signs and checks everything that was written so far. */
  seal(): Promise<void>;
  /** Alarms so far, oldest first. */
  readonly alarms: string[];
}

export interface TestAgent {
  readonly agent_id: string;
  readonly token: string;
  readonly handle: string | null;
  get(path: string): Promise<Reply>;
  post(path: string, body?: unknown): Promise<Reply>;
}

/** The same bytes in the same order for the same seed. */
export function seededRandom(seed: string): (n: number) => Uint8Array {
  let count = 0;
  return (n) => {
    const blocks: Buffer[] = [];
    for (let have = 0; have < n; have += 32) {
      blocks.push(createHash("sha256").update(`${seed}:${count++}`).digest());
    }
    return Buffer.concat(blocks).subarray(0, n);
  };
}

/** Runs a test on a fresh service of each engine, and the invariants after it. */
export function eachEngine(name: string, run: (service: TestService) => Promise<void>): void {
  for (const engine of ENGINES) {
    test(`${name} [${engine}]`, async () => {
      const service = await openTestService(engine, name);
      try {
        await run(service);
        await checkInvariants(service);
      } finally {
        await service.close();
      }
    });
  }
}

/** The clock of programs that have no other one. */
export const OF_THIS_MACHINE: NonNullable<Environment["clock"]> = {
  now: () => Math.floor(Date.now() / 1_000),
  monotonic_s: () => performance.now() / 1_000,
};

/** A service of its own; its opener closes it. */
export async function openTestService(
  engine: Engine,
  seed: string,
  variables: Readonly<Record<string, string>> = {},
  around: Partial<Pick<Environment, "clock" | "spaceAt">> = {},
): Promise<TestService & { close(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), "cairn-service-"));
  const databaseUrl = engine === "postgres" ? await freshPostgres() : "";
  if (engine === "sqlite") renameSync(freshSqlite(), join(dataDir, "cairn.db"));
  const configuration = readConfiguration({
    CAIRN_DATA_DIR: dataDir,
    CAIRN_DATABASE_URL: databaseUrl,
    CAIRN_ORIGIN: "test.example/network",
    CAIRN_LOG_LEVEL: "silent",
    ...variables,
  });
  let now = START;
  let jumped_s = 0;
  const alarms: string[] = [];
  const service = await openService(configuration, {
    baseUrl: "http://127.0.0.1:8080",
    alarm: (what) => void alarms.push(what),
    clock: { now: () => now + jumped_s, monotonic_s: () => now },
    random: seededRandom(seed),
    patience_ms: WATCHDOG_MS, // A crowd of writers is no fault, however busy the machine is.
    ...around,
  });
  const { shared, server, url } = await serve(service, configuration, alarms).catch(
    async (error) => {
      await service.close(); // An open database would keep the whole test file from ending.
      throw error;
    },
  );
  const client = clientOf(url);

  async function sequenced(): Promise<void> {
    while ((await service.store.sequence()) > 0);
  }

  return {
    engine,
    configuration,
    url,
    service,
    shared,
    ...client,
    alarms,
    sequenced,
    async register(handle) {
      const { body } = await client.post("/register", handle === undefined ? {} : { handle });
      const sent = { token: body.token };
      return {
        agent_id: body.agent_id,
        token: body.token,
        handle: body.handle,
        get: (path) => client.get(path, sent),
        post: (path, fields) => client.post(path, fields, sent),
      };
    },
    pass: (seconds) => {
      now += seconds;
    },
    jump: (seconds) => {
      jumped_s += seconds;
    },
    async seal() {
      await sequenced();
      now += MINUTE_S;
      await shared.seal();
    },
    async close() {
      await server.close();
      await service.close();
      if (engine === "postgres") dropPostgres(databaseUrl);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function serve(service: Service, configuration: Configuration, alarms: string[]) {
  const shared = sharedJobs(service);
  const server = publicServer(service, configuration, watching(alarms));
  return { shared, server, url: await server.listen(0, "127.0.0.1").then(urlOf) };
}

/** What a test may see of the answers: only that none was a fault of the service. */
const watching = (alarms: string[]): Observer => ({
  now_ms: () => performance.now(),
  answered: () => {},
  failed: ({ route }, cause) => void alarms.push(`${route}: ${inspect(cause)}`),
});

/** Where a server of this machine listens. */
export function urlOf(address: AddressInfo | string | null): string {
  if (typeof address !== "object" || address === null) throw new Error("It listens on no port.");
  return `http://127.0.0.1:${address.port}`;
}

const KEPT_ALIVE = new Agent({ keepAlive: true });

/** Requests to a service; paths are below `/api/v1`. `node:http` takes half the time of `fetch`. */
export function clientOf(url: string): Pick<TestService, "get" | "post"> {
  async function call(method: string, path: string, body: unknown, sent: Sent): Promise<Reply> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...sent.headers,
      ...(sent.token !== undefined && { authorization: `Bearer ${sent.token}` }),
      ...(text !== undefined && { "content-type": "application/json" }),
    };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request(`${url}/api/v1${path}`, { method, headers, agent: KEPT_ALIVE }, resolve)
      .once("error", reject)
      .end(text);
    return replyOf(await promise);
  }
  return {
    get: (path, sent = {}) => call("GET", path, undefined, sent),
    post: (path, body, sent = {}) => call("POST", path, body, sent),
  };
}

async function replyOf(answer: IncomingMessage): Promise<Reply> {
  let text = "";
  for await (const part of answer.setEncoding("utf8")) text += part;
  const fields = Object.entries(answer.headersDistinct);
  return {
    status: answer.statusCode ?? 0,
    get headers() {
      return new Headers(
        fields.flatMap(([name, values = []]) =>
          values.map((value) => [name, value] as [string, string]),
        ),
      );
    },
    body: text && JSON.parse(text),
  };
}
