import assert from "node:assert/strict";
import { sign } from "node:crypto";
import { test } from "node:test";
import { keepLog } from "../src/domains/tlog/upkeep.ts";
import { addCheckpointBody, checkpointText } from "../src/platform/kernel/tlog/checkpoint.ts";
import { logLine, noteOf } from "../src/platform/kernel/tlog/note.ts";
import { isQuorum, parsePolicy } from "../src/platform/kernel/tlog/policy.ts";
import { consistencyRanges } from "../src/platform/kernel/tlog/tree.ts";
import { sha256 } from "../src/platform/ledger/sha256.ts";
import { operate } from "./operator.ts";
import { openTestService, seededRandom } from "./service.ts";
import { type TestWitness, witnessOf } from "./witness-server.ts";
import { logKey, signer, treeOf } from "./witness-tree.ts";
import { largeEntry, VECTORS } from "./witness-vectors.ts";

type Tree = ReturnType<typeof treeOf>;

const privateKey = signer(VECTORS.log.seed);

/** What the holder of the log's key sends to a witness that has seen `old_size` entries of this history. */
function request(tree: Tree, old_size: number, size: number): string {
  const root = tree.rootOf({ from: 0, to: size });
  const text = checkpointText({ origin: VECTORS.log.origin, size, root });
  const note = noteOf(text, [logLine(logKey, sign(null, Buffer.from(text), privateKey))]);
  const proof = consistencyRanges(old_size, size).map(tree.rootOf);
  return addCheckpointBody({ old_size, proof, note });
}

/** Does all that a cheat can to have a history cosigned: it sends each size, from what the witness says. */
function isCosigned(witness: TestWitness, tree: Tree, size: number): boolean {
  const first = witness.add(request(tree, 0, size));
  if (first.status === 200) return true;
  if (first.status !== 409) return false;
  const seen = Number(first.body);
  return seen <= size && witness.add(request(tree, seen, size)).status === 200;
}

/** A thousand of each in the long run. */
const FORKS = Number(process.env["TEST_ROUNDS"] ?? 60);
const DEATHS = Number(process.env["TEST_KILLS"] ?? 60);

test(`of ${FORKS} forks none gets a quorum for both of its histories`, () => {
  const random = seededRandom("forks");
  const draw = (below: number) => (Buffer.from(random(4)).readUInt32BE() % below) + 1;
  const logs = [VECTORS.log.vkey];
  let quorums = 0;
  for (let n = 0; n < FORKS; n++) {
    const size = draw(60) + 2;
    const fork = draw(size - 1);
    const common = Array.from({ length: size + 20 }, (_, i) => largeEntry(i));
    const other = common.map((entry, i) => (i >= fork ? largeEntry(i + 1_000_000) : entry));
    const trees = [treeOf(common), treeOf(other)] as const;
    const three = ["w1", "w2", "w3"].map((name) => witnessOf(`${name}.example`, logs, () => 1));
    const policy = parsePolicy(
      `${three.map(({ vkey }, i) => `witness w${i + 1} ${vkey}`).join("\n")}\ngroup g 2 w1 w2 w3\nquorum g\n`,
      sha256,
    );
    const seen = [new Set<string>(), new Set<string>()] as const;
    for (let turn = 0; turn < 12; turn++) {
      const side = turn < 6 ? draw(2) - 1 : turn % 2;
      const at = draw(3) - 1;
      const [witness, tree, names] = [three[at], trees[side], seen[side]];
      // Beyond the fork: what both share may be cosigned for both.
      const to = fork + draw(size + 20 - fork);
      if (witness && tree && isCosigned(witness, tree, to)) names?.add(`w${at + 1}`);
    }
    const both = seen.map((names) => isQuorum(policy, names));
    if (both.some(Boolean)) quorums++;
    assert.notDeepEqual(both, [true, true], `fork ${n}`);
  }
  assert(quorums > FORKS / 4, `${quorums} had one quorum`);
});

test(`${DEATHS} deaths between any two steps leave one root for each size`, async () => {
  const service = await openTestService("sqlite", "deaths");
  try {
    const { upkeep, logSigner } = service.service;
    const ada = await service.register("ada");
    await operate(service.service, "log init");
    const roots = new Map<number, string>();
    const random = seededRandom("deaths");
    let [left, deaths] = [0, 0];
    const step = () => {
      if (left-- === 0) throw new Error("killed");
    };
    const dying = {
      ...upkeep,
      yieldToRequests: async () => {},
      write: (async (work: Parameters<typeof upkeep.write>[0]) => {
        step();
        const result = await upkeep.write(work);
        step();
        return result;
      }) as typeof upkeep.write,
    };
    const signing: typeof logSigner = {
      ...logSigner,
      remember(memory) {
        step();
        // Somebody may have seen what is signed.
        assert.equal(roots.get(memory.size) ?? memory.root, memory.root, `size ${memory.size}`);
        roots.set(memory.size, memory.root);
        logSigner.remember(memory);
        step();
      },
    };
    for (let n = 0; deaths < DEATHS; n++) {
      if (n % 4 === 0) {
        await ada.post("/post", { body: `post ${n}` });
        await service.sequenced();
        const [seal, audit] = service.shared.jobs;
        service.pass(60);
        await seal?.run();
        await audit?.run();
      }
      left = Number(random(1)[0]) % 7;
      await keepLog(dying, signing, null).catch((error: Error) => {
        assert.equal(error.message, "killed");
        deaths++;
      });
    }
    await service.seal();
    const memory = logSigner.recall();
    assert(memory !== null && memory !== "unreadable");
    const answer = await fetch(`${service.url}/tlog/checkpoint`);
    assert.equal(await answer.text(), memory.checkpoint);
    assert(roots.size > DEATHS / 10);
    assert.deepEqual(service.alarms, []);
  } finally {
    await service.close();
  }
});
