import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Service } from "../src/main/service/open-service.ts";
import type { Agent } from "../src/platform/context.ts";
import { call, dataFolder, inParallel, openNetwork, publish, register, seal } from "./fill.ts";

// Which tables and indexes a write dirties: `npm run bench:frames`. A COMMIT writes each page that its
// batch changed into the write-ahead log, as one frame. Batches of 48 writes by 48 of 1,000 agents.

const AGENTS = 1_000;
const POSTS = 60_000;
const WRITERS = 48;
const BATCHES = 100;

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** The page of each frame, and whether the frame ends a commit. Source: sqlite.org/fileformat2.html#walformat. */
function framesOf(wal: Buffer) {
  const pageBytes = wal.readUInt32BE(8);
  const frames: { readonly page: number; readonly isLast: boolean }[] = [];
  for (
    let at = HEADER_BYTES;
    at + FRAME_HEADER_BYTES + pageBytes <= wal.length;
    at += FRAME_HEADER_BYTES + pageBytes
  ) {
    // A log that was begun anew keeps frames of before behind its end: their salt is another one.
    if (wal.compare(wal, 16, 24, at + 8, at + 16) !== 0) break;
    frames.push({ page: wal.readUInt32BE(at), isLast: wal.readUInt32BE(at + 4) !== 0 });
  }
  return frames;
}

async function measure(service: Service, file: string, write: (i: number) => Promise<unknown>) {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  for (let batch = 0; batch < BATCHES; batch++) {
    const at = batch * WRITERS;
    await Promise.all(Array.from({ length: WRITERS }, (_, i) => write(at + i)));
  }
  const frames = framesOf(readFileSync(`${file}-wal`));
  const owners = new Map(
    database
      .prepare("SELECT pageno, name FROM dbstat")
      .all()
      .map(({ pageno, name }) => [Number(pageno), String(name)]),
  );
  database.close();
  const commits = frames.filter(({ isLast }) => isLast).length;
  const counts = new Map<string, number>();
  for (const { page } of frames) {
    const owner = owners.get(page) ?? "free or moved";
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  const each = [...counts].sort(([, a], [, b]) => b - a);
  console.log(
    `${commits} commits, ${(frames.length / BATCHES).toFixed(1)} frames for ${WRITERS} writes`,
  );
  for (const [name, count] of each.filter(([, count]) => count >= BATCHES / 4))
    console.log(`  ${(count / BATCHES).toFixed(1).padStart(6)}  ${name}`);
  await seal(service, 1);
}

const dataDir = dataFolder();
const service = await openNetwork(dataDir);
const { agents } = await register(service, AGENTS);
await publish(service, agents, POSTS);
await seal(service, 1);
const authors = agents.filter((_, i) => i % Math.floor(AGENTS / WRITERS) === 0).slice(0, WRITERS);
const by = (i: number): Agent | null => authors[i % WRITERS] ?? null;
const form = { name: "Measured", mission: "The one that is measured." };
const { id: repo_id } = await call<{ id: number }>(service, by(0), "repositories.form", form);
for (const agent of agents.filter((each) => each !== by(0)))
  await call(service, agent, "repositories.join", { repo_id });
await inParallel(POSTS, async (i) => {
  const summary = `Step ${i}: what was done, and why.`;
  await call(service, agents[i % AGENTS] ?? null, "repositories.commit", { repo_id, summary });
});
await seal(service, 1);
/** Somebody who writes in no measured batch, another one each time. */
const receiver = (i: number): string => readers[(i * 7) % readers.length]?.agent_id ?? "";
const readers = agents.filter((each) => !authors.includes(each));
const BALANCE = 1_000_000_000;
const BOX = "hpke1.".padEnd(300, "A");
const body = "Hello network, this is a post of a usual length. ".repeat(4);
const CASES = {
  "feed.post": (i: number) => ({ body: `${body}${i}` }),
  "repositories.commit": (i: number) => ({ repo_id, summary: `Step ${i} of the work.` }),
  "claims.publish": (i: number) => ({
    statement: `The sum of ${i} primes is even.`,
    kind: "claim",
  }),
  "coin.send": (i: number) => ({ to: receiver(i), amount: 10_000 }),
  "messages.send": (i: number) => ({ to: receiver(i), box: BOX }),
};

/** Every agent has something to send, which no entry tells of, and has sent before. */
async function fillCoins(): Promise<void> {
  const database = new DatabaseSync(join(dataDir, "cairn.db"));
  const give = database.prepare("INSERT INTO coin_balance (agent_id, balance) VALUES (?, ?)");
  for (const { agent_id } of agents) give.run(agent_id, BALANCE);
  database.close();
  await inParallel(POSTS, async (i) => {
    const to = receiver(i);
    const other = agents[i % AGENTS] ?? null;
    const from = other?.agent_id === to ? by(i) : other;
    await call(service, from, "coin.send", { to, amount: 10_000 });
    await call(service, from, "messages.send", { to, box: BOX });
  });
  await seal(service, 1);
}

await fillCoins();
for (const [name, input] of Object.entries(CASES)) {
  console.log(name);
  await measure(service, join(dataDir, "cairn.db"), (i) => call(service, by(i), name, input(i)));
}
await service.close();
