import assert from "node:assert/strict";
import { publish } from "../../../test/coin.ts";
import { eachMarket } from "../../../test/market-service.ts";
import { operate, refuses } from "../../../test/operator.ts";
import { eachEngine, type TestService } from "../../../test/service.ts";
import { LOOKS } from "../../domains/operator/looks/looks.ts";
import { addTask } from "../../domains/tasks/operator.ts";
import { DAY_S } from "../../platform/kernel/time.ts";

type Facts = Readonly<Record<string, unknown>>;

/** The rows of a list, or what stands beside a thing, by some of its keys. */
const rowsOf = (facts: Facts, keys: readonly string[], name = "rows") => {
  const rows = facts[name];
  assert.ok(Array.isArray(rows), name);
  return rows.map((row) => keys.map((key) => row[key]));
};

const look = async ({ service }: Pick<TestService, "service">, name: string, ...args: string[]) =>
  operate(service, name, ...args);

eachEngine(
  "reports: grouped by post, shown, dismissed, and decided by a hiding",
  async (network) => {
    const { service, register, pass } = network;
    const [ada, bob, eve] = [await register("ada"), await register("bob"), await register("eve")];
    const dan = await register("dan");
    for (const body of ["One.", "Two.", "Three."]) await ada.post("/post", { body });
    const nothing = await look(network, "report list");
    assert.deepEqual(nothing, { text: "There is none.", facts: { rows: [], next: null } });
    const report = (by: typeof bob, post_id: number, rule: string) =>
      by.post("/report", { post_id, rule });
    await report(bob, 2, "R2");
    pass(60);
    await report(eve, 2, "R2");
    await report(eve, 2, "R5");
    await report(eve, 2, "R2"); // A second one of the same agent adds nothing.
    await report(dan, 2, "R2");
    await report(bob, 1, "R1");

    const { text, facts } = await look(network, "report list");
    const keys = ["post", "handle", "rules", "reporters", "first_id", "last_id", "body"];
    assert.deepEqual(rowsOf(facts, keys), [
      [2, "ada", "R2 × 3, R5 × 1", 3, 1, 4, "Two."],
      [1, "ada", "R1 × 1", 1, 5, 5, "One."],
    ]);
    assert.match(text, /\n +2 +ada +R2 × 3, R5 × 1 +3 +\d{4}-\d\d-\d\dT/);
    const first = await look(network, "report list", "--limit", "1");
    assert.match(first.text, /There are more: go on with --after 1\.$/);
    const rest = await look(network, "report list", "--after", "1");
    assert.deepEqual(rowsOf(rest.facts, ["post"]), [[1]]);
    const one = await look(network, "report list", "--post", "1");
    assert.deepEqual(rowsOf(one.facts, ["post"]), [[1]]);

    const shown = await look(network, "report show", "2");
    assert.equal(shown.facts["body"], "Two.");
    assert.deepEqual(rowsOf(shown.facts, ["id", "rule", "handle", "decision"], "reports"), [
      [4, "R2", "dan", null],
      [3, "R5", "eve", null],
      [2, "R2", "eve", null],
      [1, "R2", "bob", null],
    ]);

    await refuses(service, ["report dismiss", "9"], /no post with this id/);
    await refuses(service, ["report dismiss", "3"], /no open report/);
    const some = await look(network, "report dismiss", "2", "--through", "3", "--note", "Irony.");
    assert.deepEqual(some, {
      text: [
        "Dismissed: 3 reports on post 2 (R2 × 2, R5 × 1).",
        "Unseen reports on post 2 stay open (R2 × 1): `cairn report show 2`.",
      ].join("\n"),
      left: "Unseen reports on post 2 stay open (R2 × 1): `cairn report show 2`.",
      facts: { post_id: 2, reports: 3, stay: { R2: 1 } },
    });
    assert.deepEqual(rowsOf((await look(network, "report list", "--post", "2")).facts, ["rules"]), [
      ["R2 × 1"],
    ]);
    await look(network, "post hide", "2", "--rule", "R2", "--reason", "Spam.");
    assert.deepEqual(rowsOf((await look(network, "report list")).facts, ["post"]), [[1]]);
    const decided = await look(network, "report list", "--decided");
    assert.deepEqual(rowsOf(decided.facts, ["post", "reporters"]), [[2, 3]]);
    const hidden = await look(network, "post show", "2");
    assert.deepEqual(rowsOf(hidden.facts, ["id", "decision", "note"], "reports"), [
      [4, "hidden", null],
      [3, "dismissed", "Irony."],
      [2, "dismissed", "Irony."],
      [1, "dismissed", "Irony."],
    ]);
    assert.deepEqual(rowsOf(hidden.facts, ["kind", "rule", "reason"], "notices"), [
      ["post_hidden", "R2", "Spam."],
    ]);
    await report(bob, 3, "R1");
    await look(network, "report dismiss", "3");
    await report(eve, 3, "R1");
    assert.deepEqual(
      rowsOf((await look(network, "report list", "--post", "3")).facts, ["last_id"]),
      [[7]],
    );
  },
);

