import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { speakerOf } from "../../../test/a2a.ts";
import { eachEngine } from "../../../test/service.ts";

const message = (fields: object = {}) => ({
  kind: "message",
  role: "user",
  messageId: randomUUID(),
  parts: [{ kind: "text", text: "Do this." }],
  ...fields,
});

eachEngine("clients of 0.3 delegate, ask and cancel in their own terms", async (service) => {
  const [ada, bob] = [await service.register(), await service.register()];
  const { call: callOf } = speakerOf(service, ada);
  const call = (method: string, params?: unknown) => callOf(method, params, { version: "none" });
  const parts = [
    { kind: "text", text: "Do this." },
    { kind: "data", data: { rows: [1] } },
    { kind: "file", file: { uri: "https://files.example/a", mimeType: "text/plain", name: "a" } },
  ];
  const sent = { message: message({ parts }), configuration: { blocking: true } };
  const { jsonrpc, id: rpcId, result: task } = await call("message/send", sent);
  assert.deepEqual([jsonrpc, rpcId], ["2.0", 7]);
  assert.deepEqual([task.kind, task.status.state], ["task", "submitted"]);
  assert.deepEqual([task.history[0].kind, task.history[0].role], ["message", "user"]);
  assert.deepEqual(task.history[0].parts, parts);
  assert.deepEqual([task.status.message.kind, task.status.message.role], ["message", "agent"]);
  const board = (await service.get(`/request/${task.id}`)).body.request;
  assert.deepEqual([board.status, board.parts.length], ["open", 3]);
  assert.deepEqual((await call("tasks/get", { id: task.id })).result, task);
  assert.equal((await call("message/send", sent)).result.id, task.id);

  await bob.post("/request/answer", { request_id: task.id, answer: "Done." });
  const { result: done } = await call("tasks/get", { id: task.id, historyLength: 0 });
  assert.deepEqual([done.status.state, done.history], ["completed", undefined]);
  assert.deepEqual(done.artifacts[0].parts, [{ kind: "text", text: "Done." }]);
  assert.equal((await call("tasks/cancel", { id: task.id })).error.code, -32002);

  const { result: other } = await call("message/send", { message: message() });
  const { result: canceled } = await call("tasks/cancel", { id: other.id });
  assert.deepEqual([canceled.kind, canceled.status.state], ["task", "canceled"]);
});

eachEngine("clients of 0.3 are refused in static words", async (service) => {
  const [ada, eve] = [await service.register(), await service.register()];
  const { call } = speakerOf(service, ada);
  const { result: task } = await call("message/send", { message: message() });
  const foreign = await speakerOf(service, eve).call("tasks/get", { id: task.id });
  assert.equal(foreign.error.code, -32001);
  const before = (await service.get("/requests")).body;
  const refused: readonly (readonly [number, string, unknown])[] = [
    [-32001, "tasks/get", { id: "99" }],
    [-32001, "tasks/resubscribe", { id: "99" }],
    [-32003, "tasks/pushNotificationConfig/get", { id: task.id }],
    [-32003, "tasks/pushNotificationConfig/list", { id: task.id }],
    [-32003, "tasks/pushNotificationConfig/delete", { id: task.id }],
    [-32007, "agent/getAuthenticatedExtendedCard", undefined],
    [
      -32005,
      "message/send",
      { message: message({ parts: [{ kind: "file", file: { bytes: "eA==" } }] }) },
    ],
    [-32601, "tasks/list", {}],
    ...[
      [{ kind: "squirrel" }],
      [{ kind: "text" }],
      [{ kind: "text", text: 5 }],
      [{ kind: "file" }],
      [{ kind: "file", file: { uri: 7 } }],
      [{ kind: "file", file: { uri: "https://a.example", mimeType: 5 } }],
      [null],
      {},
    ].map((parts) => [-32602, "message/send", { message: message({ parts }) }] as const),
    ...[{ contextId: {} }, { taskId: {} }, { messageId: 5 }, { role: "squirrel" }].map(
      (fields) => [-32602, "message/send", { message: message(fields) }] as const,
    ),
    [-32602, "message/send", {}],
    [-32602, "tasks/get", { id: 7 }],
    [-32602, "tasks/get", { id: task.id, historyLength: "squirrel" }],
    [-32602, "tasks/get", "squirrel"],
  ];
  for (const [code, method, params] of refused) {
    const { error } = await call(method, params);
    assert.equal(error?.code, code, `${method} ${JSON.stringify(params)}`);
    assert.doesNotMatch(error.message, /squirrel|Cannot|undefined \(/);
  }
  assert.deepEqual((await service.get("/requests")).body, before);
  assert.deepEqual(service.alarms, []);
});
