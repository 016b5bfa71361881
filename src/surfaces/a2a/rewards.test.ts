import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type SendMessageRequest, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import { RequestMalformedError, TaskNotCancelableError } from "@a2a-js/sdk/errors";
import { speakerOf } from "../../../test/a2a.ts";
import { clientOf, one, sending } from "../../../test/a2a-client.ts";
import { newPair, setKey } from "../../../test/act-keys.ts";
import { wealthy } from "../../../test/coin.ts";
import { eventually } from "../../../test/postgres-store.ts";
import { eachEngine, type TestAgent } from "../../../test/service.ts";
import { endOverdueRequests } from "../../domains/requests/deadlines.ts";
import { days } from "../../platform/kernel/time.ts";
import { REQUESTS_EXTENSION } from "../describe/agent-card.ts";

/** A message with the metadata of the extension. */
function saying(text: string, said: object, taskId?: string): SendMessageRequest {
  const { message, ...rest } = sending(text, taskId === undefined ? {} : { taskId });
  return { ...rest, message: { ...message, metadata: { [REQUESTS_EXTENSION]: said } } };
}

/** A message would have no status. */
const asTask = (result: object): Task =>
  "status" in result ? Object(result) : assert.fail("no task came back");
const stateOf = ({ status }: Task) => status?.state;
const outcomes = ({ artifacts }: Task) =>
  artifacts.map(({ artifactId, metadata }) => [artifactId, metadata?.["outcome"]]);

eachEngine("terms in another place make no task", async (service) => {
  const { call } = speakerOf(service, await service.register());
  const terms = { dry_run: true, reward: 0.1 };
  const said = async (inMessage: object, ofRequest: object) => {
    const parts = [{ text: "Say hello." }];
    const message = { messageId: randomUUID(), role: "ROLE_USER", parts, metadata: inMessage };
    const { error } = await call("SendMessage", { message, metadata: ofRequest });
    assert.match(error.message, /terms of a task stand in .* alone\. Nothing was done/);
  };
  await said({}, { [REQUESTS_EXTENSION]: terms });
  await said({ [REQUESTS_EXTENSION]: { ends: "first" } }, { [REQUESTS_EXTENSION]: terms });
  await said({ [REQUESTS_EXTENSION.replace(/1$/, "2")]: terms }, {});
  assert.equal((await service.get("/requests")).body.count, 0);
});

eachEngine("terms are read as a body of REST is", async (service) => {
  const [ada] = await wealthy(service, 1);
  assert.ok(ada !== undefined);
  await service.register("bob");
  const { call } = speakerOf(service, ada);
  const ask = async (terms: object) => {
    const metadata = { [REQUESTS_EXTENSION]: { ends: "accepted", ...terms } };
    const parts = [{ text: "Say hello." }];
    const message = { messageId: randomUUID(), role: "ROLE_USER", parts, metadata };
    const { result, error } = await call("SendMessage", { message });
    assert.equal(error, undefined, JSON.stringify([terms, error]));
    return (await service.get(`/request/${result.task.id}`)).body.request;
  };
  for (const questions of [true, "true", "yes", 1, "1"])
    assert.equal((await ask({ questions })).questions, true, String(questions));
  for (const questions of [false, "no", 0, null])
    assert.equal((await ask({ questions })).questions, false, String(questions));
  const spelled = await ask({ ends: "Accepted", closesAt: "7 days", to: "@Bob", reward: "0.5" });
  assert.deepEqual(
    [spelled.closes_at - spelled.created_at, spelled.to.handle, spelled.reward],
    [days(7), "bob", 0.5],
  );
  const wrong = { messageId: "w", role: "ROLE_USER", parts: [{ text: "x" }] };
  for (const questions of [2, "perhaps", []]) {
    const metadata = { [REQUESTS_EXTENSION]: { ends: "accepted", questions } };
    const { error } = await call("SendMessage", { message: { ...wrong, metadata } });
    assert.deepEqual([error.code, /questions: /.test(error.message)], [-32602, true]);
  }
});

const answerBy = async (agent: TestAgent, request_id: string, more: object = {}) => {
  const sent = { request_id, answer: "Ahoj.", ...more };
  const { status, body } = await agent.post("/request/answer", sent);
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
};