eachEngine("posts and agents: newest first, by what they are, page after page", async (network) => {
  const { service, register } = network;
  const names = ["ada", "adam", "bob"] as const;
  const agents = await Promise.all(names.map((name) => register(name)));
  const [ada] = agents;
  assert.ok(ada);
  for (let i = 1; i <= 5; i++) await ada.post("/post", { body: `Post ${i}.\nIt is  long.` });
  await agents[2]?.post("/post", {
    body: "One \u202etwo\u202c.",
  });
  await operate(service, "post hide", "3");
  const ids = async (...args: string[]) =>
    rowsOf((await look(network, "post list", ...args)).facts, ["id"]).flat();
  assert.deepEqual(await ids(), [6, 5, 4, 3, 2, 1]);
  assert.deepEqual(await ids("--hidden"), [3]);
  assert.deepEqual(await ids("--agent", "bob"), [6]);
  assert.deepEqual(await ids("--flagged"), [6]);
  await refuses(service, ["post list", "--hidden", "--flagged"], /Choose one of/);
  await refuses(service, ["post list", "--agent", "nobody"], /no agent/);
  await refuses(service, ["post list", "--limit", "1001"], /1 to 1000/);
  const page = await look(network, "post list", "--limit", "4");
  assert.equal(page.facts["next"], 3);
  assert.deepEqual(await ids("--before", "3"), [2, 1]);
  assert.match(page.text, / Post 5\. It is long\.\n/, "a stranger's text is one line");
  assert.match(page.text, / One \ufffdtwo\ufffd\.\n/, "which cannot steer a terminal");

  await operate(service, "agent ban", "bob", "--reason", "Spam.");
  const found = async (...args: string[]) =>
    rowsOf((await look(network, "agent list", ...args)).facts, ["handle"])
      .flat()
      .sort();
  assert.deepEqual(await found("ada"), ["ada", "adam"]);
  assert.deepEqual(await found("adam"), ["adam"]);
  assert.deepEqual(await found("DAM"), ["adam"], "any part, in any case");
  assert.deepEqual(await found("--since", "1"), await found());
  assert.deepEqual(await found("--since", "4000000000"), []);
  assert.deepEqual(await found("--banned"), ["bob"]);
  assert.deepEqual(await found("ada", "--banned"), []);
  assert.deepEqual(await found("ag_"), [...(await found())]);
  const { text, facts } = await look(network, "agent show", "bob");
  assert.deepEqual([facts["handle"], facts["ban_reason"]], ["bob", "Spam."]);
  assert.match(text, /^agent +ag_/);
  assert.deepEqual(rowsOf(facts, ["id"], "posts"), [[6]]);
  await refuses(service, ["agent show", "nobody"], /no agent/);
  await refuses(service, ["post show", "99"], /no post/);
});

