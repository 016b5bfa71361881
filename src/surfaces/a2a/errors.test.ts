import assert from "node:assert/strict";
import { it } from "node:test";
import { toJsonRpcError } from "@a2a-js/sdk/errors";
import { message, speakerOf } from "../../../test/a2a.ts";
import { eachEngine } from "../../../test/service.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { refusalOf, restRefusal } from "./refusals.ts";

// Checks of the public compatibility kit (a2aproject/a2a-tck, branch 1.0-dev), by its names.

const INFO = "type.googleapis.com/google.rpc.ErrorInfo";
const CONFIG = "/tasks/OPEN/pushNotificationConfigs";

/** A method, the same in HTTP, and its parameters. OPEN and DONE are ids of tasks. */
type Refused = readonly [method: string, path: string, params: object];

const send = (fields: object, more: object = {}): Refused => [
  "SendMessage",
  "POST /message:send",
  { message: message(fields), ...more },
];

const REFUSALS: readonly (readonly [number, string, number, readonly Refused[]])[] = [
  [
    -32001,
    "TASK_NOT_FOUND",
    404,
    [
      ["GetTask", "GET /tasks/x-99", { id: "x-99" }],
      ["CancelTask", "POST /tasks/99:cancel", { id: "99" }],
      send({ taskId: "99" }),
    ],
  ],
  [-32002, "TASK_NOT_CANCELABLE", 400, [["CancelTask", "POST /tasks/DONE:cancel", { id: "DONE" }]]],
  [
    -32003,
    "PUSH_NOTIFICATION_NOT_SUPPORTED",
    400,
    [
      send({}, { configuration: { taskPushNotificationConfig: { url: "https://a.example" } } }),
      ["CreateTaskPushNotificationConfig", `POST ${CONFIG}`, { taskId: "OPEN" }],
      ["ListTaskPushNotificationConfigs", `GET ${CONFIG}`, { taskId: "OPEN" }],
      ["GetTaskPushNotificationConfig", `GET ${CONFIG}/1`, { taskId: "OPEN", id: "1" }],
      ["DeleteTaskPushNotificationConfig", `DELETE ${CONFIG}/1`, { taskId: "OPEN", id: "1" }],
    ],
  ],
  [
    -32004,
    "UNSUPPORTED_OPERATION",
    400,
    [
      send({ taskId: "DONE" }),
      ["SendStreamingMessage", "POST /message:stream", { message: message({ taskId: "DONE" }) }],
      ["SubscribeToTask", "POST /tasks/DONE:subscribe", { id: "DONE" }],
      ["SubscribeToTask", "GET /tasks/DONE:subscribe", { id: "DONE" }],
    ],
  ],
  [
    -32005,
    "CONTENT_TYPE_NOT_SUPPORTED",
    400,
    [
      send({ parts: [{ raw: "dGNr", mediaType: "text/plain" }] }),
      send({ parts: [{ text: "x", mediaType: "image/png" }] }),
    ],
  ],
  [
    -32007,
    "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
    400,
    [["GetExtendedAgentCard", "GET /extendedAgentCard", {}]],
  ],
  [
    -32602,
    "INVALID_PARAMS",
    400,
    [send({ taskId: "OPEN", contextId: "another" }), send({ messageId: undefined })],
  ],
];

eachEngine("ERR, CAP: refusals have their codes, statuses and reasons", async (service) => {
  const [ada, bob] = [await service.register(), await service.register()];
  const { call, rest, delegate } = speakerOf(service, ada);
  const [done, open] = [await delegate(), await delegate()];
  await bob.post("/request/answer", { request_id: done.id, answer: "x" });
  const filled = (text: string) => text.replace("DONE", done.id).replace("OPEN", open.id);
  for (const [code, reason, status, calls] of REFUSALS) {
    const info = { "@type": INFO, reason, domain: "a2a-protocol.org" };
    for (const [method, path, fields] of calls) {
      const params = JSON.parse(filled(JSON.stringify(fields)));
      const { error, result } = await call(method, params);
      assert.equal(result, undefined, method);
      assert.deepEqual([error.code, error.data], [code, [info]], method);
      const [verb = "", place = ""] = filled(path).split(" ");
      const answer = await rest(verb, place, verb === "POST" ? params : undefined);
      assert.equal(answer.status, status, path);
      assert.equal(answer.headers.get("content-type"), "application/json");
      const { status: name, ...said } = answer.body.error;
      assert.deepEqual(said, { code: status, message: error.message, details: [info] });
      assert.match(name, /^[A-Z_]+$/);
    }
  }
});

