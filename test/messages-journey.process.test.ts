import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { CairnError, connect } from "../src/client/index.ts";
import {
  type KeysChanged,
  type Mailbox,
  makeMessageKeys,
  messageMemory,
  openMessage,
  publishMessageKeys,
  type ReadMessage,
  readMessages,
  sealMessage,
  sendMessage,
} from "../src/client/messages.ts";
import { DAY_S } from "../src/platform/kernel/time.ts";
import { secondOpen, secondSeal } from "./second-client.ts";
import { eachEngine, START, type TestService } from "./service.ts";

const now = START;

/** An agent that uses the client, with its keys published, and the warnings that it got. */
async function member(service: TestService, handle: string, answer: "keep" | "accept" = "keep") {
  const { agent_id, token } = await service.register(handle);
  const network = connect({ baseUrl: service.url, token });
  const warnings: KeysChanged[] = [];
  const keys = makeMessageKeys();
  await publishMessageKeys(network, keys);
  const mailbox: Mailbox = {
    network,
    agent_id,
    keys: [keys],
    store: messageMemory(),
    onKeysChanged: async (change) => {
      warnings.push(change);
      return answer;
    },
  };
  return { mailbox, warnings, token, agent_id };
}

/** The proof of messages, or why there is none. */
const seen = (messages: readonly ReadMessage[]) =>
  messages.map((message) => (message.proven ? message.body : message.reason));

eachEngine("two independent clients write to each other", async (service) => {
  const ada = await member(service, "ada");
  const bob = await service.register("bob");
  const keys = makeMessageKeys();
  const capabilities = [
    "cooking",
    `e2e:hpke-x25519:${keys.encryption}`,
    `sig:ed25519:${keys.signing}`,
  ];
  await bob.post("/profile", { capabilities });
  const body = "Hello, Bob. \u0000 é 🪨\n";
  const { id } = await sendMessage(ada.mailbox, { to: "bob", body, now });

  const { messages } = (await bob.get("/dm")).body;
  assert.deepEqual([messages[0].id, messages[0].from.agent_id], [id, ada.agent_id]);
  const there = { from: ada.agent_id, to: bob.agent_id };
  const letter = secondOpen(messages[0].box, there, keys, ada.mailbox.keys[0].signing);
  assert.deepEqual([letter.body, letter.ts], [body, now]);

  const nonce = Buffer.alloc(16, 7).toString("base64url");
  const answer = { from: bob.agent_id, to: ada.agent_id, ts: now + 5, nonce, body: "Hello, Ada." };
  const box = secondSeal(answer, keys, ada.mailbox.keys[0].encryption);
  await bob.post("/dm", { to: "ada", box });
  const page = await readMessages(ada.mailbox, { now });
  const [received] = page.messages;
  assert.ok(received?.proven);
  assert.deepEqual(
    [received.body, received.ts, received.repetition, received.box, page.unread_left],
    ["Hello, Ada.", now + 5, "excluded", box, 0],
  );
  await bob.post("/dm", { to: "ada", box });
  await bob.post("/dm", { to: "ada", box: "gpg:AAAA" });
  assert.deepEqual(seen((await readMessages(ada.mailbox, { now })).messages), [
    `it repeats message ${received.id}`,
    "the box is of another scheme",
  ]);
});

eachEngine(
  "after a lost answer the client reads again, and nothing is lost or doubted",
  async (service) => {
    const [ada, bob] = [await member(service, "ada"), await member(service, "bob")];
    for (const body of ["one", "two"]) await sendMessage(ada.mailbox, { to: "bob", body, now });
    let broken = true;
    const lossy: typeof fetch = async (...sent) => {
      const answer = await fetch(...sent);
      const text = await answer.text();
      if (broken) throw new TypeError(`${text.length} characters were lost`);
      return new Response(text, answer);
    };
    const { url: baseUrl } = service;
    const mailbox = {
      ...bob.mailbox,
      network: connect({ baseUrl, token: bob.token, fetch: lossy }),
    };
    await assert.rejects(readMessages(mailbox, { now }), { code: "unreachable" });
    broken = false;
    assert.deepEqual((await readMessages(mailbox, { now })).messages, [], "they count as read");
    for (let again = 0; again < 2; again++)
      assert.deepEqual(seen((await readMessages(mailbox, { now, after_id: 0 })).messages), [
        "one",
        "two",
      ]);
  },
);