eachMarket("tasks, quests and orders are listed and shown", async (market) => {
  const { service } = market;
  await operate(service, "quest add", "--title", "Q", "--description", "Do.", "--days", "2");
  await operate(service, "quest add", "--title", "R", "--description", "Do.", "--days", "2");
  await operate(service, "quest close", "1");
  await operate(service, "quest award", "2", "--to", "ada");
  assert.deepEqual(rowsOf((await look(market, "quest list")).facts, ["id", "awards"]), [[2, 1]]);
  assert.deepEqual(rowsOf((await look(market, "quest list", "--closed")).facts, ["id"]), [[1]]);
  assert.deepEqual(rowsOf((await look(market, "quest show", "2")).facts, ["handle"], "awarded"), [
    ["ada"],
  ]);
  const task = await addTask(service.context, service.criteria.heavy, {
    title: "The answer",
    description: "Say it.",
    criterion: { kind: "exact", value: "42" },
    max_passes: null,
  });
  await market.seller.post("/tasks/submit", { task_id: task, payload: "41" });
  assert.deepEqual(rowsOf((await look(market, "task list")).facts, ["id", "max_passes"]), [
    [task, null],
  ]);
  const { facts: asked } = await look(market, "task show", String(task));
  assert.equal(asked["criterion"], '{"kind":"exact","value":"42"}');
  assert.deepEqual(rowsOf(asked, ["handle", "outcome"], "submissions"), [["ada", "failed"]]);
  await operate(service, "task close", String(task));
  assert.deepEqual(rowsOf((await look(market, "task list")).facts, ["id"]), []);
  assert.deepEqual(rowsOf((await look(market, "task list", "--closed")).facts, ["id"]), [[task]]);

  const terms = { ends: "accepted", capability: "sums" };
  const { id: request } = (await market.buyer.post("/request", { text: "2 + 2?", ...terms })).body;
  await market.seller.post("/request/answer", { request_id: request, answer: "4" });
  assert.deepEqual(
    rowsOf((await look(market, "request list")).facts, ["id", "state", "ends", "waiting"]),
    [[request, "review", "accepted", 1]],
  );
  const { facts: shown } = await look(market, "request show", String(request));
  assert.deepEqual([shown["handle"], shown["capability"]], ["bob", "sums"]);
  assert.deepEqual(rowsOf(shown, ["handle", "answer"], "answers"), [["ada", "4"]]);

  const paid = await market.paid(await market.offer());
  await market.order(await market.offer());
  const orders = async (...args: string[]) =>
    rowsOf((await look(market, "order list", ...args)).facts, ["id", "state"]);
  assert.match((await look(market, "order list")).text, /\bbob\b.*\bada\b/, "handles are shown");
  const all = [
    [paid.id + 1, "awaiting_payment"],
    [paid.id, "paid"],
  ];
  assert.deepEqual(await orders(), all);
  assert.deepEqual(await orders("--agent", "bob"), all);
  assert.deepEqual(await orders("--state", "paid"), [all[1]]);
  assert.deepEqual(await orders("--state", "paid", "--agent", "ada"), [all[1]]);
  assert.deepEqual(await orders("--before", String(paid.id)), []);
  await operate(
    { ...service, context: market.context },
    "market hold",
    String(paid.id),
    "--reason",
    "A question.",
  );
  const { facts, text } = await look(market, "order show", String(paid.id));
  assert.equal(facts["state"], "held");
  assert.deepEqual(rowsOf(facts, ["reason"], "holds"), [["A question."]]);
  assert.equal(rowsOf(facts, ["txid"], "payments").length, 1);
  assert.match(text, /in escrow +[\d.]+ XNO/);
  await refuses(service, ["order show", "99"], /no order/);
});

eachEngine("an entry is shown with its proof, or waits for its seal", async (network) => {
  const ada = await network.register("ada");
  await ada.post("/post", { body: "One." });
  await network.seal();
  await ada.post("/post", { body: "Two." });
  await network.sequenced();
  const shown = async (kind: string, ref: string) =>
    (await look(network, "entry show", kind, ref)).facts;
  const { ledger_id, seq, place, proven, path } = await shown("post", "1");
  assert.deepEqual(
    { ledger_id, seq, place, proven },
    { ledger_id: 3, seq: 1, place: "3 of 3", proven: "yes" },
  );
  assert.match(String(path), /^left [0-9a-f]{64}$/);
  const waits = await shown("post", "2");
  assert.deepEqual([waits["seq"], waits["proven"]], [null, "not yet: it waits for its seal"]);
  await refuses(network.service, ["entry show", "post", "3"], /no entry of this kind and id/);
  await refuses(network.service, ["entry show", "pist", "1"], /Did you mean post\?/);
});

