import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { RAW_TOOLS } from "../src/cli/mcp/letter-tools.ts";
import { ENTRY_KINDS } from "../src/domains/entries.ts";
import { signedIn } from "../src/platform/kernel/contract/entry-kind.ts";
import { days } from "../src/platform/kernel/time.ts";
import { REQUESTS_EXTENSION } from "../src/surfaces/describe/agent-card.ts";
import type { BoundOperation } from "../src/surfaces/dispatch/registry.ts";
import { message, speakerOf } from "./a2a.ts";
import { earn } from "./coin.ts";
import { did } from "./full-sales.ts";
import { eachMarket, type Market } from "./market-service.ts";
import { INFO, type McpClient, openWhole, STRANGERS, seenAs } from "./mcp/clients.ts";
import { CAIRN } from "./process.ts";
import { operations } from "./registry.ts";
import { statement } from "./statement.ts";
import { type Ready, UNMARKED, UNTRIED, type World, WRITES } from "./writes.ts";

type Fields = Readonly<Record<string, unknown>>;

/** An answer, whatever door it came by: what REST would say. */
type Body = Fields & { readonly ok?: boolean; readonly error?: string };

/** A way to make a write. */
interface Door {
  readonly name: string;
  /** Whether an operation can be called by it. */
  readonly leads: (operation: BoundOperation) => boolean;
  readonly send: (operation: BoundOperation, ready: Ready) => Promise<Body>;
}

const textOf = ({ content, structuredContent }: Awaited<ReturnType<McpClient["call"]>>): Body =>
  structuredContent ?? JSON.parse(content[0]?.text ?? "{}");

const hasTool = ({ tool, endsToken }: BoundOperation) => tool !== undefined && endsToken !== true;

/** Every door to a service; the official clients check each result against the schema of its tool. */
async function doorsOf(market: Market, folder: string) {
  const clients = new Map<string, McpClient>();
  const kept = async (key: string, open: () => Promise<McpClient>): Promise<McpClient> => {
    const known = clients.get(key);
    if (known !== undefined) return known;
    const client = await open();
    await client.tools(); // From then on it knows the schemas of answers.
    clients.set(key, client);
    return client;
  };
  const shut = ({ by }: Ready) => kept(`shut ${by.token}`, () => openWhole(market, by));
  const bridge = ({ by }: Ready) =>
    kept(`bridge ${by.token}`, async () => {
      const file = join(folder, by.agent_id);
      writeFileSync(file, `${by.token}\n`);
      const client = new Client(INFO, { versionNegotiation: { mode: "auto" } });
      const args = [CAIRN, "mcp", "--url", market.url, "--token-file", file];
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }),
      );
      return seenAs(client);
    });
  const [stranger] = STRANGERS;
  const doors: readonly Door[] = [
    {
      name: "REST",
      leads: () => true,
      send: async ({ path }, { by, fields }) => (await by.post(path, fields)).body,
    },
    {
      name: "MCP",
      leads: hasTool,
      send: async ({ tool = "" }, ready) =>
        textOf(await (await shut(ready)).call(tool, ready.fields)),
    },
    {
      name: "MCP, open",
      leads: hasTool,
      send: async ({ tool = "" }, { by, fields }) => {
        const client = await kept("open", () => stranger.open(market));
        return textOf(await client.call(tool, { ...fields, token: by.token }));
      },
    },
    {
      name: "cairn_call",
      leads: hasTool,
      send: async ({ tool: name }, ready) => {
        const { dry_run, client_ref, not_after, ...args } = ready.fields;
        const beside = Object.fromEntries(
          Object.entries({ dry_run, client_ref, not_after }).filter(
            ([, value]) => value !== undefined,
          ),
        );
        return textOf(
          await (await shut(ready)).call("cairn_call", { name, arguments: args, ...beside }),
        );
      },
    },
    {
      name: "bridge",
      leads: (operation) => hasTool(operation) && !RAW_TOOLS.includes(operation.tool),
      send: async ({ tool: name }, ready) => {
        const { dry_run, ...args } = ready.fields;
        const trial = dry_run === undefined ? {} : { dry_run };
        return textOf(
          await (await bridge(ready)).call("cairn_call", { name, arguments: args, ...trial }),
        );
      },
    },
  ];
  return { doors, close: () => Promise.all([...clients.values()].map((client) => client.close())) };
}

