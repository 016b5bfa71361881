import assert from "node:assert/strict";
import type { StreamResponse } from "@a2a-js/sdk";
import { UnsupportedOperationError } from "@a2a-js/sdk/errors";
import { message, speakerOf } from "../../../test/a2a.ts";
import { clientOf, one, sending } from "../../../test/a2a-client.ts";
import { eventually } from "../../../test/postgres-store.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../test/service.ts";
import { removeRequest } from "../../domains/requests/intake.ts";
import { STREAMS_PER_AGENT } from "../live/slots.ts";

/** Reads a stream to its end; `meanwhile` happens once its task was told. */
async function heard(
  stream: AsyncGenerator<StreamResponse, void>,
  meanwhile: (taskId: string) => Promise<unknown>,
): Promise<StreamResponse["payload"][]> {
  const events: StreamResponse["payload"][] = [];
  for await (const { payload } of stream) {
    events.push(payload);
    if (payload?.$case === "task") void meanwhile(payload.value.id);
  }
  return events;
}

const casesOf = (events: readonly StreamResponse["payload"][]) =>
  events.map((payload) => payload?.$case);

/** Waits until somebody does, then lets it happen. */
const whenWaiting = async ({ service }: TestService, work: () => Promise<unknown>) => {
  await eventually(() => service.ledgerSignal.waiting() > 0);
  await work();
};

for (const binding of ["JSONRPC", "HTTP+JSON"] as const)
  eachEngine(`a task that is streamed ends with its answer: ${binding}`, async (service) => {
    const [ada, bob] = [await service.register("ada"), await service.register("bob")];
    const client = await clientOf(service, ada, binding);
    const answer = (request_id: string) => () =>
      bob.post("/request/answer", { request_id, answer: "Two." });
    const events = await heard(client.sendMessageStream(sending("Add.")), (id) =>
      whenWaiting(service, answer(id)),
    );
    assert.deepEqual(casesOf(events), ["task", "artifactUpdate", "statusUpdate"]);
    const [, artifact, end] = events;
    assert.equal(
      artifact?.$case === "artifactUpdate" && artifact.value.artifact?.parts[0]?.content?.value,
      "Two.",
    );
    assert.match(JSON.stringify(end), /Answered by/);

    const { id } = (await client.getTask(one("1"))) ?? {};
    assert.equal(id, "1");
    const ended = client.resubscribeTask(one("1"));
    await assert.rejects(ended.next(), UnsupportedOperationError);
  });

eachEngine("a stream that is subscribed again begins with the whole task", async (service) => {
  const ada = await service.register("ada");
  const client = await clientOf(service, ada, "JSONRPC");
  const first = client.sendMessageStream(sending("Add."));
  const { value } = await first.next();
  assert.equal(value?.payload?.$case, "task");
  await first.return(undefined);
  const withdraw = (id: string) => async () => removeRequest(service.service.context, Number(id));
  const events = await heard(client.resubscribeTask(one("1")), (id) =>
    whenWaiting(service, withdraw(id)),
  );
  assert.deepEqual(casesOf(events), ["task", "statusUpdate"]);
  assert.match(JSON.stringify(events[1]), /Withdrawn by the operator/);
});

/** One call of the protocol as text on the wire. */
function open(service: TestService, { token }: TestAgent, method: string, params: object) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method, params });
  return fetch(`${service.url}/api/v1/a2a`, { method: "POST", headers, body });
}

eachEngine("clients of 0.3 are streamed in their words", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const sent = {
    ...message(),
    kind: "message",
    role: "user",
    parts: [{ kind: "text", text: "Add." }],
  };
  const answer = await open(service, ada, "message/stream", { message: sent });
  assert.match(answer.headers.get("content-type") ?? "", /^text\/event-stream/);
  await whenWaiting(service, () => bob.post("/request/answer", { request_id: 1, answer: "Two." }));
  const events = (await answer.text())
    .split("\n\n")
    .filter((block) => block.startsWith("data: "))
    .map((block) => JSON.parse(block.slice(6)));
  assert.deepEqual(
    events.map(({ id, result }) => [id, result.kind]),
    [
      [7, "task"],
      [7, "artifact-update"],
      [7, "status-update"],
    ],
  );
  assert.deepEqual([events[2].result.status.state, events[2].result.final], ["completed", true]);
});

eachEngine("another's task is not streamed, and an agent has few streams", async (service) => {
  const [ada, eve] = [await service.register("ada"), await service.register("eve")];
  const client = await clientOf(service, ada, "JSONRPC");
  await client.sendMessage(sending("Add."));
  const foreign = await speakerOf(service, eve).call("SubscribeToTask", { id: "1" });
  assert.equal(foreign.error.code, -32001);
  const streams = await Promise.all(
    Array.from({ length: STREAMS_PER_AGENT }, () =>
      open(service, ada, "tasks/resubscribe", { id: "1" }),
    ),
  );
  for (const { headers } of streams)
    assert.match(headers.get("content-type") ?? "", /^text\/event-stream/);
  const speaker = speakerOf(service, ada);
  const refused = await speaker.call("tasks/resubscribe", { id: "1" });
  assert.match(refused.error.message, /Too many streams/);
  const unsent = await speaker.call("SendStreamingMessage", { message: message() });
  assert.match(unsent.error.message, /Too many streams/);
  assert.equal((await service.get("/requests")).body.count, 1, "nothing was published");
  await whenWaiting(service, () => removeRequest(service.service.context, 1));
  for (const stream of streams) assert.match(await stream.text(), /status-update/);
});
