import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { call, operationsOf, sampleOf } from "../../../test/edges.ts";
import { operate, operateWith, refuses } from "../../../test/operator.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../test/service.ts";
import { erasedListIn, noteErased } from "../../main/storage/erased-list.ts";
import { eraseAgain } from "../../main/storage/erasures.ts";
import { REMOVED_TEXT } from "../../platform/kernel/text.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import { REMOVABLE } from "../removable.ts";
import { indexNew } from "../search/indexing.ts";
import type { Parts } from "./removable.ts";

/** A word that stands in the texts of one kind, and nowhere else. */
const wordOf = (kind: string): string => `zq${kind.replaceAll("_", "")}qz`;
const words = (kind: string): string => `Some ${wordOf(kind)} here.`;

const README = { path: "README.md", text: `${words("file")}\n` };

/** Writes a text of every kind that can be removed; resolves to the ref of each. */
async function written(service: TestService, ada: TestAgent, grace: TestAgent) {
  const did = async (answer: ReturnType<TestAgent["post"]>) => {
    const { status, body } = await answer;
    assert.ok(status < 300, JSON.stringify(body));
    return body;
  };
  await did(
    ada.post("/profile", {
      name: words("profile"),
      purpose: words("profile"),
      capabilities: [wordOf("profile"), "sums"],
    }),
  );
  await did(ada.post("/post", { body: words("post") }));
  await did(ada.post("/app", { name: words("app"), description: words("app"), html: "<p>Hi." }));
  const { id: repo_id } = await did(
    ada.post("/repo", { name: words("repo"), mission: words("repo"), kind: words("repo") }),
  );
  await did(grace.post("/repo/join", { repo_id, role: words("repo_join") }));
  const commit = { repo_id, summary: words("repo_commit"), artifact: "https://a.example/x" };
  await did(ada.post("/repo/commit", { ...commit, files: [README] }));
  await did(ada.post("/claim", { statement: words("claim") }));
  await did(
    grace.post("/claim/resolve", { claim_id: 1, outcome: "true", evidence: words("verdict") }),
  );
  const ends = { ends: "accepted", questions: 1 };
  const { request } = await did(
    ada.post("/request", { text: words("request"), capability: wordOf("request"), ...ends }),
  );
  const request_id = request?.id ?? 1;
  await did(grace.post("/request/answer", { request_id, answer: words("request_answer") }));
  await did(ada.post("/request/refuse", { answer_id: 1, reason: words("request_refused") }));
  await did(ada.post("/request/reply", { request_id, text: words("request_message") }));
  await did(
    ada.post("/contribute", {
      currency: "other",
      txid: "abc",
      amount: "1",
      note: words("contribution"),
    }),
  );
  await did(
    ada.post("/market/offer", {
      capability: wordOf("offer"),
      title: words("offer"),
      description: words("offer"),
      price_usd: 1,
    }),
  );
  await service.sequenced();
  return {
    profile: `${ada.agent_id}/1`,
    post: "1",
    app: "1",
    repo: "1",
    repo_join: `1/${grace.agent_id}/1`,
    repo_commit: "1",
    claim: "1",
    verdict: "1",
    request: `${request_id}`,
    request_answer: "1",
    request_refused: "1",
    request_message: `${request_id}/1`,
    contribution: "1",
    offer: "1",
    file: sha256Hex(README.text),
  };
}

/** Everything that can be read of a small network, with and without a token. */
async function everything(service: TestService, tokens: readonly (string | undefined)[]) {
  await service.sequenced();
  await indexNew({ ...service.service.context, yieldToRequests: async () => {} });
  service.pass(1);
  const texts: string[] = [];
  const reads = operationsOf(service).filter(({ method }) => method === "GET");
  for (const operation of reads)
    for (const token of tokens)
      for (const more of [{}, { with: "texts" }, { agent: "ada" }]) {
        const fields = { ...sampleOf(operation), ...more };
        const { body } = await call(service, operation, fields, token && `Bearer ${token}`);
        texts.push(JSON.stringify(body));
      }
  const git = await fetch(`${service.url}/git/1.git/info/refs`);
  texts.push(await git.text());
  return texts.join("\n");
}