/** How many rows each table has; a trial leaves all of them alone. */
async function rowsIn({ service: { store }, engine, sequenced }: Market): Promise<Fields> {
  await sequenced();
  const named =
    engine === "sqlite"
      ? "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'"
      : "select tablename::text as name from pg_tables where schemaname = current_schema()";
  const tables = (await store.read.all(statement(named), []))
    .map((row) => String(Object(row).name))
    .filter((name) => name !== "ledger_recent"); // Upkeep deletes names that are old enough.
  const counts = tables.map(
    (name) =>
      `select cast('${name}' as text) as name, cast(count(*) as bigint) as n from "${name}"`,
  );
  const rows = await store.read.all(statement(counts.join(" union all ")), []);
  return Object.fromEntries(rows.map((row) => [Object(row).name, Number(Object(row).n)]));
}

/** What the agents have, in coins, pending and not. */
async function coinsOf({ buyer, seller }: Market): Promise<readonly unknown[]> {
  const views = await Promise.all([buyer, seller].map((each) => each.get("/coin")));
  return views.map(({ body }) => body.you);
}

/** All that a write could change, small enough for a readable difference. */
const stateOf = async (market: Market) => [await rowsIn(market), await coinsOf(market)];

/** The paths of an answer, but for what only one door, or only a trial, says. */
function pathsOf(value: unknown, path = ""): readonly string[] {
  if (/^\.(notice|rules|dry_run|entries)/.test(path)) return [];
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => pathsOf(member, `${path}.${name}`));
}

/** Where a trial has the id that the write after it made. */
const idsOf = (tried: Body, made: Body): readonly string[] =>
  made["id"] === undefined
    ? []
    : ["", ...Object.keys(made)].filter((name) => {
        const [of, shown] = name === "" ? [made, tried] : [made[name], tried[name]];
        return Object(of).id === made["id"] && Object(shown).id !== null;
      });

eachMarket("a trial, a repetition and a late write change nothing by any door", async (market) => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-writes-"));
  let n = 0;
  const world: World = { market, next: () => ++n };
  const writes = operations.filter(({ method }) => method !== "GET");
  const known = new Set([...Object.keys(WRITES), ...UNTRIED]);
  assert.deepEqual(
    writes.map(({ name }) => name).filter((name) => !known.has(name)),
    [],
    "each write has a row here",
  );
  for (const agent of [market.buyer, market.seller])
    for (let i = 0; i < 10; i++) await earn(market, agent, `commit/${9_000 + world.next()}`);
  market.pass(days(20));
  await market.sequenced();
  for (const agent of [market.buyer, market.seller]) await did(agent.post("/coin/claim"), 200);

  const { doors, close } = await doorsOf(market, folder);
  try {
    for (const operation of writes)
      for (const door of doors) {
        const make = WRITES[operation.name];
        if (make === undefined || !door.leads(operation)) continue;
        await tryAll({
          market,
          door,
          operation,
          ready: await make(world),
          mark: `m${world.next()}`,
        });
      }
    assert.deepEqual(market.alarms, [], "no trial holds up other writes");
  } finally {
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
});

interface Row {
  readonly market: Market;
  readonly door: Door;
  readonly operation: BoundOperation;
  readonly ready: Ready;
  readonly mark: string;
}

/** The kinds of those entries of a trial that an act key would sign. */
const actsIn = ({ entries }: Body): readonly string[] =>
  Array.from(Object(entries)).flatMap((entry) => {
    const { kind, body } = Object(entry);
    const known = ENTRY_KINDS.find((each) => each.kind === kind);
    return known !== undefined && signedIn(known, body) !== null ? [known.kind] : [];
  });

async function tryAll({ market, door, operation, ready, mark }: Row): Promise<void> {
  const where = `${operation.name} by ${door.name}`;
  const send = (more: Fields) =>
    door.send(operation, { ...ready, fields: { ...ready.fields, ...more } });
  const before = await stateOf(market);
  const unchanged = async (what: string) =>
    assert.deepEqual(await stateOf(market), before, `${what} of ${where} changes something`);

  // A trial takes no signature: undefined fields are not sent.
  const tried = await send({ dry_run: true, act: undefined, act_signature: undefined });
  assert.deepEqual(
    [tried.ok, tried["dry_run"]],
    [true, true],
    `${where}: ${JSON.stringify(tried)}`,
  );
  await unchanged("a trial");
  const acts = actsIn(tried);
  assert.ok(acts.length <= 1, `a signature is for one act, and ${where} makes ${acts}`);
  if (acts.length > 0) assert.ok("act_signature" in operation.input.shape, where);
  const isActed = "act_signature" in ready.fields || "signature" in ready.fields;
  if (!isActed) {
    const late = await send({ not_after: 1_000 });
    assert.equal(late.error, "too_late", `${where}: ${JSON.stringify(late)}`);
    await unchanged("a late write");
  }

  const made = await send({ client_ref: mark });
  assert.equal(made.ok, true, `${where}: ${JSON.stringify(made)}`);
  assert.deepEqual(pathsOf(tried), pathsOf(made), `${where}: a trial answers what the write does`);
  assert.deepEqual(idsOf(tried, made), [], `${where}: an id of a trial is made up`);
  const after = await stateOf(market);
  const again = await send({ client_ref: mark });
  assert.equal(again.ok, true, `${where}: ${JSON.stringify(again)}`);
  assert.deepEqual(again["id"], made["id"], where);
  if (UNMARKED.has(operation.name)) return;
  assert.equal(again["repeated"], true, where);
  assert.deepEqual(await stateOf(market), after, `a repetition of ${where} changes something`);
}

