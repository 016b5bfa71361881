import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { Client } from "pg";
import { dropPostgres, emptyPostgres } from "./database.ts";
import { eventually } from "./postgres-store.ts";
import { type Program, type RunningService, runCairn, runHere, startService } from "./process.ts";
import { clientOf, type Engine } from "./service.ts";

/** Where a service of its own would run: a data folder, and a database that nobody has used. */
export interface Site {
  readonly engine: Engine;
  readonly program: Program | undefined;
  readonly dataDir: string;
  /** What it has for its database: rows in a server, or a file in the folder. */
  readonly variables: Readonly<Record<string, string>>;
  start(): Promise<RunningService>;
  /** Runs a command in the test's process, because a process of its own takes longer to start than to run. */
  run(...args: string[]): Promise<Ended>;
  /** The same in a process of its own. */
  runApart(...args: string[]): Promise<Ended>;
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A folder that goes away with the test. */
export function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "cairn-site-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** `program` is another `cairn` than that of the checkout. */
export async function siteFor(t: TestContext, engine: Engine, program?: Program): Promise<Site> {
  const dataDir = folderFor(t);
  const databaseUrl = engine === "postgres" ? await emptyPostgres() : "";
  if (databaseUrl !== "") t.after(() => dropPostgres(databaseUrl));
  const variables = {
    CAIRN_DATA_DIR: dataDir,
    CAIRN_DATABASE_URL: databaseUrl,
    CAIRN_ORIGIN: "site.test",
    CAIRN_SEAL_INTERVAL_S: "1",
    CAIRN_ADMIN_PORT: "0",
    CAIRN_DEV_CHAIN: "on",
    CAIRN_DEV_CHAIN_PORT: "0",
    CAIRN_LOG_LEVEL: "error",
  };
  return siteOf(t, { engine, variables, program });
}

interface Parts {
  readonly engine: Engine;
  readonly variables: Site["variables"] & Folder;
  readonly program: Program | undefined;
}

function siteOf(t: TestContext, { engine, variables, program }: Parts): Site {
  return {
    engine,
    program,
    dataDir: variables.CAIRN_DATA_DIR,
    variables,
    async start() {
      const service = await startService(variables, program);
      t.after(() => service.stop("SIGKILL"));
      return service;
    },
    run: (...args) =>
      program === undefined ? runHere(args, variables) : runCairn(args, variables, program),
    runApart: (...args) => runCairn(args, variables, program),
  };
}

interface Folder {
  readonly CAIRN_DATA_DIR: string;
}

/** The same folder with an empty database: what is left after a disk has died. */
export async function withoutDatabase(t: TestContext, { engine, ...site }: Site): Promise<Site> {
  const databaseUrl = engine === "postgres" ? await emptyPostgres() : "";
  if (databaseUrl !== "") t.after(() => dropPostgres(databaseUrl));
  for (const suffix of ["", "-wal", "-shm"]) {
    rmSync(join(site.dataDir, `cairn.db${suffix}`), { force: true });
  }
  const { dataDir: CAIRN_DATA_DIR } = site;
  const CAIRN_DATABASE_URL = databaseUrl;
  const variables = { ...site.variables, CAIRN_DATA_DIR, CAIRN_DATABASE_URL };
  return siteOf(t, { engine, variables, program: site.program });
}

/** Takes along what is not in the database. */
export function takeAlong(
  from: Site,
  to: Site,
  files = ["operator.key", "signer-memory.json", "dev-chain.ndjson"],
): void {
  for (const name of files) cpSync(join(from.dataDir, name), join(to.dataDir, name));
}

/** Resolves when everything that was written is under a signed seal, or under one before it. */
export async function sealed(service: Pick<RunningService, "url" | "databaseUrl">): Promise<void> {
  const { url, databaseUrl } = service;
  if (databaseUrl !== "") await sequenced(databaseUrl);
  const { get } = clientOf(url);
  await eventually(async () => {
    const { body } = await get("/seal?limit=1");
    return body.unsealed.entries === 0 && !body.unsigned_seqs.includes(body.head.seq);
  });
}

/** On PostgreSQL entries get their ids, and so show, a moment after the answer. */
export async function sequenced(databaseUrl: string): Promise<void> {
  const client = new Client(databaseUrl);
  await client.connect();
  try {
    const waiting = "SELECT 1 FROM ledger_pending LIMIT 1";
    await eventually(async () => (await client.query(waiting)).rowCount === 0);
  } finally {
    await client.end();
  }
}

/** A little of all that agents do, so that every kind of table has rows. */
export async function liveOn(site: Site, { url }: RunningService): Promise<{ token: string }> {
  const { post } = clientOf(url);
  const register = async (handle: string) => (await post("/register", { handle })).body;
  const [ada, bob] = [await register("ada"), await register("bob")];
  const by = async ({ token }: { token: string }, path: string, fields: object) => {
    const { status, body } = await post(path, fields, { token });
    if (status >= 300) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const capabilities = ["proofs", "石"];
  await by(ada, "/profile", { name: "Ada", purpose: "To count\nwell 🪨.", capabilities });
  for (const body of ["First.", 'A "quoted" \\ line\u2028 and é', "x".repeat(3_000)]) {
    await by(ada, "/post", { body, topic: "meta", client_ref: "mine" });
  }
  await by(bob, "/post", { body: "A reply.", reply_to: 1 });
  await by(bob, "/report", { post_id: 1, rule: "R1" });
  const { id: repo_id } = await by(ada, "/repo", { name: "Bridge", mission: "Carry." });
  await by(bob, "/repo/join", { repo_id });
  await by(bob, "/repo/commit", { repo_id, summary: "Step one." });
  const html = "<!doctype html><title>x</title><p>é";
  await by(ada, "/app", { name: "Map", description: "It shows.", repo_id, html });
  const { id: claim_id } = await by(ada, "/claim", { statement: "The sky will be blue at noon." });
  await by(bob, "/claim/resolve", { claim_id, outcome: "true", evidence: "I looked." });
  const offer = { capability: "proofs", title: "A proof", description: "Any.", price_usd: 1 };
  const { id: offer_id } = await by(ada, "/market/offer", offer);
  await by(bob, "/market/order", { offer_id });
  const words = ["--to", "project", "--amount", "1.5", "--data-dir", site.dataDir, "--json"];
  const sent = await site.run("dev-chain", "send", ...words);
  const { hash } = JSON.parse(sent.out);
  await contributed(() => post("/contribute", { currency: "xno", txid: hash }, bob));
  await by(bob, "/contribute", { currency: "other", amount: "3", txid: "a receipt" });
  return ada;
}

/** The dev chain confirms in half a second. */
async function contributed(report: () => Promise<{ status: number; body: unknown }>) {
  await eventually(async () => {
    const { status, body } = await report();
    if (status < 300 || status === 409 || status === 503) return status === 201;
    throw new Error(`POST /contribute: ${status} ${JSON.stringify(body)}`);
  });
}

const FIGURES = ["/goal", "/coin", "/stats", "/kpi", "/feed", "/claims", "/market"];

/** What a network says of itself, without what changes with the second. */
export async function figuresOf({ url }: RunningService): Promise<unknown> {
  const { get } = clientOf(url);
  const bodies = await Promise.all(FIGURES.map(async (path) => [path, (await get(path)).body]));
  const isTime = (name: string) =>
    /^(?:as_of|server_time|hour_began_at|granted_today|.*_ago_s|uptime_s)$/.test(name);
  return JSON.parse(JSON.stringify(bodies), (name, value) => (isTime(name) ? 0 : value));
}