/** Kinds that need more than two agents and a minute; the audit's own network has them. */
const ELSEWHERE = new Set(["coin_transfer", "repo_role", "agent"]);

eachEngine("a text of each kind goes out of sight, comes back, and is erased", async (service) => {
  const [ada, grace] = [await service.register("ada"), await service.register("grace")];
  const refs: Readonly<Record<string, string>> = await written(service, ada, grace);
  assert.deepEqual(
    [...REMOVABLE.keys()].filter((kind) => !(kind in refs) && !ELSEWHERE.has(kind)),
    [],
  );
  const tokens = [undefined, ada.token, grace.token];
  const kinds = Object.keys(refs);
  const seen = async () => {
    const text = await everything(service, tokens);
    return kinds.filter((kind) => text.includes(wordOf(kind)));
  };
  assert.deepEqual(await seen(), kinds);
  const own = service.service;
  const hideEach = async (undo: boolean) => {
    for (const [kind, ref] of Object.entries(refs)) {
      if (kind === "post" || kind === "app")
        await operate(own, `${kind} ${undo ? "un" : ""}hide`, ref);
      else await operate(own, undo ? "text show-again" : "text hide", kind, ref, "--rule", "R2");
    }
  };
  await hideEach(false);
  assert.deepEqual(await seen(), []);
  await refuses(own, ["text hide", "claim", "1"], /hidden already/);
  await refuses(own, ["text hide", "claim", "99"], /claim 99: There is no such text/);
  await refuses(own, ["text hide", "claim", "one"], /has the form <claim_id>/);
  await hideEach(true);
  assert.deepEqual(await seen(), kinds);
  await refuses(own, ["text show-again", "claim", "1"], /not hidden/);
  const { configuration } = service;
  const erase = (kind: string, ref: string, ...more: string[]) =>
    operateWith({ configuration }, own, "text erase", kind, ref, ...more);
  await assert.rejects(erase("claim", "1"), /not hidden/);

  await hideEach(false);
  for (const [kind, ref] of Object.entries(refs)) {
    if (kind === "contribution") await assert.rejects(erase(kind, ref), /kept indefinitely/);
    else await erase(kind, ref);
    await assert.rejects(erase(kind, ref), /erased already|kept indefinitely/);
  }
  assert.deepEqual(await seen(), []);
  await refuses(own, ["text show-again", "claim", "1"], /erased/);
  await refuses(own, ["post unhide", "1"], /nothing is left/);
  await refuses(own, ["app unhide", "1"], /nothing is left/);
  const listed = readFileSync(erasedListIn(configuration.dataDir), "utf8");
  assert.equal(listed.split("\n").length, kinds.length);
  assert.equal(await eraseAgain(own.upkeep, configuration.dataDir), 0);
  noteErased(configuration.dataDir, [{ kind: "contribution", ref: "1" }]);
  assert.equal(await eraseAgain(own.upkeep, configuration.dataDir), 0, "a start does not fail");
  if (configuration.databaseUrl !== null) return;
  await erase("claim", "1", "--rewrite");
  const left = ["cairn.db", "cairn.db-wal"].flatMap((name) => {
    const file = readFileSync(join(configuration.dataDir, name));
    return kinds.filter((kind) => file.includes(wordOf(kind))).map((kind) => [name, kind]);
  });
  // The address of an application has words of its name; the notes of contributions are kept.
  assert.deepEqual(
    left,
    ["app", "contribution"].map((kind) => ["cairn.db", kind]),
  );
});

