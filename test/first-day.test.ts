import assert from "node:assert/strict";
import { TaskState } from "@a2a-js/sdk";
import { REQUESTS_EXTENSION } from "../src/surfaces/describe/agent-card.ts";
import { clientOf, sending } from "./a2a-client.ts";
import { wealthy } from "./coin.ts";
import { within } from "./limits.ts";
import { openWhole, type ToolResult } from "./mcp/clients.ts";
import { HOSTS, host, PUBLIC, REFRESHING } from "./mcp/oauth-hosts.ts";
import { eachEngine, type TestAgent, type TestService } from "./service.ts";

// In a network of three weeks a newcomer is paid on its first day, by each door, from nothing but the address.
// `TEST_TABLE=1` prints each call with the tokens that a model reads of its answer.

const PRINTS = process.env["TEST_TABLE"] === "1";
const CALLS_MAX = 10;
const TOKENS_MAX = 6_000;
const OF_A_NEWCOMER = {
  at: "test/first-day.test.ts",
  because:
    "A newcomer has to find work, be paid and see it in few calls: let an answer say the next step.",
};

const TASK = "Name the three laws of motion, each in one sentence.";
const ANSWER = "Inertia. Force is mass times acceleration. Action equals reaction.";

/** Calls of one door, and about a quarter of the bytes of their answers as tokens. */
function diary(door: string) {
  let calls = 0;
  let tokens = 0;
  return {
    note<T>(what: string, answer: T): T {
      const read = Math.round(Buffer.byteLength(JSON.stringify(answer)) / 4);
      calls++;
      tokens += read;
      if (PRINTS) process.stdout.write(`${door} ${calls}. ${what}: ${read} tokens\n`);
      return answer;
    },
    end(): void {
      within(`calls of both by ${door}`, calls, { max: CALLS_MAX, ...OF_A_NEWCOMER });
      within(`tokens of both by ${door}`, tokens, { max: TOKENS_MAX, ...OF_A_NEWCOMER });
    },
  };
}

async function asker(service: TestService): Promise<TestAgent> {
  const [ada] = await wealthy(service, 1);
  return ada ?? assert.fail("nobody has coins");
}

eachEngine("a newcomer is paid on its first day: REST", async (service) => {
  const ada = await asker(service);
  const { note, end } = diary("REST");
  const asked = note(
    "asker POST /request",
    await ada.post("/request", { text: TASK, reward: 0.25 }),
  );
  const start = await fetch(`${service.url}/skill.md`);
  assert.match(note("newcomer GET /skill.md", await start.text()), /POST \S*\/register/);
  const bob = await service.register("bob");
  note("newcomer POST /register", bob);
  const board = note("newcomer GET /requests", await bob.get("/requests?status=open&limit=5"));
  assert.equal(board.body.requests[0].reward, 0.25);
  const said = { request_id: asked.body.id, answer: ANSWER };
  note("newcomer POST /request/answer", await bob.post("/request/answer", said));
  const queue = note("asker GET /queue", await ada.get("/queue?part=to_judge"));
  const { answer_id } = queue.body.to_judge[0];
  note("asker GET /answer", await ada.get(`/answer/${answer_id}`));
  const accepted = await ada.post("/request/accept", { answer_id });
  assert.equal(note("asker POST /request/accept", accepted).status, 200);
  const coin = note("newcomer GET /coin", await bob.get("/coin"));
  assert.equal(coin.body.you.balance, 0.25);
  end();
});

eachEngine("a newcomer is paid on its first day: MCP, signed in by OAuth", async (service) => {
  const ada = await asker(service);
  const { note, end } = diary("MCP");
  const asking = await openWhole(service, ada);
  const hosted = host(service, REFRESHING);
  const newcomer = HOSTS["v2 auto"](new URL(`${PUBLIC}/api/v1/mcp`), hosted);
  await assert.rejects(newcomer.connect());
  await newcomer.finish();
  const again = HOSTS["v2 auto"](new URL(`${PUBLIC}/api/v1/mcp`), hosted);
  await again.connect();
  const ask = async (name: string, args: Readonly<Record<string, unknown>> = {}) =>
    bodyOf(note(`asker ${name}`, await asking.call(name, args)));
  const use = async (name: string, args: Readonly<Record<string, unknown>> = {}) =>
    bodyOf(note(`newcomer ${name}`, await again.call(name, args)));
  const { id } = await ask("request_create", { text: TASK, reward: 0.25 });
  const { requests } = await use("requests_list", { status: "open" });
  assert.equal(requests[0].id, id);
  await use("request_answer", { request_id: id, answer: ANSWER });
  const { to_judge } = await ask("queue_get", { part: "to_judge" });
  await ask("request_accept", { answer_id: to_judge[0].answer_id });
  const { you } = await use("coin_get");
  assert.equal(you.balance, 0.25);
  end();
  await asking.close();
  await again.close();
});

eachEngine("a newcomer is paid on its first day: asked over A2A", async (service) => {
  const ada = await asker(service);
  const { note, end } = diary("A2A");
  const client = await clientOf(service, ada, "JSONRPC");
  const saying = async (text: string, said: object, taskId?: string) => {
    const { message, ...rest } = sending(text, taskId === undefined ? {} : { taskId });
    const marked = { ...message, metadata: { [REQUESTS_EXTENSION]: said } };
    return Object(
      note("asker SendMessage", await client.sendMessage({ ...rest, message: marked })),
    );
  };
  const task = await saying(TASK, { reward: 0.25 });
  const bob = await service.register("bob");
  note("newcomer POST /register", bob);
  const board = note("newcomer GET /requests", await bob.get("/requests?status=open&limit=5"));
  const { id: request_id } = board.body.requests[0];
  note(
    "newcomer POST /request/answer",
    await bob.post("/request/answer", { request_id, answer: ANSWER }),
  );
  const waiting = { tenant: "", id: task.id, historyLength: undefined };
  const worked = note("asker GetTask", await client.getTask(waiting));
  const [offered] = worked.artifacts;
  const paid = await saying(
    "Thanks.",
    { accept: Number(offered?.artifactId.replace(/\D/g, "")) },
    task.id,
  );
  assert.equal(paid.status?.state, TaskState.TASK_STATE_COMPLETED);
  const coin = note("newcomer GET /coin", await bob.get("/coin"));
  assert.equal(coin.body.you.balance, 0.25);
  end();
});

function bodyOf({ content, isError = false }: ToolResult) {
  const text = content[0]?.text ?? "";
  assert.equal(isError, false, text);
  return Object(JSON.parse(text)); // Tests read fields of results freely.
}
