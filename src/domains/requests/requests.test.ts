import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../test/service.ts";
import { watchedReads } from "../../../test/watched-reads.ts";
import type { Agent } from "../../platform/context.ts";
import { canonicalJson } from "../../platform/kernel/canonical.ts";
import { findAgent } from "../identity/agents.ts";
import { newestRequests } from "./board.ts";
import { requestMessage } from "./contract.ts";
import { followUp, openRequest, removeRequest, takeBack } from "./intake.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const agentOf = ({ service }: TestService, { agent_id }: TestAgent): Promise<Agent> =>
  findAgent(service.context, agent_id);

const PARTS = [
  { text: "Summarise this." },
  { data: { rows: [1, null, "é"], note: { deep: true } } },
  { url: "https://files.example/a.txt", filename: "a.txt", mediaType: "text/plain" },
];

eachEngine("a request is on the board as it was asked, until it is answered", async (service) => {
  const {
    get,
    pass,
    service: { context },
  } = service;
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const from = await agentOf(service, ada);
  const sent = requestMessage.parse({ text: "Summarise this.", parts: PARTS });
  const request = await openRequest(context, { from, ...sent });
  assert.deepEqual(request, {
    id: request.id,
    request_id: request.id,
    text: "Summarise this.",
    parts: PARTS,
    parts_left_out: false,
    from: { agent_id: ada.agent_id, handle: "ada" },
    capability: null,
    ends: "first",
    reward: null,
    to: null,
    questions: false,
    status: "open",
    status_at: request.created_at,
    withdrawn_by: null,
    closes_at: null,
    deadline_at: null,
    on_deadline: null,
    waiting: 0,
    asked: false,
    accepted_by: null,
    answers_count: 0,
    answered_by: null,
    wanted: true,
    flagged: null,
    created_at: request.created_at,
    verified: false,
  });
  const url = `/request/${request.id}`;
  assert.deepEqual((await get("/requests")).body.requests, [request]);
  const empty = { messages: [], answers: [], answers_more: false, messages_more: false };
  assert.deepEqual((await get(url)).body, { ok: true, request, ...empty });

  pass(5);
  const answer = "Five lines.\n";
  const { status, body } = await bob.post("/request/answer", {
    request_id: String(request.id),
    answer,
    client_ref: "mine",
    own: true,
    flagged: "no",
  });
  assert.equal(status, 201);
  const { client_ref, ...shown } = body.answer;
  assert.equal(client_ref, "mine");
  assert.deepEqual(shown, {
    id: body.id,
    request_id: request.id,
    agent: { agent_id: bob.agent_id, handle: "bob" },
    answer,
    kind: "answer",
    outcome: null,
    reason: null,
    flagged: null,
    created_at: request.created_at + 5,
    verified: false,
  });
  const { body: read } = await get(url);
  const answered = {
    status: "answered",
    status_at: request.created_at + 5,
    answered_by: body.id,
  };
  const counts = { answers_count: 1, wanted: false };
  assert.deepEqual(read.request, { ...request, ...answered, ...counts });
  assert.deepEqual(read.answers, [shown], "without anybody's own mark");
});

eachEngine("the ledger holds hashes, and /since the texts", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register()];
  const { context } = service.service;
  const from = await agentOf(service, ada);
  const { id } = await openRequest(context, {
    from,
    ...requestMessage.parse({ text: "a", parts: PARTS }),
  });
  const stranger = await openRequest(context, { from: null, text: "Who am I?" });
  const more = { request_id: id, from, ...requestMessage.parse({ text: "", parts: PARTS }) };
  await followUp(context, more);
  assert.equal(await removeRequest(context, stranger.id), true);
  const answer = (await bob.post("/request/answer", { request_id: id, answer: "b" })).body;
  await service.sequenced();
  const entries = (await readLedger(service)).filter(({ kind }) => kind.startsWith("request"));
  const parts = canonicalJson(PARTS);
  const parts_sha256 = sha256(parts);
  assert.deepEqual(
    entries.map(({ kind, ref, body, text }) => ({ kind, ref, body, text })),
    [
      {
        kind: "request",
        ref: `${id}`,
        body: { request_id: id, agent: ada.agent_id, text_sha256: sha256("a"), parts_sha256 },
        text: { text: "a", parts },
      },
      {
        kind: "request",
        ref: `${stranger.id}`,
        body: { request_id: stranger.id, text_sha256: sha256("Who am I?") },
        text: { text: "Who am I?" },
      },
      {
        kind: "request_message",
        ref: `${id}/1`,
        body: { request_id: id, agent: ada.agent_id, text_sha256: sha256(""), parts_sha256 },
        text: { text: "", parts },
      },
      {
        kind: "request_withdrawn",
        ref: `${stranger.id}`,
        body: { request_id: stranger.id, by: "operator" },
        text: {},
      },
      {
        kind: "request_answer",
        ref: `${answer.id}`,
        body: {
          answer_id: answer.id,
          request_id: id,
          agent: bob.agent_id,
          answer_sha256: sha256("b"),
        },
        text: { answer: "b" },
      },
    ],
  );
});

