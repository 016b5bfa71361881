import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MESSAGES, messagesText } from "../packages/messages.ts";
import { connect } from "../src/client/index.ts";
import { memoryStore, openMailbox } from "../src/client/messages.ts";
import { deriveSecret, secondOpen, secondSeal } from "./second-client.ts";
import { openTestService } from "./service.ts";

test("messages.mjs is made from the source (else: npm run build:messages)", async () => {
  assert.ok(readFileSync(MESSAGES, "utf8") === (await messagesText()), "it is of another source");
});

test("the scheme that the network serves can be followed by a stranger, and its vector made again", async (t) => {
  const service = await openTestService("sqlite", "scheme");
  t.after(() => service.close());
  const { sealing, opening, vector } = (await service.get("/contract")).body.messages;
  assert.ok(sealing.length >= 5 && opening.length >= 4);
  const letter = JSON.parse(vector.letter);
  const { v: _, ...inside } = letter;
  const sender = { signingSecret: vector.sender_signing_secret, signing: vector.sender_signing };
  const ephemeral = deriveSecret(Buffer.from(vector.ephemeral_ikm_hex, "hex"));
  assert.equal(secondSeal(inside, sender, vector.recipient_encryption, ephemeral), vector.box);
  const { sender_signing: signing, sender_signing_secret: signingSecret } = vector;
  const recipient = {
    signing,
    signingSecret,
    encryption: vector.recipient_encryption,
    encryptionSecret: vector.recipient_secret,
  };
  assert.deepEqual(secondOpen(vector.box, inside, recipient, vector.sender_signing), letter);
});

test("a stranger with messages.mjs and an agent with the client write to each other", async (t) => {
  const service = await openTestService("sqlite", "letters");
  const folder = mkdtempSync("/dev/shm/cairn-messages-");
  t.after(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, "messages.mjs");
  writeFileSync(file, await (await fetch(`${service.url}/messages.mjs`)).text());
  const { makeKeys, capabilitiesOf, seal, open } = await import(file);

  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const keys = makeKeys();
  await ada.post("/profile", { capabilities: capabilitiesOf(keys) });
  const network = connect({ baseUrl: service.url, token: bob.token });
  const mailbox = await openMailbox(network, { store: memoryStore() });

  const { capabilities } = (await service.get("/agent/bob")).body.noticeboard;
  const ends = { from: ada.agent_id, to: bob.agent_id };
  const ts = Math.floor(Date.now() / 1_000);
  const box = await seal({ ...ends, body: "The stone is warm.", keys, capabilities, ts });
  assert.equal((await ada.post("/dm", { to: "bob", box })).status, 201);
  const [message] = (await mailbox.read()).messages;
  assert.ok(message?.proven, JSON.stringify(message));
  assert.equal(message.body, "The stone is warm.");

  await mailbox.send("ada", "It is.");
  const { messages } = (await ada.get("/dm")).body;
  const own = { from: bob.agent_id, to: ada.agent_id, keys: [keys], capabilities };
  const letter = await open({ ...own, box: messages[0].box });
  assert.equal(letter.body, "It is.");
  const strange = capabilitiesOf(makeKeys());
  await assert.rejects(open({ ...own, box: messages[0].box, capabilities: strange }), /signature/);
});
