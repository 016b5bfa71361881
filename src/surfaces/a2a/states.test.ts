import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type Task, TaskState } from "@a2a-js/sdk";
import { clientOf, fetchOf, one, sending } from "../../../test/a2a-client.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../test/service.ts";
import { endOverdueRequests } from "../../domains/requests/deadlines.ts";
import { removeRequest } from "../../domains/requests/intake.ts";
import { days } from "../../platform/kernel/time.ts";
import { REQUESTS_EXTENSION } from "../describe/agent-card.ts";

/** A task as far as the versions have it in common: its state in the words of 1.0. */
interface Seen {
  readonly id: string;
  readonly state: string;
}

interface Sent {
  readonly said?: object;
  readonly taskId?: string;
}

/** A client of either generation of the SDK. */
interface Delegator {
  send(text: string, sent?: Sent): Promise<Seen>;
  get(id: string): Promise<Seen>;
  cancel(id: string): Promise<Seen>;
}

const metadataOf = (said?: object) =>
  said === undefined ? undefined : { [REQUESTS_EXTENSION]: said };

async function current(
  service: TestService,
  agent: TestAgent,
  binding: "JSONRPC" | "HTTP+JSON",
): Promise<Delegator> {
  const client = await clientOf(service, agent, binding);
  const seen = ({ id, status }: Task) => ({ id, state: TaskState[status?.state ?? 0] ?? "" });
  return {
    async send(text, { said, taskId } = {}) {
      const { message, ...rest } = sending(text, taskId === undefined ? {} : { taskId });
      const metadata = metadataOf(said);
      return seen(Object(await client.sendMessage({ ...rest, message: { ...message, metadata } })));
    },
    get: async (id) => seen(await client.getTask(one(id))),
    cancel: async (id) => seen(await client.cancelTask(one(id))),
  };
}

/** Version 0.3.14. By a variable name, so that checking types needs no copy of it. */
const LEGACY_SDK = "a2a-js-sdk-0.3/client";

async function legacy(service: TestService, agent: TestAgent): Promise<Delegator> {
  const sdk = await import(LEGACY_SDK);
  const fetchImpl = fetchOf(service, agent);
  const client = await new sdk.ClientFactory({
    transports: [new sdk.JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new sdk.DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(service.url);
  const seen = ({ id, status }: { id: string; status: { state: string } }) => ({
    id,
    state: `TASK_STATE_${status.state.toUpperCase().replaceAll("-", "_")}`,
  });
  return {
    async send(text, { said, taskId } = {}) {
      const part = { kind: "text", text };
      const named = { kind: "message", role: "user", messageId: randomUUID(), taskId };
      const message = { ...named, parts: [part], metadata: metadataOf(said) };
      return seen(await client.sendMessage({ message }));
    },
    get: async (id) => seen(await client.getTask({ id })),
    cancel: async (id) => seen(await client.cancelTask({ id })),
  };
}

const CLIENTS = {
  "1.x over JSON-RPC": (service: TestService, agent: TestAgent) =>
    current(service, agent, "JSONRPC"),
  "1.x over HTTP+JSON": (service: TestService, agent: TestAgent) =>
    current(service, agent, "HTTP+JSON"),
  "0.3": legacy,
} as const;

for (const [version, clientFor] of Object.entries(CLIENTS))
  eachEngine(`a client of ${version} sees every state that a task can have`, async (service) => {
    const { context } = service.service;
    const [ada, bob] = [await service.register("ada"), await service.register("bob")];
    const client = await clientFor(service, ada);
    const states: string[] = [];
    const is = ({ state }: Seen, expected: string) => {
      states.push(state);
      assert.equal(state, `TASK_STATE_${expected}`);
    };
    const isFinal = (id: string) =>
      assert.rejects(client.cancel(id), (error: Error) => {
        assert.match(`${error.constructor.name} ${error.message}`, /TaskNotCancelable|-32002/);
        return true;
      });
    const answer = async (request_id: string, more: object = {}) => {
      const sent = { request_id, answer: "42", ...more };
      const { status, body } = await bob.post("/request/answer", sent);
      assert.equal(status, 201, JSON.stringify(body));
      return body.id;
    };
    const ends = { said: { ends: "accepted", questions: 1 } };

    const unwanted = await client.send("Nothing, after all.");
    is(unwanted, "SUBMITTED");
    is(await client.cancel(unwanted.id), "CANCELED");
    await isFinal(unwanted.id);

    const { id } = await client.send("Add.", ends);
    await answer(id, { answer: "What?", kind: "question" });
    is(await client.get(id), "INPUT_REQUIRED");
    is(await client.send("40 and 2.", { taskId: id }), "SUBMITTED");
    const right = await answer(id);
    is(await client.get(id), "WORKING");
    await isFinal(id);
    is(await client.send("Thanks.", { taskId: id, said: { accept: right } }), "COMPLETED");
    await isFinal(id);

    const first = await client.send("The first answer will do.");
    await answer(first.id);
    is(await client.get(first.id), "COMPLETED");

    const late = await client.send("Add.", ends);
    const removed = await client.send("Spam.");
    await removeRequest(context, Number(removed.id));
    is(await client.get(removed.id), "REJECTED");
    await isFinal(removed.id);
    service.pass(days(8));
    await endOverdueRequests(context);
    is(await client.get(late.id), "FAILED");
    await isFinal(late.id);
    assert.equal(new Set(states).size, 7);
  });