eachEngine("the board is newest first, by status, within its limit", async (service) => {
  const ada = await service.register();
  const { context } = service.service;
  for (let i = 1; i <= 25; i++) await openRequest(context, { from: null, text: `ask ${i}` });
  await ada.post("/request/answer", { request_id: 3, answer: "x" });
  await removeRequest(context, 4);
  const ids = async (query: string) =>
    (await service.get(`/requests${query}`)).body.requests.map(({ id }: { id: number }) => id);
  assert.deepEqual(
    await ids(""),
    Array.from({ length: 20 }, (_, i) => 25 - i),
  );
  assert.deepEqual(await ids("?status=open&limit=100"), [
    ...Array.from({ length: 21 }, (_, i) => 25 - i),
    2,
    1,
  ]);
  assert.deepEqual(await ids("?status=answered"), [3]);
  assert.deepEqual(await ids("?status=withdrawn&limit=1"), [4]);
  for (const query of ["?status=closed", "?limit=0", "?limit=101"])
    assert.equal((await service.get(`/requests${query}`)).status, 422, query);
});

eachEngine("answers are refused where there is nothing to answer", async (service) => {
  const ada = await service.register();
  const { context } = service.service;
  const from = await agentOf(service, ada);
  const { id: request_id } = await openRequest(context, { from, text: "Never mind." });
  await takeBack(context, { request_id, by: from });
  const answer = { request_id, answer: "x" };
  const refused = await ada.post("/request/answer", answer);
  assert.deepEqual([refused.status, refused.body.error], [409, "request_withdrawn"]);
  const { request, answers } = (await service.get(`/request/${request_id}`)).body;
  assert.deepEqual([request.status, request.withdrawn_by], ["withdrawn", "asker"]);
  assert.deepEqual(answers, []);
  for (const ask of [
    () => ada.post("/request/answer", { ...answer, request_id: 99 }),
    () => service.get("/request/99"),
  ]) {
    const { status, body } = await ask();
    assert.deepEqual([status, body.error], [404, "request_not_found"]);
  }
  for (const text of ["", " \n", "x".repeat(8_001), "\ud800", "\u0000", 5, undefined])
    assert.equal((await ada.post("/request/answer", { ...answer, answer: text })).status, 422);
  assert.equal((await service.post("/request/answer", answer)).status, 401);
});

eachEngine("of an answer and a withdrawal at once, one comes first", async (service) => {
  const ada = await service.register();
  const { context } = service.service;
  for (let round = 0; round < 10; round++) {
    const { id: request_id } = await openRequest(context, { from: null, text: "Now or never." });
    const [answered, withdrawn] = await Promise.all([
      ada.post("/request/answer", { request_id, answer: "x" }),
      removeRequest(context, request_id),
    ]);
    const { request } = (await service.get(`/request/${request_id}`)).body;
    const outcome = [answered.status, withdrawn, request.status, request.answers_count];
    assert.deepEqual(
      outcome,
      withdrawn ? [409, true, "withdrawn", 0] : [201, false, "answered", 1],
    );
  }
});

eachEngine("answers that come together are all counted", async (service) => {
  const agents = await Promise.all(Array.from({ length: 8 }, () => service.register()));
  const { id: request_id } = await openRequest(service.service.context, {
    from: null,
    text: "All!",
  });
  const sent = await Promise.all(
    agents.map((agent) => agent.post("/request/answer", { request_id, answer: "x" })),
  );
  assert.ok(sent.every(({ status }) => status === 201));
  const { request, answers } = (await service.get(`/request/${request_id}`)).body;
  assert.deepEqual([request.answers_count, answers.length], [8, 8]);
});

eachEngine("a list shows so much data, and each request all of its own", async (service) => {
  const { context } = service.service;
  const parts = [{ data: "x".repeat(30_000) }];
  for (let n = 1; n <= 3; n++) await openRequest(context, { from: null, text: `${n}`, parts });
  const { requests } = (await service.get("/requests")).body;
  assert.deepEqual(
    requests.map(({ id, parts, parts_left_out }: Listed) => [id, parts?.length, parts_left_out]),
    [
      [3, 1, false],
      [2, 1, false],
      [1, undefined, true],
    ],
  );
  const { request } = (await service.get("/request/1")).body;
  assert.deepEqual([request.parts, request.parts_left_out], [parts, false]);
});

eachEngine("a long list of large requests is read no further than it is shown", async (service) => {
  const { context } = service.service;
  const parts = [{ data: "x".repeat(60_000) }];
  const text = "🪨".repeat(8_000);
  for (let n = 0; n < 70; n++) await openRequest(context, { from: null, text, parts });
  let read_bytes = 0;
  const counting = watchedReads(context.read, {
    after(rows) {
      read_bytes += Buffer.byteLength(JSON.stringify(rows));
    },
  });
  const { items, more } = await newestRequests(counting, { limit: 100, status: "open" });
  assert.ok(more && items.length < 40);
  const step_bytes = 16 * 93_000;
  assert.ok(read_bytes < items.length * 93_000 + step_bytes, `${read_bytes} bytes`);
  const left = items.map(({ parts_left_out }) => parts_left_out);
  assert.deepEqual(left, [false, ...left.slice(1).map(() => true)]);
  const shown = (await service.get("/requests?limit=100&status=open")).body;
  assert.deepEqual([shown.count, shown.more], [items.length, true]);
  const [newest] = (await newestRequests(context.read, { limit: 1 })).items;
  assert.equal(newest?.id, 70);
});

interface Listed {
  readonly id: number;
  readonly parts: readonly unknown[] | null;
  readonly parts_left_out: boolean;
}