eachEngine("ERR: what is no call is told in JSON-RPC", async (service) => {
  const ada = await service.register();
  const { post, call, rest } = speakerOf(service, ada);
  const codeOf = async (body: string, type?: string) => {
    const answer = await post(body, type === undefined ? {} : { type });
    assert.equal(answer.status, 200);
    assert.deepEqual([answer.body.jsonrpc, answer.body.id], ["2.0", null]);
    return answer.body.error.code;
  };
  assert.equal(await codeOf('{"jsonrpc":'), -32700);
  for (const body of ["[]", "7", "{}", '{"jsonrpc":"1.0","method":"GetTask"}', '{"jsonrpc":"2.0"}'])
    assert.equal(await codeOf(body), -32600, body);
  assert.equal(await codeOf('{"jsonrpc":"2.0","id":1.5,"method":"GetTask"}'), -32600);
  assert.equal(await codeOf("{}", "text/plain"), -32005);
  const large = await post(JSON.stringify({ pad: "x".repeat(512 * 1_024) }));
  assert.deepEqual([large.status, large.body.error], [413, "body_too_large"]);
  for (const method of ["", "getTask", "tasks/list", "toString"])
    assert.equal((await call(method)).error.code, -32601, method);
  for (const params of [undefined, null, [], "x", { "": 1 }])
    assert.equal((await call("GetTask", params)).error.code, -32602);
  assert.deepEqual(
    (await call("ListTasks")).result.tasks,
    [],
    "all of its parameters are optional",
  );
  assert.match((await call("SendMessage", {})).error.message, /^Send a message: /);
  const unnamed = await call("SendMessage", { message: message({ messageId: undefined }) });
  assert.match(unnamed.error.message, /messageId: /, "as the protocol spells it");
  const typed = await rest("POST", "/message:send", { message: message() }, { type: "text/plain" });
  assert.deepEqual([typed.status, typed.body.error.code], [415, 415]);
  assert.equal(typed.body.error.details[0].reason, "CONTENT_TYPE_NOT_SUPPORTED");

  const nowhere = await rest("GET", "/nothing");
  assert.deepEqual([nowhere.status, nowhere.body.error.status], [404, "NOT_FOUND"]);
  const wrong = await rest("DELETE", "/tasks/1");
  assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
  for (const path of ["/a2a", "/a2a/rest/message:send"]) {
    const { status, headers } = await service.post(path, {});
    assert.equal(status, 401);
    assert.equal(headers.get("www-authenticate"), 'Bearer realm="cairn"');
  }
  assert.equal((await service.get("/a2a")).headers.get("allow"), "POST, OPTIONS");
  assert.deepEqual((await service.get("/requests")).body.requests, []);
});

