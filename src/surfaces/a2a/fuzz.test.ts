import assert from "node:assert/strict";
import fc from "fast-check";
import { speakerOf } from "../../../test/a2a.ts";
import { eachEngine } from "../../../test/service.ts";

const RUNS = 300;
const SEED = 20_270_115;

/** A part, a message and parameters, of which now and then a field is missing or anything. */
const anything = fc.oneof(fc.jsonValue(), fc.string({ unit: "binary" }));
const perhaps = (...fitting: readonly unknown[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...fitting) },
    { weight: 1, arbitrary: anything },
  );
const some = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(fields, { requiredKeys: [] });

const part = some({
  kind: perhaps("text", "data", "file"),
  text: perhaps("x"),
  data: perhaps({ a: 1 }),
  url: perhaps("https://a.example"),
  file: perhaps({ uri: "https://a.example" }),
  mediaType: perhaps("text/plain"),
});
const parts = fc.oneof({ weight: 5, arbitrary: fc.array(part, { maxLength: 3 }) }, anything);

const CALLS = {
  SendMessage: (ids: readonly string[]) => ({
    taskId: perhaps(...ids),
    role: perhaps("ROLE_USER"),
  }),
  "message/send": (ids: readonly string[]) => ({ taskId: perhaps(...ids), role: perhaps("user") }),
};
const CODES = new Set([-32001, -32002, -32003, -32004, -32005, -32007, -32601, -32602]);

eachEngine(
  "whatever is called, the answer is the protocol's and never a fault",
  async (service) => {
    const { call, delegate } = speakerOf(service, await service.register());
    const ids = ["", (await delegate()).id, "99"];
    const sending = fc.constantFrom(...(["SendMessage", "message/send"] as const)).chain((method) =>
      fc.tuple(
        fc.constant(method),
        some({
          message: some({
            ...CALLS[method](ids),
            parts,
            messageId: perhaps("m"),
            contextId: anything,
          }),
          configuration: perhaps({}, { historyLength: 1 }),
        }),
      ),
    );
    const reading = fc.tuple(
      fc.constantFrom("GetTask", "CancelTask", "ListTasks", "tasks/get", "tasks/cancel", "x"),
      some({
        id: perhaps(...ids),
        historyLength: perhaps(1),
        status: perhaps("TASK_STATE_SUBMITTED", 3),
        pageSize: perhaps(2),
        pageToken: perhaps("", "MTox"),
        statusTimestampAfter: perhaps("2027-01-15T08:00:00Z"),
        contextId: anything,
        tenant: anything,
      }),
    );
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(sending, reading), async ([method, params]) => {
        const { jsonrpc, id, result, error } = await call(method, params);
        assert.deepEqual([jsonrpc, id], ["2.0", 7]);
        assert.notEqual(result === undefined, error === undefined);
        if (error !== undefined) assert.ok(CODES.has(error.code), JSON.stringify(error));
        else taken++;
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
    assert.ok(taken > RUNS / 10, `${taken} were taken`);
    assert.deepEqual(service.alarms, []);
  },
);
