import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { Client } from "pg";
import { endedForm } from "../src/platform/kernel/ended-form.ts";
import { chainOf, operatorOf, posts } from "./chain.ts";
import { listening, serviceOf } from "./chain-server.ts";
import { writeLog } from "./log-files.ts";
import { runHere } from "./process.ts";
import { ENGINES, type Engine } from "./service.ts";
import { folderFor, siteFor } from "./site.ts";
import { VECTORS } from "./witness-vectors.ts";

/*
 * What versions before 0.3.0 wrote of a ledger: exports of release 0.2.0 and of the last development version, and what
 * a saved chain, the answers of GET /since and a public log had of the same entries.
 */

const EXPORTS = { "0.2.0": "export-0.2.0", "a development version": "export" } as const;

const exportOf = (version: keyof typeof EXPORTS): string =>
  new URL(`vectors/before-0.3.0/${EXPORTS[version]}.ndjson.gz`, import.meta.url).pathname;

const LINES = gunzipSync(readFileSync(exportOf("0.2.0")))
  .toString()
  .trimEnd()
  .split("\n")
  .map((line): Record<string, unknown> => JSON.parse(line));
const ENTRIES = LINES.filter(({ type }) => type === "entry");

const ndjson = (lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join("");

/** A test on both engines, which asks of each for a database of its own. */
function eachDatabase(name: string, body: (t: TestContext, engine: Engine) => Promise<void>): void {
  for (const engine of ENGINES) test(`${name} [${engine}]`, (t) => body(t, engine));
}

async function tablesIn({ CAIRN_DATABASE_URL: url }: Readonly<Record<string, string>>) {
  const client = new Client(url);
  await client.connect();
  const { rowCount } = await client.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'");
  await client.end();
  return rowCount;
}

/** A folder with a file of each form. */
async function forms(t: TestContext) {
  const folder = folderFor(t);
  const at = (name: string) => join(folder, name);
  const { schema: _, tables: __, crc32: ___, ...header } = LINES[0] ?? assert.fail();
  const chain = LINES.filter(({ type }) => type === "entry" || type === "seal");
  writeFileSync(at("saved"), ndjson([header, ...chain]));
  const [genesis = assert.fail()] = ENTRIES;
  const proof = { type: "proof", seq: 1, index: 0, path: [], entry: genesis["entry"] };
  writeFileSync(at("links"), ndjson([{ ...header, entries: false }, proof]));
  writeFileSync(at("since"), ndjson(ENTRIES.map(({ type: _type, ...entry }) => entry)));
  await writeLog(
    at("log"),
    ENTRIES.map(({ entry }) => Buffer.from(`${entry}`)),
  );
  writeFileSync(at("policy"), `log ${VECTORS.log.vkey}\nquorum none\n`);
  return { at, policy: at("policy") };
}

/** Runs a command that has to say that one sentence, to end with 5, and to write nothing into its new home. */
async function refused(
  t: TestContext,
  wordsIn: (home: (name: string) => string) => readonly string[],
  what: string,
): Promise<void> {
  const home = folderFor(t);
  const words = wordsIn((name) => join(home, name));
  const { code, out, err } = await runHere(words, {});
  assert.deepEqual([code, out, err], [5, "", `${endedForm(what)}\n`], words.join(" "));
  assert.deepEqual(readdirSync(home), [], words.join(" "));
}

for (const version of ["0.2.0", "a development version"] as const) {
  const path = exportOf(version);

  test(`an export of ${version} is not verified and not audited`, async (t) => {
    const what = `The export ${path}`;
    await refused(t, (home) => ["verify", path, "--state", home("heads")], what);
    await refused(t, (home) => ["verify", path, "--rules", "--state", home("heads")], what);
    await refused(t, (home) => ["audit", path, "--state", home("heads")], what);
    await refused(t, () => ["audit", "--entries", path], what);
  });

  eachDatabase(`an export of ${version} is not imported`, async (t, engine) => {
    const site = await siteFor(t, engine);
    const { code, out, err } = await site.run("import", path);
    assert.deepEqual([code, out, err], [5, "", `${endedForm(`The export ${path}`)}\n`]);
    assert.deepEqual(readdirSync(site.dataDir), []);
    if (engine === "postgres") assert.equal(await tablesIn(site.variables), 0);
  });
}

test("a saved chain of a version before is not verified", async (t) => {
  const { at } = await forms(t);
  const what = `The ledger in ${at("saved")}`;
  await refused(t, (home) => ["verify", at("saved"), "--state", home("heads")], what);
  await refused(
    t,
    (home) => ["verify", at("links"), "--state", home("heads")],
    `The ledger in ${at("links")}`,
  );
  await refused(t, () => ["audit", "--entries", at("saved")], what);
});

test("the entries of a version before are not audited: as lines, as a bundle, as a folder", async (t) => {
  const { at } = await forms(t);
  const bundle = at("log/tile/entries/000.p/11");
  for (const path of [at("since"), bundle, at("log")])
    await refused(t, () => ["audit", "--entries", path], `The ledger in ${path}`);
});

test("a public log of a version before is not verified, mirrored or monitored", async (t) => {
  const { at, policy } = await forms(t);
  const what = `The ledger in ${at("log")}`;
  await refused(t, () => ["verify", "--log", at("log")], what);
  const agent = "ag_jf6j2ndajhgxhdaridub";
  for (const words of [["mirror"], ["mirror", "--audit"], ["monitor", "--agent", agent]])
    await refused(
      t,
      (home) => [...words, at("log"), "--to", home("copy"), "--policy", policy],
      what,
    );
});

test("a mirror of a version before is not continued, and stays as it is", async (t) => {
  const { at, policy } = await forms(t);
  const filesIn = () => readdirSync(at("log"), { recursive: true }).sort();
  const before = filesIn();
  await writeLog(
    at("grown"),
    [...ENTRIES, ...ENTRIES.slice(1)].map(({ entry }) => Buffer.from(`${entry}`)),
  );
  await refused(
    t,
    () => ["mirror", at("grown"), "--to", at("log"), "--policy", policy],
    `The ledger in ${at("log")}`,
  );
  assert.deepEqual(filesIn(), before);
});

test("a service of a version before is not verified, saved or audited", async (t) => {
  const [origin, ada] = ["example.org/test", operatorOf(1)];
  const genesis = { kind: "genesis", ref: "1", body: { origin, pubkey: ada.pubkey } };
  const chain = chainOf([{ covers: [genesis, ...posts(1)], by: ada, origin }]);
  const keys = [{ public_key: ada.pubkey, from_seq: 1, to_seq: null, anchored: true }];
  const url = await listening(t, serviceOf(chain, origin, keys));
  const what = `The ledger in ${url}`;
  for (const words of [["verify"], ["verify", "--entries"], ["audit"]])
    await refused(t, (home) => [...words, url, "--state", home("heads")], what);
  const saving = (home: (name: string) => string) => [
    "--save",
    home("chain"),
    "--state",
    home("heads"),
  ];
  await refused(t, (home) => ["verify", url, ...saving(home)], what);
});
