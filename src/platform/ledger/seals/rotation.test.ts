import assert from "node:assert/strict";
import { type Operator, operatorOf } from "../../../../test/chain.ts";
import { readLedger } from "../../../../test/invariants.ts";
import { eachEngine, type TestService } from "../../../../test/service.ts";
import { verifySeals } from "../../../client/verify.ts";
import { replayLedger } from "../../../domains/transitions.ts";
import { sharedJobs } from "../../../main/jobs/shared.ts";
import { announce } from "../announcements/announce.ts";
import { PLATFORM } from "../platform.ts";
import { type OldKey, rotateKey } from "./rotation.ts";
import type { Signer } from "./signer.ts";

const [bo, cy] = [operatorOf(2), operatorOf(3)];

/** The node's own signer, which holds these keys too. */
function holding({ service }: TestService, ...more: Operator[]): Signer {
  const { signer } = service;
  assert.ok(signer);
  const added = new Map(more.map((key) => [key.pubkey, key]));
  return { ...signer, keyOf: (pubkey) => added.get(pubkey) ?? signer.keyOf(pubkey) };
}

/** The same, without the key that the ledger began with. */
const losing = (service: TestService, ...more: Operator[]): Signer => ({
  ...holding(service),
  keyOf: (pubkey) => more.find((key) => key.pubkey === pubkey) ?? null,
});

/** Seals all that was written, on a node with these keys. */
async function seal(service: TestService, signer: Signer): Promise<void> {
  await service.sequenced();
  service.pass(60);
  await sharedJobs({ ...service.service, signer }).seal();
}

const TEXT = "The signature is not one of that key over this announcement.";

/** The sentences by which the rules refuse a ledger in which a field of one kind is another. */
function refusals(
  entries: Awaited<ReturnType<typeof readLedger>>,
  kind: string,
  change: Readonly<Record<string, string | number>>,
): readonly string[] {
  const replay = replayLedger(PLATFORM);
  for (const { id, at, ref, body, ...entry } of entries)
    replay.add({
      id,
      at,
      kind: entry.kind,
      ref,
      body: entry.kind === kind ? { ...body, ...change } : body,
    });
  return replay.findings().map(({ sentence }) => sentence);
}

const rotate = (service: TestService, signer: Signer, to: Operator, oldKey: OldKey = "kept") =>
  rotateKey(service.service.context, signer, { next: to, oldKey });

async function chainOf(service: TestService) {
  service.pass(1);
  const [{ body: chain }, { body: verify }] = [
    await service.get("/seal"),
    await service.get("/verify"),
  ];
  return { chain, verify };
}

eachEngine(
  "the old key signs the seal that holds the rotation, the new one what follows",
  async (service) => {
    const { public_key: ada, origin } = (await service.get("/verify")).body;
    const both = holding(service, bo);
    const { rotation, old_pubkey, new_pubkey, anchored } = await rotate(service, both, bo);
    assert.deepEqual([rotation, old_pubkey, new_pubkey, anchored], [1, ada, bo.pubkey, 1]);
    await assert.rejects(rotate(service, both, cy), /under no seal yet/);
    assert.equal((await rotate(service, both, bo)).rotation, 1, "the same again is no second one");

    await seal(service, both);
    await service.register();
    await seal(service, both);
    const { chain, verify } = await chainOf(service);
    assert.deepEqual(
      chain.seals.map(({ pubkey }: { pubkey: string }) => pubkey),
      [ada, bo.pubkey],
    );
    assert.deepEqual(verify.keys, [
      { public_key: ada, from_seq: 1, to_seq: 1, anchored: true },
      { public_key: bo.pubkey, from_seq: 2, to_seq: null, anchored: true },
    ]);
    assert.equal(verify.public_key, bo.pubkey);

    const turns = (await readLedger(service)).filter(({ kind }) => kind === "key_rotation");
    assert.deepEqual(
      turns.map(({ ref }) => ref),
      ["1"],
    );
    const proofs = [
      (await service.get("/seal/proof?kind=genesis&id=1")).body,
      (await service.get("/seal/proof?kind=key_rotation&id=1")).body,
    ];
    const pinned = { origin, key: ada };
    assert.deepEqual(verifySeals(chain.seals, pinned, { proofs }).findings, []);
    assert.equal(
      verifySeals(chain.seals, pinned).findings.length > 0,
      true,
      "without the proof it is not",
    );
  },
);

