import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { A2A, A2A_REST } from "../describe/fixed-routes.ts";
import type { StreamSlots } from "../live/slots.ts";
import { received } from "../routing/received.ts";
import type { Gate, Visit } from "../routing/routes.ts";
import { type Answers, type Exchange, JSON_TYPE, NO_STORE } from "../wire/answer.ts";
import { JSON_IN_UTF8, jsonOf, type Reading } from "../wire/body.ts";
import type { Head } from "../wire/edge.ts";
import type { InFlightLimit } from "../wire/in-flight-limit.ts";
import type { Senders } from "../wire/sender.ts";
import { waiterOf } from "../wire/waiter.ts";
import type { Board } from "./delegation.ts";
import { sendEvents } from "./events.ts";

export interface A2aGateParts extends Board {
  readonly answers: Answers;
  readonly inFlight: InFlightLimit;
  readonly senders: Senders;
  readonly slots: StreamSlots;
}

export const A2A_BODY_MAX_BYTES = 512 * 1024;
const A2A_JSON = /^application\/(?:a2a\+)?json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i;

/**
 * Both bindings of the Agent2Agent Protocol. As with MCP, the SDK is loaded with the first request.
 */
export function a2aGates(parts: A2aGateParts): readonly Gate[] {
  const { answers, inFlight, senders, slots, ...board } = parts;
  let bindings: ReturnType<typeof load> | null = null;
  const load = () => import("./bindings.ts").then(({ bindingsOf }) => bindingsOf(board));

  const callerOf = (visit: Visit) => ({
    agent: visit.agent,
    sender: visit.sender,
    hear: (error: unknown) => answers.heardOf(visit.exchange, error),
    waiter: waiterOf(visit, senders),
    stillCaller: visit.stillCaller,
    takeStream: () => slots.take(visit, () => visit.exchange.res.end()),
    now_ms: slots.now_ms,
  });

  async function rpc(visit: Visit): Promise<void> {
    const { exchange, head } = visit;
    const { body, agent } = await received(visit, (uploader) =>
      readBody(exchange, head, { type: JSON_IN_UTF8, inFlight, uploader }),
    );
    if (body === null) return; // The sender went away.
    bindings ??= load();
    const { answerRpc } = await bindings;
    const caller = callerOf({ ...visit, agent });
    const query = Object.fromEntries(new URLSearchParams(head.target.query));
    const answer = await answerRpc({ body, version: versionOf(head), query }, caller);
    if (Symbol.asyncIterator in answer) return sendEvents(exchange, answer, parts);
    answers.send(exchange, 200, answers.headers(JSON_TYPE, NO_STORE), JSON.stringify(answer));
  }

  async function rest(visit: Visit): Promise<void> {
    const { exchange, head } = visit;
    const { method } = exchange;
    const { body, agent } = await received(visit, async (uploader) =>
      method === "POST"
        ? readBody(exchange, head, { type: A2A_JSON, inFlight, uploader })
        : { value: {} },
    );
    if (body === null) return; // The sender went away.
    bindings ??= load();
    const { answerRest } = await bindings;
    const path = head.target.path.slice(A2A_REST.length);
    const query = new URLSearchParams(head.target.query);
    const sent = { method, path, query, body, version: versionOf(head) };
    const answer = await answerRest(sent, callerOf({ ...visit, agent }));
    if ("results" in answer) return sendEvents(exchange, answer.results, parts);
    const headers = answers.headers(answer.head, NO_STORE);
    answers.send(exchange, answer.status, headers, JSON.stringify(answer.body));
  }

  const methods = ["GET", "HEAD", "POST", "DELETE"];
  return [
    { path: A2A.path, methods: [A2A.method], guard: () => {}, enter: rpc },
    { path: `${A2A_REST}/*`, methods, guard: () => {}, enter: rest },
  ];
}

/** The parameter stands for the header where a client can set none (A2A, 3.6.1). */
const versionOf = ({ fields, target }: Head): string =>
  fields.a2aVersion ?? new URLSearchParams(target.query).get("A2A-Version") ?? "";

/** An unreadable message is refused in the binding's own form, except for a body that is never read. */
async function readBody(
  { req }: Exchange,
  { fields }: Head,
  parts: Reading & { readonly type: RegExp },
) {
  try {
    return await jsonOf(req, fields, { max_bytes: A2A_BODY_MAX_BYTES, ...parts });
  } catch (error) {
    if (error instanceof Rejection && error.code !== "body_too_large") return error;
    throw error;
  }
}