eachEngine("each list and each page has every column that it names", async (network) => {
  const ada = await network.register("ada");
  await ada.post("/post", { body: "One." });
  for (const { name, see, input } of LOOKS) {
    const values = input.safeParse({ id: "1", post: "1", agent: "ada", kind: "post" }).data ?? {};
    const seen = await see(network.service.context, values).catch(() => null);
    for (const { columns, rows } of seen?.lists ?? [])
      for (const row of rows)
        for (const { key } of columns) assert.ok(key in row, `${name}: ${key}`);
    for (const { key } of seen?.thing?.columns ?? [])
      assert.ok(key in (seen?.thing?.row ?? {}), `${name}: ${key}`);
  }
});

eachEngine("cairn transfer list: whether one agent ever sent coins to another", async (network) => {
  const { service, register, pass } = network;
  const [ada, bob, eve] = [await register("ada"), await register("bob"), await register("eve")];
  await publish(ada);
  pass(20 * DAY_S);
  await ada.post("/coin/claim", {});
  for (const [to, amount] of [
    [bob, "0.01"],
    [eve, "0.02"],
    [bob, "0.03"],
  ] as const)
    assert.equal(
      (await ada.post("/coin/send", { to: to.agent_id, amount, memo: "Thanks." })).status,
      201,
    );
  const rows = async (...words: string[]) =>
    rowsOf((await look(network, "transfer list", ...words)).facts, [
      "from_name",
      "to_name",
      "amount",
    ]);
  assert.deepEqual(await rows("--from", "ada", "--to", "bob"), [
    ["ada", "bob", 30_000],
    ["ada", "bob", 10_000],
  ]);
  assert.equal((await rows("--from", "ada")).length, 3);
  assert.deepEqual(await rows("--from", "bob", "--to", "ada"), []);
  assert.equal((await rows()).length, 3);
  assert.equal((await rows("--agent", "bob")).length, 2);
  const now = service.context.clock.now();
  assert.equal((await rows("--since", String(now), "--agent", "eve")).length, 1);
  assert.deepEqual(await rows("--since", String(now + 1)), []);
  assert.deepEqual(await rows("--until", String(now)), []);
  await network.sequenced();
  const moves = (await look(network, "entry list", "--agent", "eve", "--kind", "coin_transfer"))
    .facts;
  assert.deepEqual(rowsOf(moves, ["ref"]), [["2"]]);
  await refuses(service, ["transfer list", "--to", "bob"], /--to goes with --from/);
});

eachEngine("files are listed and shown, until they are purged", async (service) => {
  const ada = await service.register("ada");
  await ada.post("/repo", { name: "Notes", mission: "Keep them." });
  const text = "A quokka.\n";
  const files = [
    { path: "a.md", text },
    { path: "b.bin", base64: Buffer.from([0xff, 0]).toString("base64") },
  ];
  await ada.post("/repo/commit", { repo_id: 1, summary: "First.", files });
  const second = { repo_id: 1, summary: "Second.", parent: 1 };
  await ada.post("/repo/commit", { ...second, files: [{ path: "b.bin", delete: 1 }] });
  const list = await look(service, "file list", "--repository", "1");
  assert.deepEqual(rowsOf(list.facts, ["commit_id", "path", "handle", "bytes"]), [
    [2, "b.bin", "ada", null],
    [1, "a.md", "ada", 10],
    [1, "b.bin", "ada", 2],
  ]);
  assert.deepEqual((await look(service, "file list", "--repository", "9")).facts["rows"], []);
  const [sha256 = "", binary = ""] = ["a.md", "b.bin"].map((path) => {
    const row = rowsOf(list.facts, ["path", "sha256"]).find(([p, hash]) => p === path && hash);
    return `${row?.[1]}`;
  });
  const shown = await look(service, "file show", sha256);
  assert.deepEqual([shown.facts["text"], shown.facts["handle"]], [text, "ada"]);
  assert.deepEqual(rowsOf(shown.facts, ["repository", "path", "name"], "places"), [
    [1, "a.md", "Notes"],
  ]);
  assert.equal((await look(service, "file show", binary)).facts["text"], null, "no text");
  await operate(service.service, "file purge", sha256, "--reason", "It names a person.");
  const gone = (await look(service, "file show", sha256)).facts;
  assert.deepEqual([gone["text"], gone["purge_reason"]], [null, "It names a person."]);
  await refuses(service.service, ["file show", "0".repeat(64)], /ever held/);
});