eachMarket("what cannot be tried, marked or paid says so by every door", async (market) => {
  const { seller } = market;
  const refused = async (made: Promise<{ status: number; body: Body }>, field: string) => {
    const { status, body } = await made;
    const [detail] = Object(body)["details"] ?? [];
    assert.deepEqual([status, body.error, detail?.field], [422, "validation_failed", field]);
  };
  const before = await rowsIn(market);
  for (const field of ["dry_run", "client_ref"]) {
    await refused(market.post("/register", { [field]: "1" }), field);
    await refused(seller.post("/token/rotate", { [field]: "1" }), field);
    await refused(seller.post(`/token/rotate?${field}=true`), field);
  }
  assert.equal((await market.post("/register", { not_after: 1_000 })).body.error, "too_late");
  assert.equal((await seller.post("/token/rotate", { not_after: 1_000 })).body.error, "too_late");
  const [stranger] = STRANGERS;
  const client = await stranger.open(market);
  const calls = [
    ["register", { dry_run: true }],
    ["cairn_call", { name: "register", arguments: {}, dry_run: true }],
    ["cairn_call", { name: "token_rotate", arguments: { token: seller.token }, dry_run: true }],
    [
      "cairn_call",
      { name: "post_create", arguments: { body: "x" }, budget: 1, token: seller.token },
    ],
    ["cairn_call", { name: "post_create", body: "x", token: seller.token }],
    [
      "cairn_call",
      { name: "post_create", arguments: { body: "x", token: seller.token }, dry_run: "" },
    ],
    ["cairn_tools", { intent: "post", dry_run: true }],
  ] as const;
  for (const [name, args] of calls)
    assert.equal(textOf(await client.call(name, args)).error, "validation_failed", name);
  const twice = { name: "post_create", arguments: { body: "x", dry_run: true }, dry_run: false };
  const both = textOf(await client.call("cairn_call", { ...twice, token: seller.token }));
  assert.deepEqual(
    [both.error, Object(both)["details"][0].field],
    ["validation_failed", "dry_run"],
  );
  await client.close();
  assert.deepEqual(await rowsIn(market), before);
  assert.equal((await seller.get("/me")).status, 200, "its token still works");
});

