import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { checkEntries, readLedger } from "./invariants.ts";
import { eventually, times } from "./postgres-store.ts";
import { type RunningService, startService } from "./process.ts";
import { clientOf } from "./service.ts";

const PAUSE_MS = 25;

/** A node that is started again, as systemd does it, until it finds a database. */
export interface Node {
  readonly url: string;
  restart(): Promise<void>;
}

/** The data folder of a node, which is its user's own. */
export function nodeFolder(t: TestContext): string {
  const dataDir = mkdtempSync(join(tmpdir(), "cairn-node-"));
  t.after(() => rmSync(dataDir, { recursive: true }));
  return dataDir;
}

export async function startNode(t: TestContext, databaseUrl: string): Promise<Node> {
  const variables = {
    CAIRN_DATABASE_URL: databaseUrl,
    CAIRN_DATA_DIR: nodeFolder(t),
    CAIRN_ORIGIN: "failover.test",
    CAIRN_SEAL_INTERVAL_S: "1",
    CAIRN_LOG_LEVEL: "error",
  };
  let service: RunningService = await startService(variables);
  t.after(() => service.stop("SIGKILL"));
  return {
    get url() {
      return service.url;
    },
    async restart() {
      await service.stop("SIGKILL");
      await eventually(async () => {
        const started = await startService(variables).catch(() => null);
        service = started ?? service;
        return started !== null;
      });
    },
  };
}

/** What a reader was told of an entry or a seal, by its number. */
type Told = Map<number, string>;

/** Agents that write through all nodes and readers that follow them, through any failure. */
export interface Load {
  /** Ids of posts that were answered with 201, and when the last of them came. */
  readonly acknowledged: ReadonlySet<number>;
  lastAnswer_ms(): number;
  /** How many were refused, and how many may have happened. */
  readonly others: { refused: number; perhaps: number; unanswered: number };
  /** The longest time between two answers since `from_ms`. */
  pause_ms(from_ms: number): number;
  /** Ends it. */
  stop(): Promise<void>;
  /** Posts that were acknowledged and are not in the ledger, and what readers were told that is not so. */
  verdict(): Promise<{ readonly lost: number; readonly forks: number; readonly entries: number }>;
}

interface Entry {
  readonly id: number;
  readonly leaf: string;
}

interface Seal {
  readonly seq: number;
  readonly seal_hash: string;
}

const note = (reported: Told, number: number, hash: string): number => {
  const before = reported.get(number) ?? hash;
  reported.set(number, hash);
  return before === hash ? 0 : 1;
};

export async function startLoad(
  t: TestContext,
  nodes: readonly Pick<Node, "url">[],
  writers: number,
): Promise<Load> {
  const acknowledged = new Set<number>();
  const answered_ms: number[] = [];
  const others = { refused: 0, perhaps: 0, unanswered: 0 };
  const entries: Told = new Map();
  const seals: Told = new Map();
  let forks = 0;
  let isOver = false;
  t.after(() => {
    isOver = true;
  });
  const of = (n: number) => clientOf(nodes[n % nodes.length]?.url ?? "");
  const { token } = (await of(0).post("/register")).body;

  async function write(n: number): Promise<void> {
    while (!isOver) {
      const answer = await of(n)
        .post("/post", { body: `from writer ${n}` }, { token })
        .catch(() => null);
      if (answer === null) others.unanswered++;
      else if (answer.status === 201) {
        acknowledged.add(answer.body.id);
        answered_ms.push(performance.now());
      } else {
        assert.equal(answer.status, 503, JSON.stringify(answer.body));
        if (/may have happened/.test(answer.body.message)) others.perhaps++;
        else others.refused++;
      }
      await setTimeout(PAUSE_MS);
    }
  }

  /** A failover that loses nothing changes nothing that anybody was told. */
  async function follow(n: number): Promise<void> {
    for (let after_id = 0; !isOver; await setTimeout(PAUSE_MS)) {
      const page = await of(n)
        .get(`/since?after_id=${after_id}&limit=500&with=entry`)
        .catch(() => null);
      if (page?.status === 200) {
        for (const { id, leaf } of page.body.entries as Entry[]) forks += note(entries, id, leaf);
        after_id = page.body.after_id;
      }
      const newest = await of(n)
        .get("/seal?limit=20")
        .catch(() => null);
      if (newest?.status !== 200) continue;
      for (const { seq, seal_hash } of newest.body.seals as Seal[])
        forks += note(seals, seq, seal_hash);
    }
  }

  const running = [...times(writers, write), ...nodes.map((_, n) => follow(n))];
  const failed = Promise.all(running);
  failed.catch(() => {}); // Awaited by `stop`.
  return {
    acknowledged,
    others,
    lastAnswer_ms: () => answered_ms.at(-1) ?? 0,
    pause_ms(from_ms) {
      const since = [from_ms, ...answered_ms.filter((at) => at > from_ms)];
      return Math.max(...since.slice(1).map((at, i) => at - (since[i] ?? at)));
    },
    async stop() {
      isOver = true;
      await failed;
    },
    async verdict() {
      const { get } = of(0);
      const total = async () => (await get("/seal?limit=1")).body;
      await eventually(async () => (await total()).unsealed?.entries === 0);
      const { chain_intact, head } = await total();
      assert.equal(chain_intact, true);
      const items = await readLedger({ get });
      checkEntries(items);
      const stored = new Set(items.filter(({ kind }) => kind === "post").map(({ ref }) => ref));
      for (const { id, leaf } of items) forks += note(entries, id, leaf);
      for (let after = 0; after < head.seq; after += 100) {
        const { body } = await get(`/seal?after_seq=${after}&limit=100`);
        for (const { seq, seal_hash } of body.seals as Seal[]) forks += note(seals, seq, seal_hash);
      }
      const lost = [...acknowledged].filter((id) => !stored.has(String(id)));
      return { lost: lost.length, forks, entries: items.length };
    },
  };
}
