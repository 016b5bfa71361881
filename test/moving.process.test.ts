import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { crc32, gunzipSync } from "node:zlib";
import { Client } from "pg";
import { clientOf } from "./service.ts";
import { figuresOf, folderFor, liveOn, type Site, sealed, siteFor, takeAlong } from "./site.ts";

const textOf = (file: string): string =>
  (file.endsWith(".gz") ? gunzipSync(readFileSync(file)) : readFileSync(file)).toString();

async function done(run: ReturnType<Site["run"]>): Promise<void> {
  const { code, out, err } = await run;
  assert.equal(code, 0, out + err);
}

test("a network moves from SQLite to PostgreSQL and back, and is the same", async (t) => {
  const folder = folderFor(t);
  const [first, second, third] = [
    await siteFor(t, "sqlite"),
    await siteFor(t, "postgres"),
    await siteFor(t, "sqlite"),
  ];
  const service = await first.start();
  const { token } = await liveOn(first, service);
  await sealed(service);
  const figures = await figuresOf(service);
  await service.stop("SIGTERM");
  const one = join(folder, "one.ndjson");
  await done(first.run("export", one));
  assert.equal(statSync(one).mode & 0o777, 0o600);
  assert.doesNotMatch(textOf(one), /sk_[0-9a-f]{48}/, "no token is in an export");

  takeAlong(first, second);
  const imported = await second.run("import", one);
  assert.equal(imported.code, 0, imported.err);
  assert.match(imported.out, /^[\d,]+ rows in [\d.]+ s, [\d,]+ a second\. The chain verifies: /);
  const two = join(folder, "two.ndjson.gz");
  await done(second.run("export", two));
  assert.equal(textOf(two), textOf(one), "both engines hold the same rows, seals and ids");

  const moved = await second.start();
  assert.deepEqual(await figuresOf(moved), figures);
  const { body: posted } = await clientOf(moved.url).post("/post", { body: "Here." }, { token });
  assert.equal(posted.id, 5, "ids go on where they were");
  await sealed(moved);
  const later = await figuresOf(moved);
  await moved.stop("SIGTERM");
  const three = join(folder, "three.ndjson.gz");
  await done(second.run("export", three));

  takeAlong(second, third);
  await done(third.run("import", three));
  const four = join(folder, "four.ndjson");
  await done(third.run("export", four));
  assert.equal(textOf(four), textOf(three));
  const back = await third.start();
  assert.deepEqual(await figuresOf(back), later);
  const state = join(folder, "heads.json");
  const key = JSON.parse(textOf(four).split("\n")[0] ?? "").keys[0].public_key;
  await done(third.run("verify", back.url, "--entries", "--key", key, "--state", state));
  await done(third.run("verify", four, "--entries", "--key", key, "--state", state));
});

test("an entry that had no id yet gets one on the way to SQLite", async (t) => {
  const [from, to] = [await siteFor(t, "postgres"), await siteFor(t, "sqlite")];
  await (await from.start()).stop("SIGTERM");
  const client = new Client(from.variables["CAIRN_DATABASE_URL"]);
  await client.connect();
  await client.query(`INSERT INTO ledger_pending (kind, ref, body, rules)
    VALUES ('heartbeat', '1', '{"after_id":1}', 1)`); // As a node leaves it that ended here.
  await client.end();
  const file = join(folderFor(t), "export.ndjson");
  await done(from.run("export", file));
  takeAlong(from, to, ["operator.key"]);
  await done(to.run("import", file));
  const database = new DatabaseSync(join(to.dataDir, "cairn.db"));
  const rows = database
    .prepare(
      `SELECT ledger_id = last_id AS is_last, at IS NOT NULL AS has_time
       FROM ledger_entry e JOIN ledger_kind k ON k.id = e.kind JOIN ledger_head WHERE k.kind = 'heartbeat'`,
    )
    .all();
  database.close();
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [{ is_last: 1, has_time: 1 }],
  );
});

/** An export of a small network, and a place to import it to. */
async function exported(t: TestContext): Promise<{ file: string; lines: string[]; to: Site }> {
  const site = await siteFor(t, "sqlite");
  const service = await site.start();
  const { post } = clientOf(service.url);
  const { token } = (await post("/register", { handle: "ada" })).body;
  await post("/post", { body: "What was said.", topic: "meta" }, { token });
  await sealed(service);
  await service.stop("SIGTERM");
  const file = join(folderFor(t), "export.ndjson");
  await done(site.run("export", file));
  return { file, lines: textOf(file).split("\n").slice(0, -1), to: await siteFor(t, "sqlite") };
}

/** A line as somebody would write it who knows how its last field is made. */
const forged = (line: string): string => {
  const json = `${line.slice(0, line.lastIndexOf(',"crc32"'))}}`;
  return `${json.slice(0, -1)},"crc32":"${crc32(json).toString(16).padStart(8, "0")}"}`;
};

