import assert from "node:assert/strict";
import * as z from "zod";
import { addQuest } from "../src/domains/commons/quests.ts";
import { openRequest } from "../src/domains/requests/intake.ts";
import { ERRORS, type ErrorCode, isCommon } from "../src/platform/kernel/contract/errors.ts";
import { hints } from "../src/platform/kernel/contract/failure.ts";
import type { Operation } from "../src/platform/kernel/contract/operation.ts";
import { DAY_S } from "../src/platform/kernel/time.ts";
import { announce } from "../src/platform/ledger/announcements/announce.ts";
import { discovery } from "../src/surfaces/describe/catalogue.ts";
import { fullPath } from "../src/surfaces/routing/base-path.ts";
import { earn } from "./coin.ts";
import { readLedger } from "./invariants.ts";
import type { Reply, TestAgent, TestService } from "./service.ts";
import { publishTask } from "./tasks.ts";

/** Path, query and body in one object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Every operation of a service, the catalogue too. */
export const operationsOf = ({ service }: TestService): readonly Operation[] => [
  ...service.registry,
  discovery.catalogue,
];

/** `POST /post` */
export const nameOf = ({ method, path }: Operation): string => `${method} ${path}`;

/** Sends whatever is said, and nothing that is not; an answer without a body is `null`. */
export async function send(service: TestService, path: string, init: RequestInit): Promise<Reply> {
  const answer = await fetch(service.url + path, init);
  const text = await answer.text();
  const body = text === "" ? null : JSON.parse(text);
  return { status: answer.status, headers: answer.headers, body };
}

/** Puts fields where they belong: into the path, the query or the body. */
export function requestOf(operation: Operation, fields: Fields, token?: string) {
  const path = fullPath(operation).replace(/\{(\w+)\}/, (_, name) =>
    encodeURIComponent(textOf(fields[name] ?? (name === "agent_id" ? "ada" : 1))),
  );
  const headers: Record<string, string> = token === undefined ? {} : { authorization: token };
  if (operation.method === "POST") {
    headers["content-type"] = "application/json";
    return { path, init: { method: "POST", headers, body: JSON.stringify(fields) } };
  }
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) query.set(name, textOf(value));
  return { path: `${path}?${query}`, init: { headers } };
}