for (const binding of ["JSONRPC", "HTTP+JSON"] as const)
  eachEngine(`a task is asked back, judged and paid: ${binding}`, async (service) => {
    const [ada] = await wealthy(service, 1);
    assert.ok(ada !== undefined);
    const [bob, eve] = [await service.register("bob"), await service.register("eve")];
    const client = await clientOf(service, ada, binding);
    const terms = { ends: "accepted", reward: 0.5, capability: "Czech", questions: 1 };
    const task = asTask(await client.sendMessage(saying("Say hello in Czech.", terms)));
    const { id } = task;
    assert.equal(stateOf(task), TaskState.TASK_STATE_SUBMITTED);

    await answerBy(bob, id, { answer: "To one, or to many?", kind: "question" });
    const asked = await client.getTask(one(id));
    assert.equal(stateOf(asked), TaskState.TASK_STATE_INPUT_REQUIRED);
    assert.match(JSON.stringify(asked.status), /To one, or to many/);
    const replied = asTask(await client.sendMessage(sending("To one.", { taskId: id })));
    assert.equal(stateOf(replied), TaskState.TASK_STATE_SUBMITTED);

    const spam = await answerBy(eve, id, { answer: "Buy!" });
    const answer = await answerBy(bob, id);
    const working = await client.getTask(one(id));
    assert.equal(stateOf(working), TaskState.TASK_STATE_WORKING);
    assert.deepEqual(outcomes(working), [
      [`answer-${answer}`, null],
      [`answer-${spam}`, null],
    ]);
    await assert.rejects(client.cancelTask(one(id)), TaskNotCancelableError);
    for (const wrong of [{ accept: "x" }, { accept: answer, refuse: spam }, { reward: 1 }])
      await assert.rejects(client.sendMessage(saying("x", wrong, id)), RequestMalformedError);
    await client.sendMessage(saying("No work of yours.", { refuse: spam }, id));
    const paid = asTask(await client.sendMessage(saying("Thanks.", { accept: answer }, id)));
    assert.equal(stateOf(paid), TaskState.TASK_STATE_COMPLETED);
    assert.deepEqual(outcomes(paid), [
      [`answer-${answer}`, "accepted"],
      [`answer-${spam}`, "refused"],
    ]);
    assert.equal((await bob.get("/coin")).body.you.balance, 0.5);
  });

eachEngine(
  "a task that nobody answers fails by its time, and lists find each state",
  async (service) => {
    const [ada, bob] = [await service.register("ada"), await service.register("bob")];
    const client = await clientOf(service, ada, "JSONRPC");
    const ask = async (more: object = {}) =>
      asTask(await client.sendMessage(saying("Add.", { ends: "accepted", ...more }))).id;
    const [untouched, worked, asked] = [await ask(), await ask(), await ask({ questions: 1 })];
    await answerBy(bob, worked);
    await answerBy(bob, asked, { kind: "question" });
    const listed = async (status: TaskState) => {
      const all = { tenant: "", contextId: "", pageToken: "", statusTimestampAfter: undefined };
      return (await client.listTasks({ ...all, status })).tasks.map(({ id }) => id);
    };
    assert.deepEqual(await listed(TaskState.TASK_STATE_SUBMITTED), [untouched]);
    assert.deepEqual(await listed(TaskState.TASK_STATE_WORKING), [worked]);
    assert.deepEqual(await listed(TaskState.TASK_STATE_INPUT_REQUIRED), [asked]);
    service.pass(days(7));
    await endOverdueRequests(service.service.context);
    assert.deepEqual((await listed(TaskState.TASK_STATE_FAILED)).length, 3);
    assert.deepEqual(await listed(TaskState.TASK_STATE_CANCELED), []);
    assert.equal(stateOf(await client.getTask(one(worked))), TaskState.TASK_STATE_FAILED);
  },
);

eachEngine(
  "a stream tells of each answer, and ends when its asker has to speak",
  async (service) => {
    const [ada, bob] = [await service.register("ada"), await service.register("bob")];
    const client = await clientOf(service, ada, "JSONRPC");
    const stream = client.sendMessageStream(saying("Add.", { ends: "accepted", questions: 1 }));
    const next = async (): Promise<StreamResponse["payload"]> =>
      (await stream.next()).value?.payload;
    const first = await next();
    const id = first?.$case === "task" ? first.value.id : assert.fail("no task came first");
    const whenWaiting = () => eventually(() => service.service.ledgerSignal.waiting() > 0);
    const artifact = next();
    await whenWaiting();
    await answerBy(bob, id);
    assert.equal((await artifact)?.$case, "artifactUpdate");
    const status = await next();
    assert.equal(status?.$case === "statusUpdate" && stateOf(Object(status.value)), 2);
    const question = next();
    await whenWaiting();
    await answerBy(await service.register(), id, { kind: "question" });
    const asked = await question;
    assert.equal(asked?.$case, "statusUpdate");
    assert.equal((await stream.next()).done, true);
  },
);

eachEngine(
  "clients of 0.3 choose an answer, and a key's acts are not done for it",
  async (service) => {
    const [ada, bob] = [await service.register("ada"), await service.register("bob")];
    const { call: callOf } = speakerOf(service, ada);
    const call = (params: object) => callOf("message/send", params, { version: "none" });
    const message = (said: object, taskId?: string) => ({
      message: {
        kind: "message",
        role: "user",
        messageId: randomUUID(),
        taskId,
        parts: [{ kind: "text", text: "Do this." }],
        metadata: { [REQUESTS_EXTENSION]: said },
      },
    });
    const { result: task } = await call(message({ ends: "accepted" }));
    const answer = await answerBy(bob, task.id);
    const { result: other } = await call(message({ ends: "accepted" }));
    const stray = await call(message({ accept: answer }, other.id));
    assert.match(stray.error.message, /no answer with this id/);
    const { result: done } = await call(message({ accept: answer }, task.id));
    assert.deepEqual(
      [done.status.state, done.artifacts[0].artifactId],
      ["completed", `answer-${answer}`],
    );
    await setKey(ada, newPair());
    const { error } = await call(message({ ends: "accepted" }));
    assert.match(error.message, /act key signs/);
  },
);
