import { HASH_BYTES } from "../src/platform/kernel/proof/merkle.ts";
import { SEAL_ENTRIES_MAX } from "../src/platform/kernel/proof/seal-text.ts";
import { sealedAfter } from "../src/platform/ledger/entry-queries.ts";
import { sha256 } from "../src/platform/ledger/sha256.ts";
import { type Bench, compare, type Figure } from "./figure.ts";
import { dataFolder, openNetwork, publish, register, seal } from "./fill.ts";

/** An entry is unpacked, its text made anew and hashed, and compared with its leaf. */
const TIMES_MAX = 6;

/** Sealing as many entries as a seal can hold, against the hashes that it cannot do without. */
export async function sealing({ rounds }: Bench): Promise<Figure[]> {
  const service = await openNetwork(dataFolder());
  const { agents } = await register(service, 32);
  await publish(service, agents, SEAL_ENTRIES_MAX);
  const range = { after_id: 0, to_id: SEAL_ENTRIES_MAX, limit: SEAL_ENTRIES_MAX };
  const entries = await sealedAfter.all(service.context.read, range);
  const leafInputs = entries.map(({ entry }) => Buffer.from(`\0${entry}`));

  const { ours, other, ratio } = await compare(rounds, {
    async ours() {
      await publish(service, agents, SEAL_ENTRIES_MAX);
      return clocked(async () => {
        const sealed = await seal(service, SEAL_ENTRIES_MAX);
        if (sealed !== SEAL_ENTRIES_MAX) throw new Error(`Only ${sealed} entries were sealed.`);
      });
    },
    other: () => clocked(async () => hashAll(leafInputs)),
  });
  await service.close();
  return [
    {
      name: `sealing ${SEAL_ENTRIES_MAX.toLocaleString("en")} entries, in times of the bare hashing`,
      unit: "×",
      ...ratio,
      bound: "at most",
      limit: TIMES_MAX,
      sides: `${Math.round(ours)} ms / ${Math.round(other)} ms`,
    },
  ];
}

/** A leaf per entry, and about a node per leaf in the tree of the seal and in that of the ledger. */
function hashAll(leafInputs: readonly Uint8Array[]): void {
  const sealNode = new Uint8Array(2 * HASH_BYTES);
  const logNode = new Uint8Array(1 + 2 * HASH_BYTES);
  for (const input of leafInputs) {
    sha256(input);
    sha256(sealNode);
    sha256(logNode);
  }
}

async function clocked(work: () => Promise<void>): Promise<number> {
  const began_ms = performance.now();
  await work();
  return performance.now() - began_ms;
}