eachEngine("keys are pinned at the first contact, and a change is a warning", async (service) => {
  const [ada, bob] = [await member(service, "ada"), await member(service, "bob")];
  await sendMessage(ada.mailbox, { to: "bob", body: "first", now });
  await sendMessage(bob.mailbox, { to: "ada", body: "first", now });
  assert.deepEqual(seen((await readMessages(ada.mailbox, { now })).messages), ["first"]);
  assert.deepEqual(ada.warnings, []);

  const [old] = bob.mailbox.keys;
  const fresh = makeMessageKeys();
  await publishMessageKeys(bob.mailbox.network, fresh);
  const { box: kept } = await sealMessage(ada.mailbox, { to: "bob", body: "x", now });
  const publicHalves = ({ encryption, signing }: typeof fresh) => ({ encryption, signing });
  const change = {
    agent_id: bob.agent_id,
    pinned: publicHalves(old),
    published: publicHalves(fresh),
  };
  assert.deepEqual(ada.warnings, [change], "and it is kept: the box is for the pinned key");
  const turned = { ...bob.mailbox, keys: [fresh, old] as const };
  await sendMessage(turned, { to: "ada", body: "with new keys", now });
  const [doubted] = (await readMessages(ada.mailbox, { now })).messages;
  assert.ok(doubted && !doubted.proven);
  assert.equal(doubted.reason, "it is not signed with the keys its sender is known by");

  const accepting: Mailbox = { ...ada.mailbox, onKeysChanged: async () => "accept" };
  assert.deepEqual(seen([await openMessage(accepting, doubted, now)]), ["with new keys"]);
  const { to, box: renewed } = await sealMessage(ada.mailbox, { to: "bob", body: "y", now });
  assert.equal(ada.warnings.length, 2, "one for the box, one for the letter, none after that");
  for (const box of [kept, renewed]) await ada.mailbox.network.dm.send({ to, box });
  const { messages } = await readMessages(turned, { now });
  assert.deepEqual(seen(messages), ["first", "x", "y"], "old keys still open old boxes");
  const onlyNew = { ...turned, keys: [fresh] as const };
  const [, second] = messages;
  assert.ok(second);
  assert.deepEqual(seen([await openMessage(onlyNew, second, now)]), ["the box is for another key"]);
});

eachEngine("one letter pins both of its ends to each other", async (service) => {
  const [ada, bob] = [await member(service, "ada"), await member(service, "bob")];
  await sendMessage(bob.mailbox, { to: "ada", body: "first", now });
  assert.deepEqual(seen((await readMessages(ada.mailbox, { now })).messages), ["first"]);
  for (const { mailbox } of [ada, bob])
    await publishMessageKeys(mailbox.network, makeMessageKeys());
  await sealMessage(ada.mailbox, { to: "bob", body: "x", now });
  await sealMessage(bob.mailbox, { to: "ada", body: "x", now });
  assert.deepEqual([ada.warnings.length, bob.warnings.length], [1, 1]);
});

eachEngine("an agent without keys is not believed, and not written to", async (service) => {
  const [ada, mallory] = [await member(service, "ada"), await member(service, "mallory")];
  const plain = await service.register("plain");
  const refused = sendMessage(ada.mailbox, { to: "plain", body: "x", now });
  await assert.rejects(
    refused,
    (error) => error instanceof CairnError && error.code === "no_message_keys",
  );
  await assert.rejects(sendMessage(ada.mailbox, { to: "nobody", body: "x", now }), {
    code: "agent_not_found",
  });
  const { encryption } = ada.mailbox.keys[0];
  const nonce = Buffer.alloc(16).toString("base64url");
  const letter = { from: plain.agent_id, to: ada.agent_id, ts: now, nonce, body: "trust me" };
  await plain.post("/dm", { to: "ada", box: secondSeal(letter, makeMessageKeys(), encryption) });
  // Mallory sends, as its own, a letter that says it is from the plain agent, and one that it signed for it.
  const { network, keys } = mallory.mailbox;
  const claims = [letter, { ...letter, from: mallory.agent_id }];
  for (const [i, each] of claims.entries())
    await network.dm.send({
      to: "ada",
      box: secondSeal(each, i === 0 ? keys[0] : makeMessageKeys(), encryption),
    });
  assert.deepEqual(seen((await readMessages(ada.mailbox, { now })).messages), [
    "the sender has published no keys for messages",
    "the box was changed, or is not between these two agents",
    "the signature does not fit",
  ]);
});

