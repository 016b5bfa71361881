import assert from "node:assert/strict";
import { type Task, TaskState } from "@a2a-js/sdk";
import {
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import { clientOf, one, sending } from "../../../test/a2a-client.ts";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine } from "../../../test/service.ts";

const listing = (fields: object = {}) => ({
  tenant: "",
  contextId: "",
  status: TaskState.TASK_STATE_UNSPECIFIED,
  pageToken: "",
  statusTimestampAfter: undefined,
  ...fields,
});

/** A message would have no status. */
const asTask = (result: object): Task =>
  "status" in result ? Object(result) : assert.fail("no task came back");
const textIn = (task: Task) => task.artifacts[0]?.parts[0]?.content?.value;

for (const binding of ["JSONRPC", "HTTP+JSON"] as const) {
  eachEngine(
    `a delegated task is published and waits for an answer: ${binding}`,
    async (service) => {
      const [ada, bob] = [await service.register("ada"), await service.register("bob")];
      const client = await clientOf(service, ada, binding);
      const sent = asTask(await client.sendMessage(sending("Summarise this.")));
      const { id, contextId } = sent;
      assert.equal(sent.status?.state, TaskState.TASK_STATE_SUBMITTED);
      assert.equal(sent.status.timestamp, "2027-01-15T08:00:00Z");
      assert.match(String(sent.status.message?.parts[0]?.content?.value), /does not execute it/);
      assert.match(contextId, /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      assert.deepEqual(sent.metadata, {
        requestId: Number(id),
        boardUrl: "http://127.0.0.1:8080/api/v1/requests",
        answersUrl: `http://127.0.0.1:8080/api/v1/request/${id}`,
        executed: false,
        verified: false,
      });
      const [shown] = (await service.get("/requests")).body.requests;
      assert.deepEqual(
        [shown.id, shown.text, shown.from.agent_id, shown.status],
        [Number(id), "Summarise this.", ada.agent_id, "open"],
      );
      assert.equal((await client.getTask(one(id))).contextId, contextId);

      service.pass(5);
      const more = asTask(await client.sendMessage(sending("In five lines.", { taskId: id })));
      assert.deepEqual(
        more.history.map(({ parts }) => parts[0]?.content?.value),
        ["Summarise this.", "In five lines."],
      );
      await bob.post("/request/answer", { request_id: id, answer: "One line." });
      service.pass(5);
      await bob.post("/request/answer", { request_id: id, answer: "Another." });
      const answered = await client.getTask(one(id));
      assert.equal(answered.status?.state, TaskState.TASK_STATE_COMPLETED);
      assert.equal(answered.status.timestamp, "2027-01-15T08:00:05Z");
      assert.match(String(answered.status.message?.parts[0]?.content?.value), /unverified/);
      assert.equal(answered.artifacts.length, 1);
      assert.equal(textIn(answered), "One line.", "the first answer stays the artifact");
      const { answerId, ...metadata } = answered.artifacts[0]?.metadata ?? {};
      assert.ok(answerId > 0);
      assert.deepEqual(metadata, { verified: false, answeredBy: bob.agent_id, flagged: null });
      const { tasks, totalSize, nextPageToken } = await client.listTasks(listing());
      assert.deepEqual([tasks.map((task) => task.id), totalSize, nextPageToken], [[id], 1, ""]);
      await assert.rejects(client.cancelTask(one(id)), TaskNotCancelableError);
      await assert.rejects(
        client.sendMessage(sending("Too late.", { taskId: id })),
        UnsupportedOperationError,
      );
    },
  );

  eachEngine(`an agent sees and moves its own tasks only: ${binding}`, async (service) => {
    const [ada, eve] = [await service.register(), await service.register()];
    const [owner, other] = [
      await clientOf(service, ada, binding),
      await clientOf(service, eve, binding),
    ];
    const { id, contextId } = asTask(await owner.sendMessage(sending("Mine.")));
    for (const unknown of [id, "99", "0", "x", "9".repeat(30)]) {
      await assert.rejects(other.getTask(one(unknown)), TaskNotFoundError);
      await assert.rejects(other.cancelTask(one(unknown)), TaskNotFoundError);
      const more = sending("More.", { taskId: unknown });
      await assert.rejects(other.sendMessage(more), TaskNotFoundError);
    }
    for (const filter of [{}, { contextId }]) {
      const { tasks, totalSize } = await other.listTasks(listing(filter));
      assert.deepEqual([tasks, totalSize], [[], 0]);
    }
    const own = asTask(await other.sendMessage(sending("Too.", { contextId })));
    assert.equal(own.contextId, contextId, "a context is each agent's own");
    assert.equal((await owner.listTasks(listing({ contextId }))).totalSize, 1);

    const canceled = await owner.cancelTask(one(id));
    assert.equal(canceled.status?.state, TaskState.TASK_STATE_CANCELED);
    assert.equal((await service.get(`/request/${id}`)).body.request.status, "withdrawn");
    await assert.rejects(owner.cancelTask(one(id)), TaskNotCancelableError);
  });

  eachEngine(`a message that is sent again makes no second task: ${binding}`, async (service) => {
    const ada = await service.register();
    const client = await clientOf(service, ada, binding);
    const once = sending("Once.", { messageId: "m-1" });
    const { id } = asTask(await client.sendMessage(once));
    assert.equal(asTask(await client.sendMessage(once)).id, id);
    const more = sending("More.", { messageId: "m-2", taskId: id });
    for (const _ of [1, 2]) assert.equal(asTask(await client.sendMessage(more)).history.length, 2);
    const others = [
      sending("Other.", { messageId: "m-1" }),
      sending("Other.", { messageId: "m-1", taskId: id }),
      sending("Other.", { messageId: "m-2", taskId: id }),
    ];
    for (const other of others)
      await assert.rejects(client.sendMessage(other), {
        name: "RequestMalformedError",
        message: new RegExp(`This messageId made task ${id} with another content`),
      });
    await service.sequenced();
    const kinds = (await readLedger(service)).map(({ kind }) => kind);
    assert.deepEqual(
      kinds.filter((kind) => kind.startsWith("request")),
      ["request", "request_message"],
    );
  });
}

for (const binding of ["JSONRPC", "HTTP+JSON"] as const)
  eachEngine(`a sender is told what of its message is not kept: ${binding}`, async (service) => {
    const ada = await service.register("ada");
    const client = await clientOf(service, ada, binding);
    const plain = sending("Summarise this.");
    const [part] = plain.message.parts;
    assert.ok(part);
    const message = {
      ...plain.message,
      metadata: { skill: "summary", priority: 1 },
      extensions: ["https://example.org/ext/v1"],
      referenceTaskIds: ["7"],
      parts: [{ ...part, metadata: { lang: "en" }, filename: "a.md", mediaType: "text/markdown" }],
    };
    const dropped = [
      "metadata.skill",
      "metadata.priority",
      "extensions",
      "referenceTaskIds",
      "parts[0].metadata",
      "parts[0].filename",
    ];
    const sent = asTask(await client.sendMessage({ ...plain, message }));
    assert.deepEqual(sent.metadata?.["notKept"], dropped);
    const again = { ...message, messageId: "another" };
    for await (const { payload } of client.sendMessageStream({ ...plain, message: again })) {
      assert.ok(payload?.$case === "task");
      assert.deepEqual(payload.value.metadata?.["notKept"], dropped);
      break;
    }
    assert.equal((await client.getTask(one(sent.id))).metadata?.["notKept"], undefined);
  });