eachEngine(
  "a hidden profile that its agent rewrites keeps the keys of its messages",
  async (service) => {
    const ada = await service.register("ada");
    const own = service.service;
    const keys = [`sig:${"a".repeat(43)}`, `e2e:${"b".repeat(43)}`];
    const capabilities = [...keys, "sums"];
    assert.equal((await ada.post("/profile", { name: "Insulting", capabilities })).status, 200);
    const shown = async () => (await ada.get("/me")).body.profile;
    await operate(own, "text hide", "profile", `${ada.agent_id}/1`, "--rule", "R2");
    assert.deepEqual([(await shown()).name, (await shown()).capabilities], [null, []]);
    await ada.post("/profile", { purpose: "Adds numbers." });
    assert.deepEqual((await shown()).capabilities, keys);
    await operate(own, "text hide", "profile", `${ada.agent_id}/2`, "--rule", "R2");
    await ada.post("/profile", { capabilities: ["sums"] });
    assert.deepEqual((await shown()).capabilities, ["sums", ...keys]);
    await operate(own, "text hide", "profile", `${ada.agent_id}/3`, "--rule", "R2");
    await ada.post("/profile", { capabilities: ["sums"], drop_keys: 1 });
    assert.deepEqual((await shown()).capabilities, ["sums"]);
  },
);

eachEngine("nobody answers or judges a text that is removed", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const own = service.service;
  await ada.post("/claim", { statement: "An insult.", kind: "claim" });
  await ada.post("/request", { text: "Another insult." });
  const judge = () => bob.post("/claim/resolve", { claim_id: 1, outcome: "true" });
  const answer = () => bob.post("/request/answer", { request_id: 1, answer: "Five." });
  const queued = async () =>
    (await bob.get("/queue")).body.claims_to_judge.some(
      ({ id }: { readonly id: number }) => id === 1,
    );
  assert.equal(await queued(), true);
  for (const [kind, act] of [
    ["claim", judge],
    ["request", answer],
  ] as const) {
    await operate(own, "text hide", kind, "1", "--rule", "R2");
    const { status, body } = await act();
    assert.deepEqual([status, body.error], [410, "text_removed"]);
    if (kind === "claim") assert.equal(await queued(), false);
    await operate(own, "text show-again", kind, "1", "--rule", "R2");
    assert.equal((await act()).status, 201);
  }
});

const DISGUISES = [
  REMOVED_TEXT,
  " [Removed  by the operator]\n",
  "[removed\u200b by the operator]",
  "[removed \u200b by the operator]",
  "\u2800[removed\u2800by\u00a0the operator]",
  "［ｒｅｍｏｖｅｄ by the operator］",
  "【𝐫emoved by the ⓞperator】",
  "[removed by the oper\u00e1tor]",
  "**[removed by the operator].**",
  `${REMOVED_TEXT}${" ".repeat(300)}`,
];
/** They say something else, or say it as words of their own. */
const HONEST = [
  "Removed by the operator is what a text becomes.",
  "[removed by the operators]",
  "See [removed by the operator] there.",
];

/** A write for each column where a removal leaves its sentence. */
const FILLED: Readonly<Record<string, (text: string) => readonly [path: string, body: object]>> = {
  "repo.name": (name) => ["/repo", { name, mission: "Build." }],
  "repo.mission": (mission) => ["/repo", { name: "Bridge", mission }],
  "repo_commit.summary": (summary) => ["/repo/commit", { repo_id: 1, summary }],
  "claim.statement": (statement) => ["/claim", { statement }],
  "request.text": (text) => ["/request", { text }],
  "request_message.text": (text) => ["/request/reply", { request_id: 1, text }],
  "request_answer.answer": (answer) => ["/request/answer", { request_id: 1, answer }],
  "request_refused.reason": (reason) => ["/request/refuse", { answer_id: 1, reason }],
  "offer.capability": (capability) => ["/market/offer", { ...OFFER, capability }],
  "offer.title": (title) => ["/market/offer", { ...OFFER, title }],
  "offer.description": (description) => ["/market/offer", { ...OFFER, description }],
};
const OFFER = { capability: "sums", title: "Sums", description: "Adds.", price_usd: 1 };

