import assert from "node:assert/strict";
import { operatorOf } from "../../../../test/chain.ts";
import { eachEngine, type TestService } from "../../../../test/service.ts";
import { sharedJobs } from "../../../main/jobs/shared.ts";
import { lackingSeal, type Signer, type SignerMemory, signSeals } from "./signer.ts";

/** Another operator, who never signed anything. */
function strangerOf(byte: number): Signer {
  const key = operatorOf(byte);
  return {
    keyOf: (pubkey) => (pubkey === key.pubkey ? key : null),
    recall: () => null,
    fault: () => null,
    remember: () => {},
  };
}

function signerIn({ service }: TestService): Signer {
  if (service.signer === null) throw new Error("The first node of a ledger holds its key.");
  return service.signer;
}

/** The node's own key, with a memory that is not the node's. */
const remembering = (signer: Signer, memory: ReturnType<Signer["recall"]>): Signer => ({
  ...signer,
  recall: () => memory,
});

/** Posts once and seals it, without signing. */
async function sealUnsigned(service: TestService): Promise<void> {
  await service.register();
  await service.sequenced();
  service.pass(60);
  await sharedJobs({ ...service.service, signer: null }).seal();
}

/** What the node's own signer remembers. */
function memoryOf(signer: Signer): SignerMemory {
  const memory = signer.recall();
  assert.ok(memory !== null && memory !== "unreadable");
  return memory;
}

const sealsOf = async ({ get, pass }: TestService) => {
  pass(1);
  return (await get("/seal")).body;
};

eachEngine("seals made without a key are signed later, in order", async (service) => {
  await sealUnsigned(service);
  await sealUnsigned(service);
  assert.deepEqual((await sealsOf(service)).unsigned_seqs, [1, 2]);
  assert.equal(await signSeals(service.service.context, null), "no_key");
  assert.equal(await signSeals(service.service.context, signerIn(service)), "ok");
  const { seals, unsigned_seqs } = await sealsOf(service);
  assert.deepEqual(unsigned_seqs, []);
  assert.ok(seals.every((seal: { at: number; signed_at: number }) => seal.signed_at >= seal.at));
});

eachEngine("a snapshot that is older than the signer's memory lacks no seal", async (service) => {
  await sealUnsigned(service);
  const signer = signerIn(service);
  assert.equal(await signSeals(service.service.context, signer), "ok");
  const { read } = service.service.context;
  let isOld = true;
  setImmediate(() => {
    isOld = false;
  });
  const shared: typeof read = {
    ...read,
    all: async (...asked) => (isOld ? [] : read.all(...asked)),
  };
  assert.equal(await lackingSeal(shared, signer), null);
  const { seq } = memoryOf(signer);
  const ahead = remembering(signer, { ...memoryOf(signer), seq: seq + 1 });
  assert.equal(await lackingSeal(read, ahead), seq + 1, "the control");
});

eachEngine(
  "a crash between memory and database gives the same signature again",
  async (service) => {
    await sealUnsigned(service);
    const signer = signerIn(service);
    const crashing: Signer = {
      ...signer,
      remember(memory) {
        signer.remember(memory);
        throw new Error("power cut");
      },
    };
    await assert.rejects(signSeals(service.service.context, crashing), /power cut/);
    assert.deepEqual((await sealsOf(service)).unsigned_seqs, [1]);
    service.pass(500);
    assert.equal(await signSeals(service.service.context, signer), "ok");
    const { seals } = await sealsOf(service);
    assert.equal(seals[0].signature, memoryOf(signer).signature);
    assert.equal(seals[0].signed_at, memoryOf(signer).signed_at);
  },
);

eachEngine("a signer refuses a database that is not the one it signed", async (service) => {
  const { context } = service.service;
  await sealUnsigned(service);
  const signer = signerIn(service);
  await signSeals(context, signer);
  const memory = memoryOf(signer);
  await sealUnsigned(service);
  const ahead = remembering(signer, { ...memory, seq: 99 });
  assert.equal(await signSeals(context, ahead), "database_behind");
  const other = remembering(signer, { ...memory, seal_hash: "0".repeat(64) });
  assert.equal(await signSeals(context, other), "database_behind");
  assert.equal(await signSeals(context, remembering(signer, null)), "memory_missing");
  assert.equal(await signSeals(context, remembering(signer, "unreadable")), "unreadable");
  assert.deepEqual((await sealsOf(service)).unsigned_seqs, [2], "nothing was signed meanwhile");
  assert.equal(await signSeals(context, signer), "ok");
});

eachEngine("another key signs nothing", async (service) => {
  await sealUnsigned(service);
  assert.equal(await signSeals(service.service.context, strangerOf(1)), "key_mismatch");
  assert.deepEqual((await sealsOf(service)).unsigned_seqs, [1]);
});

eachEngine("a node whose key is gone seals on without signatures and says so", async (service) => {
  const keyless = sharedJobs({ ...service.service, signer: null });
  service.pass(60);
  await keyless.seal();
  assert.equal(keyless.signerState(), "no_key");
  const { seals, chain_intact } = await sealsOf(service);
  assert.deepEqual([seals[0].signed, seals[0].pubkey, chain_intact], [false, null, true]);
});
