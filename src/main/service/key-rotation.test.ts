import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openTestService } from "../../../test/service.ts";
import { readConfiguration } from "../settings/settings.ts";
import { rotateOperatorKey } from "./key-rotation.ts";
import { currentKey, isOpenToOthers, nextKey, signerFiles } from "./operator-key.ts";

async function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "cairn-keys-"));
  const keyFile = join(folder, "seal.pem");
  const variables = { CAIRN_SIGNING_KEY_FILE: keyFile, CAIRN_DATA_DIR: folder };
  const service = await openTestService("sqlite", t.name, { CAIRN_SIGNING_KEY_FILE: keyFile });
  t.after(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });
  const configuration = readConfiguration(variables);
  const currently = () => currentKey(signerFiles(configuration))?.pubkey;
  return { service, keyFile, configuration, currently };
}

test("a rotation keeps the old key, and the running service finds the new one", async (t) => {
  const { service, keyFile, configuration, currently } = await open(t);
  const [old, text] = [currently(), readFileSync(keyFile, "utf8")];
  await service.seal();
  const {
    rotation: { new_pubkey },
  } = await rotateOperatorKey(service.service, configuration, "kept");
  assert.equal(currently(), new_pubkey);
  assert.equal(readFileSync(`${keyFile}.1`, "utf8"), text);
  for (const file of [keyFile, `${keyFile}.1`]) assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(existsSync(`${keyFile}.next`), false);

  await service.seal();
  await service.register();
  await service.seal();
  const { seals } = (await service.get("/seal")).body;
  assert.deepEqual(
    seals.map(({ pubkey }: { pubkey: string }) => pubkey),
    [old, old, new_pubkey],
  );
  assert.equal(service.shared.signerState(), "ok");
});

test("a rotation that was cut off at any step is finished by the next", async (t) => {
  const { service, keyFile, configuration, currently } = await open(t);
  const old = currently();
  const waiting = nextKey(signerFiles(configuration)).pubkey;
  const {
    rotation: { new_pubkey },
  } = await rotateOperatorKey(service.service, configuration, "kept");
  assert.equal(new_pubkey, waiting, "a key that was made is taken");

  renameSync(keyFile, `${keyFile}.next`); // As if the process had ended before its last step.
  renameSync(`${keyFile}.1`, keyFile);
  assert.equal(currently(), old);
  await service.seal();
  assert.equal(service.shared.signerState(), "ok", "keys are found wherever they are");
  const { rotation: again } = await rotateOperatorKey(service.service, configuration, "kept");
  assert.deepEqual([again.rotation, again.new_pubkey], [1, new_pubkey]);
  assert.equal(currently(), new_pubkey);
});

test("a rotation without the current key has to be called a loss", async (t) => {
  const { service, keyFile, configuration, currently } = await open(t);
  renameSync(keyFile, `${keyFile}.gone`);
  await assert.rejects(rotateOperatorKey(service.service, configuration, "kept"), /--lost/);
  const { rotation: lost } = await rotateOperatorKey(service.service, configuration, "lost");
  assert.deepEqual([lost.rotation, lost.anchored], [1, 0]);
  assert.equal(currently(), lost.new_pubkey);
});

test("a key that others can read is not used, wherever it is", async (t) => {
  const { service, keyFile, configuration } = await open(t);
  for (const mode of [0o644, 0o660, 0o650, 0o602]) {
    chmodSync(keyFile, mode);
    const rotated = rotateOperatorKey(service.service, configuration, "kept");
    await assert.rejects(rotated, /set its mode to 0600/, mode.toString(8));
  }
  chmodSync(keyFile, 0o600);
  for (const mode of [0o100440, 0o100640]) {
    assert.equal(isOpenToOthers({ mode, uid: 0 }), false, "a mounted secret, of root and a group");
    assert.equal(isOpenToOthers({ mode, uid: 1_000 }), true);
  }
});

test("a new key signs the agent card anew, and the old signature is shown no more", async (t) => {
  const { service, configuration } = await open(t);
  const kidOf = async () => {
    const card = await (await fetch(`${service.url}/.well-known/agent-card.json`)).json();
    const [first] = Object(card).signatures ?? [];
    return first && JSON.parse(Buffer.from(first.protected, "base64url").toString()).kid;
  };
  const sign = () => service.shared.jobs.find(({ name }) => name === "agent_card")?.run();
  await sign();
  const old = await kidOf();
  assert.match(old, /^[0-9a-f]{64}$/);
  const { rotation } = await rotateOperatorKey(service.service, configuration, "kept");
  await service.seal();
  assert.equal(await kidOf(), undefined);
  await sign();
  assert.equal(await kidOf(), rotation.new_pubkey);
  const { keys } = Object(await (await fetch(`${service.url}/.well-known/jwks.json`)).json());
  assert.deepEqual(
    keys.map(({ kid }: { kid: string }) => kid),
    [rotation.new_pubkey, old],
  );
});
