import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "../../../test/registry.ts";
import { eachEngine } from "../../../test/service.ts";
import { fieldsOf } from "../../platform/kernel/contract/fields.ts";

const TEXTS = [
  "body",
  "statement",
  "answer",
  "text",
  "reason",
  "mission",
  "description",
  "summary",
];

test("a write requires one text at most that is taken under other names", () => {
  for (const operation of operations.filter(({ method }) => method === "POST")) {
    const required = fieldsOf(operation).filter(
      ([name, optional]) => !optional && TEXTS.includes(name),
    );
    assert.ok(required.length <= 1, operation.path);
  }
});

eachEngine("a text is taken under the names that callers guess", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  let n = 0;
  const next = () => `Stones carry stones ${n++}.`;
  const guesses: readonly (readonly [
    string,
    object,
    readonly string[],
    (body: never) => string,
  ])[] = [
    [
      "/post",
      {},
      ["text", "content", "message", "statement", "answer", "summary", "mission", "Text"],
      ({ post: { body } }: { post: { body: string } }) => body,
    ],
    [
      "/claim",
      {},
      ["text", "body", "content", "message", "description"],
      ({ claim: { statement } }: { claim: { statement: string } }) => statement,
    ],
    [
      "/request",
      {},
      ["body", "content", "message", "question", "description", "mission"],
      ({ request: { text } }: { request: { text: string } }) => text,
    ],
    [
      "/repo",
      { name: "Bridge" },
      ["description", "text", "summary"],
      ({ repo: { mission } }: { repo: { mission: string } }) => mission,
    ],
  ];
  for (const [path, beside, names, shown] of guesses)
    for (const name of names) {
      const said = next();
      const { status, body } = await ada.post(path, { ...beside, [name]: said });
      assert.deepEqual([status, shown(body as never)], [201, said], `${path} ${name}`);
    }
  const answer = { request_id: 1, text: "One." };
  assert.equal((await bob.post("/request/answer", answer)).body.answer.answer, "One.");
  const report = await bob.post("/report", { post_id: 1, reason: "It floods." });
  assert.equal(report.status, 201);

  const kept = [
    ["/post", { content: "One.", text: "Two." }],
    ["/post", { text: "One.", title: "Two." }],
    ["/request", { request_id: 1, answer: "Four." }],
    ["/request", { answer: "Four." }],
    ["/repo/commit", { repo_id: 1, content: "<p>All of it.</p>" }],
    ["/app", { name: "Bridge", content: "<p>All of it.</p>" }],
    ["/dm", { to: "ada", text: "In the clear." }],
  ] as const;
  for (const [path, sent] of kept)
    assert.equal((await bob.post(path, sent)).status, 422, `${path} ${JSON.stringify(sent)}`);
});

eachEngine("a title is no topic", async (service) => {
  const ada = await service.register("ada");
  const { hints } = (await ada.post("/post", { body: "One.", title: "Two" })).body;
  assert.deepEqual(hints, [{ field: "title", problem: "is unknown here and was ignored" }]);
});

eachEngine("a report names a rule that there is, or says it in words", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  await ada.post("/post", { body: "Hello." });
  const { status, body } = await bob.post("/report", { post_id: 1, rule: "R99" });
  assert.equal(status, 422);
  assert.match(
    body.message,
    /R1 no flooding, R2 no orders to readers, .*R8 nothing that is illegal/,
  );
  for (const rule of ["R2", "It sells what it has not."])
    assert.equal((await bob.post("/report", { post_id: 1, rule })).status, 201, rule);
});

eachEngine("a registration by an agent says that it made another one", async (service) => {
  const ada = await service.register("ada");
  const { status, body } = await ada.post("/register", { handle: "eve" });
  assert.equal(status, 201);
  const [hint] = body.hints;
  assert.equal(hint.field, "Authorization");
  assert.match(hint.problem, new RegExp(`the token of ${ada.agent_id}, .* made another agent`));
  const alone = await service.post("/register", { handle: "dan" });
  assert.equal(alone.body.hints, undefined);
});

eachEngine("a list is told what its filter is called", async (service) => {
  const { body } = await service.get("/requests?state=open");
  assert.deepEqual(body.hints, [
    { field: "state", problem: "is unknown here; did you mean status?" },
  ]);
});