/** A value as a query carries it. */
export const textOf = (value: unknown): string =>
  (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed();

/** One request with these fields and this Authorization field. */
export function call(service: TestService, operation: Operation, fields: Fields, token?: string) {
  const { path, init } = requestOf(operation, fields, token);
  return send(service, path, init);
}

/** The invariants of every answer. */
export function conforms(
  operation: Operation,
  { status, headers, body }: Reply,
  why: string,
): void {
  assert.equal(body.ok, status < 300, why);
  assert.equal(headers.get("content-type"), "application/json", why);
  assert.equal(headers.get("access-control-allow-origin"), "*", why);
  if (body.ok) {
    assert.equal(status, operation.status ?? 200, why);
    const { ok, ...answer } = body;
    const read = z
      .strictObject({ ...operation.output.shape, hints: hints.optional() })
      .safeParse(answer);
    assert.equal(read.error?.message, undefined, why);
  } else {
    const { error } = body;
    const own: ErrorCode | undefined = operation.errors.find((code) => code === error);
    const declared = isCommon(error) ? error : own;
    assert.ok(declared !== undefined, `${error} is declared: ${why}`);
    assert.equal(status, ERRORS[declared].status, why);
    assert.ok(status < 500, `${body.error}: ${why}`);
    assert.ok(body.message.length > 0, why);
    assert.equal(body.request_id, headers.get("x-request-id"), why);
    const isExplained = ["validation_failed", "act_unsigned"].includes(body.error);
    if (status === 422) assert.equal(isExplained, "details" in body, why);
    assert.equal(headers.has("www-authenticate"), status === 401, why);
  }
}

/** What fills the path's parameter: the first of its kind. */
export const filled = (path: string): string =>
  path.replace(/\{(\w+)\}/, (_, name) => (name === "agent_id" ? "ada" : "1"));

/** Samples for operations that declare none, or whose own needs other agents than there are. */
const SAMPLES: Readonly<Record<string, Fields>> = {
  "/since": { after_id: 0 },
  "/seal/proof": { seq: 1, index: 0 },
  "/coin/send": { to: "grace", amount: 0.25 },
  "/dm/block": { agent: "grace" },
  "/dm/unblock": { agent: "grace" },
};

/** Who refuses its sample: it needs coins, a chain, or an order, and those are not had so easily. */
export const REFUSED: Readonly<Record<string, ErrorCode>> = {
  "/coin/send": "insufficient_balance",
  "/handle": "handle_set_already",
  "/key": "act_unsigned",
  "/key/keep": "key_pending",
  "/key/recover": "key_pending",
  "/market/accept": "order_not_found",
  "/market/deliver": "order_not_found",
  "/market/dispute": "order_not_found",
  "/market/dispute/withdraw": "order_not_found",
  "/market/order/withdraw": "order_not_found",
  "/market/offer/withdraw": "not_your_offer",
  "/market/order": "escrow_not_configured",
  "/market/refund": "order_not_found",
  "/market/settle": "order_not_found",
  "/request/accept": "wrong_role",
  "/request/refuse": "wrong_role",
  "/request/reply": "wrong_role",
  "/request/want": "wrong_role",
  "/request/withdraw": "wrong_role",
};

/** A sample that works, where one is declared or nothing is needed. */
export function sampleOf({ path, example = {} }: Operation): Fields {
  const parameter = /\{(\w+)\}/.exec(path)?.[1];
  const own = parameter === undefined ? {} : { [parameter]: parameter === "agent_id" ? "ada" : 1 };
  return SAMPLES[path] ?? { ...own, ...example };
}

/** How many entries the ledger has. */
export async function entriesOf(service: TestService): Promise<number> {
  await service.sequenced();
  return (await readLedger(service)).length;
}

/** Two agents with something of every kind, in a ledger with a seal: then nearly every sample works. */
export async function inhabited(service: TestService): Promise<string> {
  const [ada, grace] = [await service.register("ada"), await service.register("grace")];
  await ada.post("/post", { body: "Hello.", topic: "meta" });
  await transferred(service, ada, grace);
  await ada.post("/repo", { name: "Bridge", mission: "Carry messages between networks." });
  await ada.post("/app", { name: "Page", description: "A page.", html: "<p>Hello." });
  await ada.post("/claim", { statement: "The next seal covers at least one entry." });
  await grace.post("/market/offer", {
    capability: "x",
    title: "X",
    description: "X.",
    price_usd: 1,
  });
  await openRequest(service.service.context, { from: null, text: "Count to ten." });
  await publishTask(service, { kind: "exact", value: "43" }, { max_passes: null });
  await things(service, ada, grace);
  await service.seal();
  return `Bearer ${ada.token}`;
}

/** All coins of one, who earned them, went to the other. */
async function transferred(service: TestService, from: TestAgent, to: TestAgent): Promise<void> {
  await earn(service, from, "commit/1000000");
  service.pass(20 * DAY_S);
  const { balance } = (await from.post("/coin/claim", {})).body;
  const sent = await from.post("/coin/send", { to: to.agent_id, amount: balance });
  assert.equal(sent.status, 201, JSON.stringify(sent.body));
}

const README = { path: "README.md", text: "A bridge.\n" };

/** The first of each kind that has a page, beside objects that samples act on. */
async function things(service: TestService, ada: TestAgent, grace: TestAgent): Promise<void> {
  const { context, signer } = service.service;
  const reported = { kind: "limit_added", title: "A limit", body: "It is new." } as const;
  await context.write((tx) => announce(tx, context, signer, reported));
  await addQuest(context, { title: "Add up", description: "Add up all.", bounty_days: 1 });
  await openRequest(context, { from: null, text: "Count to nine." });
  await publishTask(service, { kind: "exact", value: "44" }, { max_passes: null });
  const writes = [
    () => ada.post("/repo/commit", { repo_id: 1, summary: "More.", files: [README] }),
    () => ada.post("/claim", { statement: "The seal after that covers another entry." }),
    () => grace.post("/claim/resolve", { claim_id: 2, outcome: "true", evidence: "I saw it." }),
    () => grace.post("/request/answer", { request_id: 2, answer: "One to nine." }),
    () => grace.post("/tasks/submit", { task_id: 2, payload: "44" }),
    () => grace.post("/contribute", { currency: "other", txid: "abc", amount: "1" }),
  ];
  for (const write of writes) {
    const { status, body } = await write();
    assert.ok(status < 300, JSON.stringify(body));
  }
}
