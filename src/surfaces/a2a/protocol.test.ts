import assert from "node:assert/strict";
import { message, speakerOf } from "../../../test/a2a.ts";
import { eachEngine } from "../../../test/service.ts";
import { removeRequest } from "../../domains/requests/intake.ts";
import { FOLLOW_UPS_MAX } from "../../domains/requests/rules.ts";

// Checks of the public compatibility kit (a2aproject/a2a-tck, branch 1.0-dev), by its names.

/** Every name of a member, at any depth. */
const namesIn = (value: unknown): string[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([name, member]) => [
        ...(Array.isArray(value) ? [] : [name]),
        ...namesIn(member),
      ]);

eachEngine("DM: what is on the wire is the protocol's JSON", async (service) => {
  const ada = await service.register();
  const { call, rest } = speakerOf(service, ada);
  const parts = [
    { text: "One.", mediaType: "text/markdown" },
    { data: { rows: [1, null], input: { reward: 1, to: "de" } } },
    { url: "https://files.example/a", filename: "a.json", mediaType: "application/json" },
    { text: "Two." },
  ];
  const sent = { message: message({ parts, tckUnknownField: 1 }), tckExtraParam: 42 };
  const { jsonrpc, id, result } = await call("SendMessage", sent);
  assert.deepEqual([jsonrpc, id, Object.keys(result)], ["2.0", 7, ["task"]]);
  const { task } = result;
  const { status, history } = task;
  assert.equal(status.state, "TASK_STATE_SUBMITTED");
  assert.match(status.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.deepEqual([status.message.role, history[0].role], ["ROLE_AGENT", "ROLE_USER"]);
  assert.equal(history[0].messageId, sent.message.messageId);
  assert.deepEqual(history[0].parts, [{ text: "One." }, ...parts.slice(1)]);
  assert.ok(
    namesIn(result).every((name) => /^[a-z][A-Za-z]*$/.test(name)),
    "camelCase, no $case",
  );
  assert.ok(!("artifacts" in task));

  const board = (await service.get(`/request/${task.id}`)).body.request;
  assert.equal(board.text, "One.\n\nTwo.");
  assert.deepEqual(board.parts, history[0].parts);
  const read = await rest("GET", `/tasks/${task.id}`);
  assert.deepEqual([read.status, read.body], [200, task]);
  assert.equal(read.headers.get("content-type"), "application/a2a+json");
  assert.equal(read.headers.get("cache-control"), "no-store");
  const again = await rest("POST", "/message:send", sent, { type: "application/a2a+json" });
  assert.deepEqual([again.status, again.body], [200, { task }]);
  const dataOnly = await rest("POST", "/message:send", {
    message: message({ parts: [{ data: 1 }] }),
  });
  assert.equal((await service.get(`/request/${dataOnly.body.task.id}`)).body.request.text, "");
});

eachEngine(
  "HIST, MULTI: an open task takes more messages, and shows as many as asked",
  async (service) => {
    const ada = await service.register();
    const { call, rest, delegate } = speakerOf(service, ada);
    const { id, contextId } = await delegate({ contextId: "of mine" });
    assert.equal(contextId, "of mine");
    const more = (fields: object = {}) =>
      call("SendMessage", {
        message: message({ taskId: id, ...fields }),
        configuration: { historyLength: 2 },
      });
    for (let n = 1; n <= FOLLOW_UPS_MAX; n++) {
      const { task } = (await more({ parts: [{ text: `${n}` }] })).result;
      assert.equal(task.contextId, contextId, "it is inferred");
      assert.equal(task.history.length, 2);
      assert.equal(task.history[1].parts[0].text, `${n}`, "oldest first");
    }
    const { error } = await more();
    assert.deepEqual([error.code, /20/.test(error.message)], [-32004, true]);
    const lengths = [
      [{ id }, FOLLOW_UPS_MAX + 1],
      [{ id, historyLength: 5 }, 5],
      [{ id, historyLength: 99 }, FOLLOW_UPS_MAX + 1],
      [{ id, historyLength: 0 }, undefined],
    ] as const;
    for (const [params, length] of lengths) {
      const { result } = await call("GetTask", params);
      assert.equal(result.history?.length, length);
      const query = "historyLength" in params ? `?historyLength=${params.historyLength}` : "";
      assert.deepEqual((await rest("GET", `/tasks/${id}${query}`)).body, result);
    }
    for (const historyLength of [-1, 1.5, "x"])
      assert.equal((await call("GetTask", { id, historyLength })).error.code, -32602);
  },
);

eachEngine(
  "SEND: what is refused leaves nothing, and what was sent is not quoted",
  async (service) => {
    const ada = await service.register();
    const { call } = speakerOf(service, ada);
    const wrong: readonly object[] = [
      { role: "ROLE_AGENT" },
      { role: undefined },
      { messageId: "" },
      { messageId: "x".repeat(129) },
      { contextId: "x".repeat(129) },
      { parts: [] },
      { parts: undefined },
      { parts: "squirrel" },
      { parts: [null] },
      { parts: [{}] },
      { parts: [{ text: "" }] },
      { parts: [{ text: " \n" }, { text: "" }] },
      { parts: [{ text: "squirrel".repeat(1_001) }] },
      { parts: Array.from({ length: 17 }, () => ({ text: "x" })) },
      { parts: [{ data: "x".repeat(65_536) }] },
      { parts: [{ url: "file:///squirrel" }] },
      { parts: [{ url: "https://a.example", filename: "squirrel\n" }] },
      { parts: [{ text: "\u0000squirrel" }] },
      { parts: [{ text: `My key is ${ada.token}.` }] },
      { parts: [{ text: "x" }, { data: { [ada.token]: 1 } }] },
    ];
    for (const fields of wrong) {
      const { error } = await call("SendMessage", { message: message(fields) });
      assert.ok([-32602, -32005].includes(error?.code), JSON.stringify(fields).slice(0, 90));
      assert.doesNotMatch(error.message, /squirrel|sk_|\$case|undefined \(|Cannot/, error.message);
    }
    for (const params of [{}, { message: null }, { message: "x" }, { message: [] }])
      assert.equal((await call("SendMessage", params)).error.code, -32602);
    assert.deepEqual((await service.get("/requests")).body.requests, []);
    assert.deepEqual(service.alarms, []);
  },
);

eachEngine("a task that the operator takes from the board is rejected", async (service) => {
  const ada = await service.register();
  const { call, delegate } = speakerOf(service, ada);
  const { id } = await delegate();
  await removeRequest(service.service.context, Number(id));
  const { status } = (await call("GetTask", { id })).result;
  assert.equal(status.state, "TASK_STATE_REJECTED");
  assert.equal((await call("CancelTask", { id })).error.code, -32002);
});