eachEngine("a colon may be encoded, and no member of data is lost", async (service) => {
  const { call, post, rest } = speakerOf(service, await service.register());
  const encoded = await rest("POST", "/message%3Asend", { message: message() });
  assert.equal(encoded.status, 200, "a colon may be encoded");
  const canceled = await rest("POST", `/tasks/${encoded.body.task.id}%3acancel`, {});
  assert.deepEqual([canceled.status, canceled.body.status.state], [200, "TASK_STATE_CANCELED"]);
  const data = '{"__proto__":{"a":[1]},"b":{"__proto__":null,"constructor":1}}';
  const params = JSON.stringify({ message: message({ parts: [{ data: "DATA" }] }) });
  const sent = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${params.replace('"DATA"', data)}}`;
  const { id } = (await post(sent)).body.result.task;
  const { history } = (await call("GetTask", { id, historyLength: 9 })).result;
  assert.equal(JSON.stringify(history[0].parts[0].data), data);
});

eachEngine("VER: 1.0 is spoken, 0.3 in JSON-RPC, and no other", async (service) => {
  const ada = await service.register();
  const { call, rest } = speakerOf(service, ada);
  for (const version of ["1.0", "1.0.7", "0.3", "", "none"])
    assert.ok((await call("ListTasks", {}, { version })).result, version);
  for (const version of ["2.0", "99.0", "1", "x", "0.2"])
    assert.equal((await call("ListTasks", {}, { version })).error.code, -32009, version);
  for (const version of ["1.0", "none"])
    assert.equal((await rest("GET", "/tasks", undefined, { version })).status, 200);
  for (const version of ["0.3", "2.0"]) {
    const { status, body } = await rest("GET", "/tasks", undefined, { version });
    assert.deepEqual([status, body.error.details[0].reason], [400, "VERSION_NOT_SUPPORTED"]);
  }
  const asked = await rest("GET", "/tasks?A2A-Version=2.0", undefined, { version: "none" });
  assert.equal(asked.status, 400, "a parameter may stand for the header");
});

it("a failure of the service has its own code as the reason", () => {
  const refusal = refusalOf(new Rejection("storage_unavailable", "Try again."));
  const details = [{ "@type": INFO, reason: "STORAGE_UNAVAILABLE", domain: "a2a-protocol.org" }];
  const message = "Try again.";
  assert.deepEqual(toJsonRpcError(refusal), { code: -32603, message, data: details });
  assert.deepEqual(restRefusal(refusal), {
    status: 503,
    body: { error: { code: 503, status: "UNAVAILABLE", message, details } },
  });
});

eachEngine("a refusal says what is taken in the place of what was sent", async (service) => {
  const speaker = speakerOf(service, await service.register("ada"));
  const { id } = await speaker.delegate();
  const ours = (terms: unknown) => ({ metadata: { "urn:agent-network:requests:v1": terms } });
  const send = (fields: object) => ["SendMessage", { message: message(fields) }] as const;
  const cases: readonly (readonly [method: string, params: unknown, says: RegExp])[] = [
    [...send({ parts: [] }), /parts: must have a part: \[\{"text"/],
    [...send({ parts: ["Do this."] }), /parts\.0: must have text, data or url/],
    [...send({ parts: [{ image: "x" }] }), /parts\.0: must have text, data or url/],
    ["SendMessage", {}, /Send a message: \{"messageId"/],
    ["SendMessage", [1], /fit this method: \{"message": \{"messageId"/],
    [
      "message/send",
      { message: message() },
      /fit this method: \{"message": \{"kind": "message".*"kind": "text"/,
    ],
    ["GetTask", [1], /fit this method: \{"id": /],
    ["GetTask", { id: "99" }, /ListTasks lists yours; POST \/api\/v1\/request\/answer/],
    ["ListTasks", { pageSize: 0 }, /pageSize: must be at least 1/],
    ["ListTasks", { status: "open" }, /status: must be one of TASK_STATE_SUBMITTED, /],
    [...send(ours({ bounty: 1 })), /v1"\]\.bounty: is no field here; send it as `reward`/],
    [...send(ours({ colour: 1 })), /v1"\]\.colour: is no field here; there are .*reward/],
    [...send(ours([1])), /v1"\]: must be an object/],
    [...send(ours({ accept: 1 })), /v1"\]\.accept: goes with the taskId of your own task/],
    [...send({ taskId: id, ...ours({ award: 1 }) }), /v1"\]: must be \{ accept: answer_id \} or/],
    [
      ...send({ taskId: id, metadata: { accept: 1 } }),
      /metadata\.accept: is read in metadata\["urn/,
    ],
  ];
  for (const [method, params, says] of cases) {
    const { error } = await speaker.call(method, params);
    assert.match(error.message, says);
    assert.ok(error.message.length <= 1_500);
  }
  const { requests } = (await service.get("/requests")).body;
  assert.deepEqual([requests.length, requests[0].id], [1, Number(id)]);
  const { history } = (await speaker.call("GetTask", { id })).result;
  assert.equal(history.length, 1, "an acceptance in the wrong place is no message");
});