test("an export that was changed is refused, with the line", async (t) => {
  const { file, lines, to } = await exported(t);
  const at = lines.findIndex((line) => line.includes("What was said."));
  const entry = lines.findIndex((line) => line.includes('"kind":"post"'));
  assert.ok(at > 0 && entry > 0);
  const changed = (i: number, change: (line: string) => string) =>
    lines.map((line, n) => (n === i ? change(line) : line));
  const twist = (line: string) => line.replace("What was said.", "What was sad..");
  const ends = lines.length - 1;
  const later = (line: string) => line.replaceAll('"topic":"meta"', '"topic":"mete"');
  const cases: [string, readonly string[], RegExp][] = [
    ["a text", changed(at, twist), new RegExp(`line ${at + 1}: This line was changed`)],
    [
      "the header",
      changed(0, (line) => line.replace("site.test", "sito.test")),
      /line 1: This line/,
    ],
    ["a line too few", lines.toSpliced(at, 1), /Lines are missing, were added, or were moved/],
    ["a line twice", lines.toSpliced(at, 0, lines[at] ?? ""), /Rows of post were refused: UNIQUE/],
    ["the end cut off", lines.slice(0, ends), /was cut off/],
    ["a forged text", changed(at, (line) => forged(twist(line))), /Lines are missing, were added/],
    [
      "a forged entry",
      changed(entry, (line) => forged(later(line))),
      /Lines are missing|entry \d+:/,
    ],
    [
      "a cut in a line",
      [...lines.slice(0, at), lines[at]?.slice(0, 40) ?? ""],
      /This line was changed/,
    ],
    ["another line", lines.toSpliced(3, 0, "{}"), /line 4: This line was changed/],
    ["a line behind", [...lines, lines[at] ?? ""], /There is something behind the end/],
  ];
  for (const [name, edited, said] of cases) {
    writeFileSync(file, `${edited.join("\n")}\n`);
    const { code, err } = await to.run("import", file);
    // A misfit is refused as soon as it shows, before the file is known to be damaged.
    const expected = name === "a line twice" ? 1 : 5;
    assert.deepEqual([code, said.test(err)], [expected, true], `${name}: ${err}`);
  }
  writeFileSync(file, `${lines.join("\n")}\n`);
  await done(to.run("import", file));
  const again = await to.run("import", file);
  assert.deepEqual([again.code, /is there already/.test(again.err)], [1, true]);
});

/** The same export after a change of some of its lines, with all sums as they should be. */
function rewritten(lines: readonly string[], change: (line: string) => string): string {
  const made = lines.slice(0, -1).map((line) => {
    const changed = change(line);
    return changed === line ? line : forged(changed);
  });
  const sha256 = createHash("sha256");
  for (const line of made) sha256.update(`${line}\n`);
  const end = { type: "end", lines: made.length, sha256: sha256.digest("hex") };
  return `${[...made, forged(`${JSON.stringify(end).slice(0, -1)},"crc32":""}`)].join("\n")}\n`;
}

test("rows that are not what the entries of their file make them are refused", async (t) => {
  const { file, lines, to } = await exported(t);
  for (const [name, change] of [
    ["post", (line: string) => line.replace("What was said.", "What was sad..")],
    ["coin_account", (line: string) => line.replace(/("reward_pool",)(\d)/, "$19")],
    ["agent", (line: string) => line.replace('"ada"', '"eve"')],
  ] as const) {
    writeFileSync(
      file,
      rewritten(lines, (line) => (line.includes(`"table":"${name}"`) ? change(line) : line)),
    );
    const { code, out, err } = await to.run("import", file);
    assert.equal(code, 1, name + out + err);
    assert.match(err, /^The rows of .* are not what its entries make them, such as .*--unaudited/);
    assert.ok(err.includes(name), err);
  }
  const { code, out } = await to.run("import", file, "--unaudited");
  assert.equal(code, 0);
  assert.match(out, /The rows were not compared with it\.\n$/);
});

test("no byte of an export can steer the terminal", async (t) => {
  const { file, lines, to } = await exported(t);
  for (const change of [
    (line: string) => line.replace('"origin":"site.test"', '"origin":"x\\u001b[31m\\n"'),
    (line: string) => line.replace('"table":"post"', '"table":"x\\u001b[31m"'),
    (line: string) => line.replace('"schema":["', '"schema":["x\\u001b[31m'),
  ]) {
    writeFileSync(file, rewritten(lines, change));
    const { code, err } = await to.run("import", file);
    assert.notEqual(code, 0);
    assert.doesNotMatch(err.replaceAll("\n", ""), /\p{C}/u);
  }
});
