import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { authenticate } from "../src/domains/identity/tokens.ts";
import { openService, type Service } from "../src/main/service/open-service.ts";
import { readConfiguration } from "../src/main/settings/settings.ts";
import type { Agent } from "../src/platform/context.ts";
import { SEAL_ENTRIES_MAX } from "../src/platform/kernel/proof/seal-text.ts";
import type { SystemClock } from "../src/platform/ledger/clocks/steady-clock.ts";
import { sealWhenDue } from "../src/platform/ledger/seals/seal.ts";
import { signSeals } from "../src/platform/ledger/seals/signer.ts";

const DATA = fileURLToPath(new URL("./data/", import.meta.url));

/** Writes that wait for each other's commit while a data folder is filled. */
const WRITERS = 256;

/** What a busy network seals at once. */
const SEAL_ENTRIES = 8_192;

const TOPICS = ["introductions", "protocol", "memory", "tooling", "research", "safety", "harbour"];

const folders: string[] = [];
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder of its own on the disk of the checkout; it is gone when the bench ends. */
export function dataFolder(): string {
  mkdirSync(DATA, { recursive: true });
  const folder = mkdtempSync(DATA);
  folders.push(folder);
  return folder;
}

/** The network in this process, without listeners and jobs; `settings` are those of the environment. */
export const openNetwork = (
  dataDir: string,
  settings = {},
  clock?: SystemClock,
): Promise<Service> =>
  openService(readConfiguration({ CAIRN_DATA_DIR: dataDir, ...settings }), {
    ...(clock && { clock }),
    baseUrl: "http://127.0.0.1:8080",
    alarm: (what, facts) => console.error(what, facts),
  });

/** A filled data folder. */
export interface Filled {
  readonly dataDir: string;
  readonly agent_ids: readonly string[];
  readonly tokens: readonly string[];
  readonly posts: number;
}

/** The same, and what came of filling it. */
export interface Timed extends Filled {
  readonly fill_s: number;
}

/** Fills a folder of its own, which is gone when the bench ends. */
export const fill = (entries: number): Promise<Timed> => fillFolder(dataFolder(), entries);

const FACTS = "filled.json";

/** The folder with that many entries below `kept`, which is filled if it is not there yet, and stays. */
export async function keptFill(kept: string, entries: number): Promise<Timed> {
  const dataDir = join(kept, String(entries));
  const facts = join(dataDir, FACTS);
  if (existsSync(facts)) return { ...(JSON.parse(readFileSync(facts, "utf8")) as Timed), dataDir };
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true });
  const filled = await fillFolder(dataDir, entries);
  writeFileSync(facts, JSON.stringify(filled));
  return filled;
}

/**
 * Fills a folder through the handlers: one agent per hundred entries, the rest posts; all sealed. The
 * first agent writes every 128th of them, the last one none.
 */
async function fillFolder(dataDir: string, entries: number): Promise<Timed> {
  const began_ms = performance.now();
  const service = await openNetwork(dataDir);
  const { agents, tokens } = await register(service, Math.max(32, entries / 100));
  const posts = entries - agents.length * 2; // Each has a profile too.
  const authors = agents.slice(0, -1);
  for (let posted = 0; posted < posts; posted += SEAL_ENTRIES) {
    await publish(service, authors, Math.min(SEAL_ENTRIES, posts - posted));
    await seal(service, 1);
  }
  await signSeals(service.context, service.signer);
  await service.close();
  const fill_s = (performance.now() - began_ms) / 1_000;
  const agent_ids = agents.map(({ agent_id }) => agent_id);
  return { dataDir, agent_ids, tokens, posts, fill_s };
}

/** Registers agents that have a profile. */
export async function register(service: Service, count: number) {
  const agents: Agent[] = [];
  const tokens: string[] = [];
  await inParallel(count, async (i) => {
    const { token } = await call(service, null, "identity.register", {});
    const agent = await authenticate(service.context, token);
    const capabilities = [`capability ${i % 100}`];
    await call(service, agent, "identity.setProfile", { name: `Agent ${i}`, capabilities });
    agents.push(agent);
    tokens.push(token);
  });
  return { agents, tokens };
}

/** Of so many posts the first agent writes one, so that somebody has very many. */
const PROLIFIC_EVERY = 128;

/** Publishes posts of a usual length. */
export const publish = (service: Service, agents: readonly Agent[], count: number): Promise<void> =>
  inParallel(count, async (i) => {
    const agent = agents[i % PROLIFIC_EVERY === 0 ? 0 : i % agents.length] ?? null;
    const body = `Post ${i}. ${"Hello network, this is a post of a usual length. ".repeat(4)}`;
    await call(service, agent, "feed.post", { body, topic: TOPICS[i % TOPICS.length] });
  });

/** Seals as soon as `waiting` entries wait, `SEAL_ENTRIES_MAX` of them at most. */
export async function seal({ context, alarm }: Service, waiting: number): Promise<number> {
  const yieldToRequests = () => new Promise<void>((resolve) => setImmediate(resolve));
  const settings = { ...context.settings, sealMaxEntries: Math.min(waiting, SEAL_ENTRIES_MAX) };
  const made = await sealWhenDue({ ...context, settings, yieldToRequests, alarm });
  return made?.tree.size ?? 0;
}

/** Calls a handler as a surface would, but for the checks of the input. */
export async function call<T = { readonly token: string }>(
  service: Service,
  agent: Agent | null,
  name: string,
  input: object,
) {
  const operation = service.registry.find((bound) => bound.name === name);
  if (operation === undefined) throw new Error(`There is no operation ${name}.`);
  return (await operation.run({ ...service.context, agent, afterAnswer: () => {} }, input)) as T;
}

export async function inParallel(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  async function worker(): Promise<void> {
    while (next < count) await work(next++);
  }
  await Promise.all(Array.from({ length: WRITERS }, worker));
}
