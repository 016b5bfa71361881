import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { clientOf, sending } from "../../../test/a2a-client.ts";
import { eventually } from "../../../test/postgres-store.ts";
import { rawSocket } from "../../../test/raw-socket.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../test/service.ts";
import { findAgent } from "../../domains/identity/agents.ts";
import { banAgent, banFound } from "../../domains/identity/bans/bans.ts";
import { aboutToEndTokens } from "../../domains/identity/standing.ts";
import { authenticator } from "../../domains/identity/tokens.ts";
import type { Agent, ServiceContext } from "../../platform/context.ts";
import { charging } from "./charging.ts";
import { stepping } from "./write-steps.ts";

// A ban and a rotation hold at once, also for what was begun before them.

const portOf = ({ url }: TestService) => Number(new URL(url).port);

/** A request whose head and all but one byte of its body are there. */
async function begun(service: TestService, path: string, { token }: TestAgent, body: object) {
  const text = JSON.stringify(body);
  const socket = await rawSocket(portOf(service));
  const fields = [
    "Host: 127.0.0.1",
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    "A2A-Version: 1.0",
    `Content-Length: ${text.length}`,
  ];
  socket.send(`POST /api/v1${path} HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n${text.slice(0, -1)}`);
  await wait(50);
  return async () => {
    socket.send(text.slice(-1));
    const [answer] = await socket.answers(1);
    socket.destroy();
    const said = JSON.parse(answer?.text ?? "");
    return said.result?.isError === true ? JSON.parse(said.result.content[0].text) : said;
  };
}

/** The same write by each protocol. */
const everyWay = (service: TestService, agent: TestAgent) =>
  Promise.all([
    begun(service, "/post", agent, { body: "By REST." }),
    begun(service, "/mcp", agent, {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "post_create", arguments: { body: "By MCP." } },
    }),
    begun(service, "/a2a", agent, {
      jsonrpc: "2.0",
      id: 1,
      method: "SendMessage",
      params: { message: { role: "ROLE_USER", messageId: "m", parts: [{ text: "By A2A." }] } },
    }),
  ]);

async function writesOf(service: TestService): Promise<number> {
  const [{ body: feed }, { body: board }] = [
    await service.get("/feed"),
    await service.get("/requests"),
  ];
  return feed.count + board.count;
}

const ban = (service: TestService, agent: string) =>
  banAgent(service.service.context, { agent, reason: "Spam." });

eachEngine("nothing is stored of a write whose body ends after a ban", async (service) => {
  const ada = await service.register("ada");
  const open = await everyWay(service, ada);
  await ban(service, "ada");
  for (const finish of open) assert.equal((await finish()).error, "agent_banned");
  assert.equal(await writesOf(service), 0);
});

eachEngine("nor of one with a token that was replaced meanwhile", async (service) => {
  const ada = await service.register("ada");
  const open = await everyWay(service, ada);
  const { status } = await ada.post("/token/rotate");
  assert.equal(status, 200);
  for (const finish of open) assert.equal((await finish()).error, "token_unknown");
  assert.equal(await writesOf(service), 0);
});

eachEngine("in the ledger nothing of an agent stands behind its ban", async (service) => {
  for (const name of ["ada", "bob", "cleo"]) {
    const agent = await service.register(name);
    let isBanned = false;
    const kinds = [
      () => agent.post("/post", { body: "Again." }),
      () => agent.post("/profile", { purpose: "To write." }),
      () => agent.post("/repo", { name: "r", mission: "To be written." }),
    ];
    const writing = Array.from({ length: 12 }, async (_, i) => {
      while (!isBanned) await kinds[i % 3]?.();
    });
    await wait(60);
    await ban(service, name);
    isBanned = true;
    await Promise.all(writing);
    await service.sequenced();
    const { body } = await service.get("/since?after_id=0&limit=500&kinds=agent_banned");
    const at = body.entries.at(-1).id;
    const later = await service.get(`/since?after_id=${at}`);
    assert.deepEqual(later.body.entries, []);
  }
});

eachEngine("a transfer is not stored behind a ban, whichever way it travels", async (service) => {
  const ada = await service.register("ada");
  await service.register("bob");
  const { context } = service.service;
  const agent = await holder(service, ada);
  await ban(service, "ada");
  const write = chargedTo(context, agent);
  for (const kind of ["usual", "grouped"] as const)
    await assert.rejects(
      write(async () => {}, kind),
      { code: "agent_banned" },
    );
  assert.equal(await chargedTo(context, null)(async () => 2, "grouped"), 2);
});

eachEngine("a ban in the same batch counts for the writes behind it", async (service) => {
  const ada = await service.register("ada");
  const { context } = service.service;
  const agent = await holder(service, ada);
  const write = chargedTo(context, agent);
  const { id } = await findAgent(context, "ada");
  const banned = { id, agent_id: ada.agent_id, reason: "Spam.", at: context.clock.now() };
  const [before, , after] = await Promise.allSettled([
    write(async () => "before"),
    context.write(async (tx) => {
      await aboutToEndTokens(tx);
      return banFound(tx, banned);
    }),
    write(async () => "after"),
  ]);
  if (service.engine === "sqlite") assert.equal(before?.status, "fulfilled");
  await assert.rejects(
    write(async () => {}),
    { code: "agent_banned" },
  );
  if (service.engine === "sqlite") assert.equal(after?.status, "rejected");
});

/** The writes of an agent, or of nobody, that is charged nothing. */
function chargedTo({ write }: Pick<ServiceContext, "write">, agent: Agent | null) {
  const caller = { agent, isNewcomer: false, network: null, isFree: true };
  return stepping(
    write,
    charging(() => () => {}, { caller, text_bytes: 0, rows_beside: 0 }).charged,
  );
}

eachEngine("an agent that waits when it is banned is shown nothing more", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const client = await clientOf(service, ada, "JSONRPC");
  const stream = client.sendMessageStream(sending("Add."));
  const first = await stream.next();
  const task = first.value?.payload;
  assert.ok(task?.$case === "task");
  const rest = stream.next().catch(() => ({ done: true }));
  const { latest_id } = (await ada.get("/inbox")).body;
  const poll = ada.get(`/inbox?after_id=${latest_id}&wait=20`);
  await eventually(() => service.service.ledgerSignal.waiting() === 2);
  await ban(service, "ada");
  await bob.post("/request/answer", { request_id: task.value.id, answer: "Two." });
  assert.equal((await poll).body.error, "agent_banned");
  assert.equal((await rest).done, true);
});

/** An agent as its token shows it now. */
const holder = ({ service: { context, store } }: TestService, { token }: TestAgent) =>
  authenticator({ ...context, generation: store.generation }).authenticate(token);
