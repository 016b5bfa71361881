import assert from "node:assert/strict";
import { test } from "node:test";
import { startLoad, startNode } from "./failover-load.ts";
import type { Machine } from "./machine.ts";
import { missingPackages, startCluster } from "./patroni.ts";
import { eventually } from "./postgres-store.ts";

const KILLS = Number(process.env["TEST_FAILOVERS"] ?? 0);
const isSkipped = KILLS === 0 ? "it is slow: TEST_FAILOVERS=20" : missingPackages();

/** Every so many kills the node that signs is killed in the same moment. */
const SIGNER_EVERY = 4;
const WRITERS = 8;

const IS_PROMOTED = "SELECT 1 WHERE NOT pg_is_in_recovery()";
/** Before that a write of the new primary waits, because one machine alone would lose it. */
const IS_SYNCHRONOUS = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";

/** Resolves to the moment in which a machine is seen to be of this state. */
async function seen(machines: readonly Machine[], state: string): Promise<number> {
  const isSeen = async ({ ask }: Machine) => (await ask(state).catch(() => [])).length > 0;
  await eventually(async () => (await Promise.all(machines.map(isSeen))).includes(true));
  return performance.now();
}

/** Seconds from a kill on. */
interface Round {
  readonly promotion_s: number;
  readonly standby_s: number;
  readonly pause_s: number;
  readonly withSigner: boolean;
}

test("three machines with Patroni lose no acknowledged write when their primary is killed", {
  skip: isSkipped,
}, async (t) => {
  const cluster = await startCluster(t);
  const signer = await startNode(t, cluster.url);
  const nodes = [signer, await startNode(t, cluster.url)];
  const load = await startLoad(t, nodes, WRITERS);
  const rounds: Round[] = [];
  for (let kill = 1; kill <= KILLS; kill++) {
    await cluster.whole();
    const from = load.lastAnswer_ms();
    await eventually(() => load.lastAnswer_ms() > from + 1_000);
    const primary = await cluster.primary();
    const withSigner = kill % SIGNER_EVERY === 0;
    const killed_ms = performance.now();
    const back = withSigner ? signer.restart() : Promise.resolve();
    await primary.kill();
    const others = cluster.machines.filter((each) => each !== primary);
    const promoted_ms = await seen(others, IS_PROMOTED);
    const synchronous_ms = await seen(others, IS_SYNCHRONOUS);
    await eventually(() => load.lastAnswer_ms() > synchronous_ms);
    await back;
    rounds.push({
      promotion_s: (promoted_ms - killed_ms) / 1_000,
      standby_s: (synchronous_ms - killed_ms) / 1_000,
      pause_s: load.pause_ms(killed_ms) / 1_000,
      withSigner,
    });
    t.diagnostic(`kill ${kill}: ${JSON.stringify(rounds.at(-1))}`);
    primary.start();
  }
  await cluster.whole();
  await load.stop();
  const { lost, forks, entries } = await load.verdict();
  const pauses = rounds.map(({ pause_s }) => pause_s).toSorted((a, b) => a - b);
  t.diagnostic(
    `${KILLS} kills: ${load.acknowledged.size} acknowledged of ${entries} entries, ${lost} lost, ${forks} forks; ` +
      `${JSON.stringify(load.others)}; seconds without writes ${pauses.at(0)} to ${pauses.at(-1)}`,
  );
  assert.deepEqual({ lost, forks }, { lost: 0, forks: 0 });
});
