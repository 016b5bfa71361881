import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { currentLog } from "../src/domains/tlog/log.ts";
import * as sql from "../src/domains/tlog/witness-queries.ts";
import { sharedJobs } from "../src/main/jobs/shared.ts";
import { parseCheckpoint } from "../src/platform/kernel/tlog/checkpoint.ts";
import { vkeyOf } from "../src/platform/kernel/tlog/note.ts";
import { faultBy, parsePolicy, witnessesOf } from "../src/platform/kernel/tlog/policy.ts";
import { verifySignature } from "../src/platform/ledger/seals/ed25519.ts";
import { sha256 } from "../src/platform/ledger/sha256.ts";
import { operate } from "./operator.ts";
import { ENGINES, openTestService } from "./service.ts";
import { newFile } from "./verify-run.ts";
import { serveWitness, type TestWitness, witnessOf } from "./witness-server.ts";

type Place = Awaited<ReturnType<typeof serveWitness>>;

/** Three witnesses, of which two are a quorum, and what an operator and a reader write to name them. */
export async function threeWitnesses() {
  const [file, logs] = [newFile(), [] as string[]];
  let now = () => 0;
  const witnesses: { readonly witness: TestWitness; readonly place: Place }[] = [];
  for (const name of ["w1", "w2", "w3"]) {
    const witness = witnessOf(`${name}.example`, logs, () => now());
    witnesses.push({ witness, place: await serveWitness(witness) });
  }
  const lines = witnesses.map(
    ({ witness, place }, i) => `witness w${i + 1} ${witness.vkey} ${place.url}/sub/`,
  );
  const text = `${lines.join("\n")}\ngroup two 2 w1 w2 w3\nquorum two\n`;
  writeFileSync(file, text);
  return {
    witnesses,
    logs,
    text,
    settings: { CAIRN_WITNESS_POLICY_FILE: file, CAIRN_WITNESS_ALLOW_PRIVATE: "on" },
    timedBy(clock: () => number) {
      now = clock;
    },
    close: () => Promise.all(witnesses.map(({ place }) => place.close())),
  };
}

/** A service whose log has three witnesses, of which two are a quorum. */
async function witnessed(engine: (typeof ENGINES)[number], seed: string) {
  const three = await threeWitnesses();
  const { witnesses, logs, text } = three;
  const service = await openTestService(engine, seed, three.settings);
  three.timedBy(() => service.service.clock.now());
  const ada = await service.register("ada");
  await operate(service.service, "log init");
  await service.sequenced();
  const log = await currentLog(service.service.store.read);
  assert(log !== null);
  logs.push(vkeyOf(log.key));
  const policy = parsePolicy(`log ${vkeyOf(log.key)}\n${text}`, sha256);
  const [asking] = sharedJobs(service.service).jobs.filter(({ name }) => name === "witnesses");
  assert(asking !== undefined);
  const dataDir = service.configuration.dataDir;
  return {
    service,
    ada,
    log,
    policy,
    logs,
    witnesses,
    dataDir,
    close: three.close,
    ask: () => asking.run(),
    async post(count = 1) {
      for (let i = 0; i < count; i++) await ada.post("/post", { body: `post ${i}` });
      await service.seal();
    },
    /** The published checkpoint, which always has its quorum; null while there is none. */
    async published() {
      const answer = await fetch(`${service.url}/tlog/checkpoint`);
      if (answer.status === 404) return null;
      const checkpoint = parseCheckpoint(await answer.text());
      assert(checkpoint !== null);
      assert.equal(faultBy({ verifySignature }, policy, checkpoint), null);
      return {
        size: checkpoint.size,
        by: witnessesOf({ verifySignature }, policy, checkpoint.note)
          .map(({ witness }) => witness)
          .sort(),
      };
    },
    states: async () => sql.witnessStates.all(service.service.store.read, { origin: log.origin }),
  };
}

type Network = Awaited<ReturnType<typeof witnessed>>;

/** A test on both engines, with a network whose log is witnessed. */
export function eachWitnessed(name: string, run: (network: Network) => Promise<void>): void {
  for (const engine of ENGINES)
    test(`${name} [${engine}]`, async () => {
      const network = await witnessed(engine, name);
      try {
        await run(network);
      } finally {
        await network.service.close();
        await network.close();
      }
    });
}