eachEngine(
  "keys rotate again, and announcements are signed with the current one",
  async (service) => {
    const { context } = service.service;
    const all = holding(service, bo, cy);
    const notice = { kind: "key", title: "A new key", body: "See the ledger." } as const;
    const signedBy = async () => {
      await context.write((tx) => announce(tx, context, all, notice));
      await service.sequenced();
      return (await readLedger(service)).findLast(({ kind }) => kind === "announcement")?.body[
        "pubkey"
      ];
    };
    const { public_key: ada } = (await service.get("/verify")).body;
    await rotate(service, all, bo);
    assert.equal(await signedBy(), ada, "until the rotation is sealed");
    await seal(service, all);
    assert.equal(await signedBy(), bo.pubkey);
    await rotate(service, all, cy);
    await seal(service, all);
    assert.equal(await signedBy(), cy.pubkey);
    const { verify } = await chainOf(service);
    assert.deepEqual(
      verify.keys.map(({ from_seq, to_seq }: { from_seq: number; to_seq: number }) => [
        from_seq,
        to_seq,
      ]),
      [
        [1, 1],
        [2, 2],
        [3, null],
      ],
    );
  },
);

eachEngine(
  "after a lost key its seals stay unsigned, and later ones are signed",
  async (service) => {
    const { public_key: ada } = (await service.get("/verify")).body;
    const lost = losing(service, bo);
    await assert.rejects(rotate(service, lost, bo), /not on this node.*--lost/);
    await assert.rejects(rotate(service, holding(service), bo, "lost"), /leave out --lost/);
    const { anchored, old_pubkey } = await rotate(service, lost, bo, "lost");
    assert.deepEqual([anchored, old_pubkey], [0, ada]);
    await seal(service, lost);
    await service.register();
    await seal(service, lost);
    const { chain, verify } = await chainOf(service);
    assert.deepEqual(
      chain.seals.map(({ pubkey }: { pubkey: string | null }) => pubkey),
      [null, bo.pubkey],
    );
    assert.deepEqual(chain.unsigned_seqs, [1]);
    assert.deepEqual(verify.keys[1], {
      public_key: bo.pubkey,
      from_seq: 2,
      to_seq: null,
      anchored: false,
    });
    assert.equal(chain.chain_intact, true);
  },
);

eachEngine("what no key of the operator's has signed, breaks the rules", async (service) => {
  const { context } = service.service;
  const both = holding(service, bo);
  await rotate(service, both, bo);
  const notice = { kind: "key", title: "A new key", body: "See the ledger." } as const;
  await context.write((tx) => announce(tx, context, both, notice));
  await service.sequenced();
  const entries = await readLedger(service);
  assert.deepEqual(refusals(entries, "announcement", {}), []);
  const { signed_at } = entries.find(({ kind }) => kind === "announcement")?.body ?? {};
  const changes = [
    { announcement_kind: "incident" },
    { body_sha256: "f".repeat(64) },
    { signed_at: Number(signed_at) - 1 },
    { pubkey: bo.pubkey },
  ];
  for (const change of changes)
    assert.deepEqual(refusals(entries, "announcement", change), [TEXT], JSON.stringify(change));
  const strange = refusals(entries, "announcement", { pubkey: cy.pubkey });
  assert.deepEqual(strange, ["An announcement is signed by a key of the operator's."]);
  const turned = refusals(entries, "key_rotation", { signed_at: Number(signed_at) + 1 });
  assert.deepEqual(turned, ["The new key, and an old one that is there, sign the rotation."]);
});