eachMarket("a message of A2A is tried, repeated and late like any write", async (market) => {
  const { buyer, seller } = market;
  const speaker = speakerOf(market, buyer);
  const before = await rowsIn(market);
  const trials = [
    { message: message({ metadata: { dry_run: true } }) },
    { message: message({ metadata: { [REQUESTS_EXTENSION]: { dry_run: true } } }) },
    { message: message(), metadata: { dryRun: "true" } },
  ];
  for (const params of trials) {
    const { result } = await speaker.call("SendMessage", params);
    assert.equal(result.task, undefined, "a trial makes no task");
    const { data } = result.message.parts[1];
    assert.deepEqual([data.dry_run, data.id, data.entries[0].kind], [true, null, "request"]);
  }
  const stream = await fetch(`${market.url}/api/v1/a2a/rest/message:stream`, {
    method: "POST",
    headers: { authorization: `Bearer ${buyer.token}`, "content-type": "application/json" },
    body: JSON.stringify(trials[0]),
  });
  const [event = "", ...more] = (await stream.text())
    .split("\n")
    .filter((line) => line.startsWith("data: "));
  assert.deepEqual([Object.keys(JSON.parse(event.slice(6))), more], [["message"], []]);
  const tried = { dry_run: true };
  const refused = [
    { message: message(), dry_run: true },
    { message: message(), configuration: tried },
    { message: message(tried) },
    { message: message({ parts: [{ text: "Do this.", metadata: tried }] }) },
    { message: message({ metadata: { bountty: 1 } }) },
    ...[tried, { reward: 0.2 }, { ends: "accepted" }, { bounty: 1 }, { isDryRun: "yes" }].map(
      (data) => ({ message: message({ parts: [{ text: "Do this." }, { data }] }) }),
    ),
    { message: message({ parts: [{ data: { rows: [1], bountty: 1 } }] }) },
    { message: message({ parts: [{ data: { [REQUESTS_EXTENSION]: { reward: 0.2 } } }] }) },
    { message: message({ taskId: "1", parts: [{ data: { accept: 1 } }] }) },
    { message: message({ metadata: { bounty: 0.2 } }) },
    { message: message(), metadata: { deadline: "7d" } },
    { message: message({ metadata: { client_ref: "other" } }) },
    { message: message({ metadata: { dry_run: true } }), metadata: { dry_run: false } },
  ];
  for (const params of refused)
    assert.equal((await speaker.call("SendMessage", params)).error.code, -32_602);
  const late = await speaker.call("SendMessage", {
    message: message(),
    metadata: { not_after: 9 },
  });
  assert.match(JSON.stringify(late.error), /TOO_LATE/);
  assert.deepEqual(await rowsIn(market), before);

  const mark = message();
  const marked = { ...mark, metadata: { not_after: 4_000_000_000, client_ref: mark.messageId } };
  const [first, again] = [
    await speaker.call("SendMessage", { message: marked }),
    await speaker.call("SendMessage", { message: marked }),
  ];
  assert.equal(first.result.task.id, again.result.task.id);
  assert.equal(first.result.task.metadata?.notKept, undefined, "nothing of it was dropped");
  const id = first.result.task.id;
  const same = await speaker.call("SendMessage", {
    message: { ...marked, metadata: { ...marked.metadata, dry_run: "yes" } },
  });
  const { data } = same.result.message.parts[1];
  assert.deepEqual([data.repeated, data.id, data.entries], [true, Number(id), []]);
  const made = await rowsIn(market);
  for (const beside of [tried, { metadata: tried }, { metadata: { simulate: 1 } }])
    for (const cancelled of [
      (await speaker.rest("POST", `/tasks/${id}:cancel`, beside)).body,
      await speaker.call("CancelTask", { id, ...beside }),
    ])
      assert.notEqual(cancelled.error, undefined, JSON.stringify(cancelled));
  const byQuery = [
    await speaker.rest("POST", `/tasks/${id}:cancel?dry_run=true`, {}),
    await speaker.rest("POST", "/message:send?dryRun=1", { message: message() }),
  ];
  for (const { body } of byQuery) assert.notEqual(body.error, undefined, JSON.stringify(body));
  assert.deepEqual(await rowsIn(market), made);
  const request_id = Number(id);
  await did(seller.post("/request/answer", { request_id, answer: "A stone." }));
});

eachMarket(
  "a trial of an order is no invoice, and names nothing that is not there",
  async (market) => {
    await market.watch();
    const offer_id = await market.offer();
    const { body } = await market.buyer.post("/market/order", { offer_id, dry_run: true });
    const { invoice, order, entries } = body;
    const drawn = [invoice.uri, invoice.address, invoice.due_raw, order.split.due_raw];
    assert.deepEqual([...drawn, order.id, order.history[0].ref], Array(6).fill(null));
    assert.equal("due_raw" in entries[0].body, false);
    assert.equal(entries[0].body.offer_id, offer_id, "an id that is there stays");
    const answer = { request_id: 0, answer: "A stone." };
    answer.request_id = (await did(market.buyer.post("/request", { text: "Who?" }))).id;
    const tried = await market.seller.post("/request/answer", { ...answer, dry_run: true });
    assert.equal(
      tried.body.entries[0].body.request_id,
      answer.request_id,
      JSON.stringify(tried.body),
    );
    assert.equal("answer_id" in tried.body.entries[0].body, false);
  },
);

eachMarket(
  "trials beside writes of the same rows are answered, and hold up nobody",
  async (market) => {
    await market.watch();
    const offers = [await market.offer(), await market.offer({ title: "Another" })];
    const send = (i: number) => {
      const fields = {
        offer_id: offers[i % 2],
        client_ref: `m${i}`,
        ...(i % 3 > 0 && { dry_run: true }),
      };
      return market.buyer.post("/market/order", fields);
    };
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => send(i)));
    const statuses = new Set(answers.map(({ status }) => status));
    for (const status of statuses) assert.ok(status < 500, [...statuses].join());
    assert.ok(statuses.has(200) && statuses.has(201), [...statuses].join());
    assert.deepEqual(market.alarms, []);
  },
);