eachEngine(
  "a profile that cannot be read, and a letter that is old, are said so",
  async (service) => {
    const [ada, bob] = [await member(service, "ada"), await member(service, "bob")];
    await sendMessage(ada.mailbox, { to: "bob", body: "hello", now });
    const { url: baseUrl } = service;
    const half: typeof fetch = (url, init) =>
      String(url).includes("/agent/") ? Promise.reject(new TypeError("down")) : fetch(url, init);
    const blind = { ...bob.mailbox, network: connect({ baseUrl, token: bob.token, fetch: half }) };
    const [message] = (await readMessages(blind, { now })).messages;
    assert.ok(message && !message.proven);
    assert.match(message.reason, /cannot be read now/);
    const later = await openMessage(bob.mailbox, message, now + 30 * DAY_S - 1);
    assert.ok(later.proven && later.repetition === "excluded");
    const old = await openMessage(bob.mailbox, message, now + 30 * DAY_S);
    assert.ok(old.proven && old.repetition === "unknown");
  },
);

eachEngine("the server does not choose whom a letter is for", async (service) => {
  const [ada, bob] = [await member(service, "ada"), await member(service, "bob")];
  const eve = await member(service, "eve");
  await sendMessage(ada.mailbox, { to: "bob", body: "hello", now });
  const lying: typeof fetch = (url, init) =>
    fetch(String(url).replace(/\/agent\/(?:bob|ag_\w+)/, `/agent/${eve.agent_id}`), init);
  const { url: baseUrl } = service;
  const network = connect({ baseUrl, token: ada.token, fetch: lying });
  for (const to of [bob.agent_id, "bob"])
    for (const store of to === "bob" ? [ada.mailbox.store] : [ada.mailbox.store, messageMemory()]) {
      const sent = sendMessage({ ...ada.mailbox, network, store }, { to, body: "secret", now });
      await assert.rejects(sent, { code: "other_agent" });
    }
  assert.deepEqual((await readMessages(eve.mailbox, { now })).messages, []);
  await sendMessage(bob.mailbox, { to: "ada", body: "hello", now });
  const stranger = { ...ada.mailbox, network, store: messageMemory() };
  const [doubted] = (await readMessages(stranger, { now, after_id: 0 })).messages;
  assert.ok(doubted && !doubted.proven, "a stranger's keys are not another one's");
});

eachEngine("a letter from far ahead is refused, and no store keeps its mark", async (service) => {
  const [ada, bob] = [await member(service, "ada"), await member(service, "bob")];
  const dates = [now + DAY_S, now + DAY_S + 1, Number.MAX_SAFE_INTEGER];
  for (const ts of dates) await sendMessage(bob.mailbox, { to: "ada", body: `${ts}`, now: ts });
  const kept: number[] = [];
  const firstWith: Mailbox["store"]["firstWith"] = async (seen) => {
    kept.push(seen.until);
    return ada.mailbox.store.firstWith(seen);
  };
  const mailbox = { ...ada.mailbox, store: { ...ada.mailbox.store, firstWith } };
  const ahead = "it is dated more than a day ahead of this clock";
  const { messages } = await readMessages(mailbox, { now });
  assert.deepEqual(seen(messages), [`${now + DAY_S}`, ahead, ahead]);
  assert.deepEqual(kept, [now + 31 * DAY_S]);
});

eachEngine("publishing keys leaves the other capabilities as they are", async (service) => {
  const { mailbox } = await member(service, "ada");
  const { network } = mailbox;
  const { profile } = await network.me.get();
  const [e2e = "", sig = ""] = profile?.capabilities ?? [];
  await network.profile.set({ capabilities: ["cooking", e2e, "sailing", sig] });
  const fresh = makeMessageKeys();
  await publishMessageKeys(network, fresh);
  assert.deepEqual((await network.me.get()).profile?.capabilities, [
    "cooking",
    "sailing",
    `e2e:hpke-x25519:${fresh.encryption}`,
    `sig:ed25519:${fresh.signing}`,
  ]);
});

eachEngine("the program of the messages' page works as it stands", async (service) => {
  const page = readFileSync(join(import.meta.dirname, "../docs/reference/messages.md"), "utf8");
  const [, program = ""] = /```js\n(.+?)```/s.exec(page) ?? [];
  const { agent_id, token } = await service.register("ada");
  const client = new URL("../src/client/", import.meta.url).href;
  const folder = mkdtempSync(join(tmpdir(), "cairn-messages-"));
  const given = `const [, baseUrl, token, folder] = process.argv;\n`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "--eval",
    given +
      program
        .replace('@cairn-network/client"', `${client}index.ts"`)
        .replaceAll(/@cairn-network\/client\/(\w+)/g, `${client}$1.ts`),
    service.url,
    token,
    folder,
  ]);
  rmSync(folder, { recursive: true });
  assert.equal(stdout, `${agent_id} Hello, Ada.\n`);
});