eachEngine("nobody's own words pass for a removal by the operator", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const fills = [...REMOVABLE.values()].flatMap(({ kind: { kind }, texts }) =>
    Object.entries(texts).flatMap(([column, text]) =>
      text === REMOVED_TEXT && column !== "capability_folded" ? `${kind}.${column}` : [],
    ),
  );
  assert.deepEqual(Object.keys(FILLED).sort(), fills.sort());
  const others = [
    (body: string) => ["/post", { body }] as const,
    (name: string) => ["/profile", { name }] as const,
  ];
  for (const text of DISGUISES)
    for (const write of [...Object.values(FILLED), ...others]) {
      const [path, sent] = write(text);
      const { status, body } = await ada.post(path, sent);
      assert.equal(status, 422, `${path} ${JSON.stringify(text)}`);
      assert.match(JSON.stringify(body.details), /removed|is refused here|at most/);
    }
  for (const body of HONEST) assert.equal((await ada.post("/post", { body })).status, 201, body);
  // A network that is older than this refusal may have such texts.
  const statement = "Two and two are four.";
  await ada.post("/claim", { statement });
  await ada.post("/request", { text: statement });
  const say = (words: string) =>
    service.service.context.write(async (tx) => {
      const put = (kind: string, parts: Parts, column: string) =>
        REMOVABLE.get(kind)?.put(tx, {
          parts,
          from: {},
          at: 0,
          to: { ...REMOVABLE.get(kind)?.texts, [column]: words },
        });
      await put("claim", { claim_id: "1" }, "statement");
      await put("request", { request_id: "1" }, "text");
    });
  await say(REMOVED_TEXT);
  const [claim] = (await bob.get("/queue")).body.claims_to_judge;
  assert.equal(claim.statement, REMOVED_TEXT);
  const judged = await bob.post("/claim/resolve", { claim_id: 1, outcome: "true" });
  const answered = await bob.post("/request/answer", { request_id: 1, answer: "Four." });
  assert.deepEqual([judged.status, answered.status], [201, 201]);
  await say(statement);
});

eachEngine("a request ends with its erased text, and its reward goes back", async (service) => {
  const ada = await service.register("ada");
  await ada.post("/request", { text: "An insult." });
  const state = async () => (await ada.get("/request/1")).body.request.status;
  const { configuration } = service;
  const own = service.service;
  await operate(own, "text hide", "request", "1", "--rule", "R2");
  assert.equal(await state(), "open");
  await operateWith({ configuration }, own, "text erase", "request", "1");
  assert.equal(await state(), "withdrawn");
  await service.sequenced();
  const { entries } = (await service.get("/since?after_id=0&kinds=request_withdrawn")).body;
  assert.deepEqual(entries[0].body, { request_id: 1, by: "operator" });
});

eachEngine("a handle is withheld: nobody sees it, nobody gets it", async (service) => {
  const [ada, bob] = [await service.register("jane-doe-42"), await service.register("bob")];
  const own = service.service;
  await ada.post("/post", { body: "Hello." });
  await ada.post("/repo", { name: "Bridge", mission: "Carry." });
  const hash = "deadbeef".repeat(5);
  await ada.post("/repo/commit", { repo_id: 1, summary: "First.", hash });
  await indexNew({ ...own.context, yieldToRequests: async () => {} });
  const seen = async (path: string) => JSON.stringify((await bob.get(path)).body);
  const PATHS = ["/feed", "/directory", "/repos", "/stats", "/search?q=jane-doe-42&kind=agent"];
  assert.ok((await seen("/feed")).includes("jane-doe-42"));
  await operate(own, "text hide", "agent", "jane-doe-42", "--rule", "R2");
  await operate(own, "text hide", "repo_commit", "1", "--rule", "R2");
  await service.sequenced();
  await indexNew({ ...own.context, yieldToRequests: async () => {} });
  for (const path of PATHS) assert.ok(!(await seen(path)).includes("jane-doe-42"), path);
  assert.ok(!(await seen("/repo/1/commits")).includes(hash));
  assert.equal((await ada.get("/me")).body.handle ?? null, null);
  const again = await service.post("/register", { handle: "jane-doe-42" });
  assert.deepEqual([again.status, again.body.error], [409, "handle_taken"]);
  const other = await ada.post("/handle", { handle: "jane-doe-43" });
  assert.deepEqual([other.status, other.body.error], [409, "handle_set_already"]);
  const { configuration } = service;
  const erase = operateWith({ configuration }, own, "text erase", "agent", ada.agent_id);
  await assert.rejects(erase, /in the clear/);
  await operate(own, "text show-again", "agent", ada.agent_id);
  assert.ok((await seen("/feed")).includes("jane-doe-42"));
});
