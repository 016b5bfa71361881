import assert from "node:assert/strict";
import { test } from "node:test";
import { none } from "./limits.ts";
import { cursorsBeginDifferently } from "./tidy/cursors.ts";
import { publicRowsChangeWithAnEntry, recordedKindsAreEnacted } from "./tidy/effects.ts";
import {
  doorsWriteByInvoke,
  importsGoDown,
  importsHaveNoCycle,
  importsNameTheirFile,
  portableFilesStayPortable,
  subfoldersHaveNoCycle,
} from "./tidy/imports.ts";
import {
  architectureNamesFiles,
  everyPageIsLinked,
  markdownIsWrapped,
  sentencesBeginWithTheirSubject,
} from "./tidy/prose.ts";
import { writesReadNoInsertedRange } from "./tidy/ranges.ts";
import { type Checker, readProject, type Source } from "./tidy/source.ts";
import {
  entriesAreReadByTheLedger,
  migrationsComeInPairs,
  migrationsSayTheirStep,
  tablesAreWrittenByTheirOwner,
} from "./tidy/tables.ts";
import * as texts from "./tidy/texts.ts";

const project = readProject();
const TABLES = "export interface FeedTables {\n  post: PostTable;\n  topic: TopicTable;\n}\n";
const README = "Run `npm test`.\n";
const HIDE =
  'export const hide = prepared((db) =>\n  db.updateTable("post").set({ hidden_at: 1 }),\n);\n';
const ENTRIES = 'export const postHidden = entryKind({\n  kind: "post_hidden",\n});\n';
const HIDING =
  'import { append } from "../../platform/ledger/append.ts";\nimport { postHidden } from "./entries.ts";\nimport { hide } from "./queries.ts";\n';
const textOf = (name: string) => project.find(({ path }) => path === name)?.source ?? "";
const [CI, PACKAGE] = [textOf(".ci/run"), textOf("package.json")];
const FLOORS = (textOf("ARCHITECTURE.md").match(/^\|.*$/gm) ?? []).join("\n");

const files = (texts: Readonly<Record<string, string>>): Source[] =>
  Object.entries(texts).map(([path, source]) => ({ path, source }));
interface Rule {
  readonly rule: string;
  readonly check: Checker;
  /** Small projects that break the rule once. */
  readonly bad: readonly Readonly<Record<string, string>>[];
}

const RULES: readonly Rule[] = [
  {
    rule: "imports go down, and peers never import each other",
    check: importsGoDown,
    bad: [
      {
        "src/platform/ledger/append.ts": 'import { me } from "../../domains/identity/handlers.ts";',
      },
      { "src/domains/feed/handlers.ts": 'import {\n  topics,\n} from "../commons/rules.ts";' },
      { "src/platform/kernel/ids.ts": 'export type { Db } from "../db/engine.ts";' },
      { "src/platform/context.ts": 'type Proof = import("./ledger/seal.ts").Proof;' },
      { "src/main/serve.ts": 'fork(new URL("../cli/cairn.ts", import.meta.url));' },
      { "src/platform/db/tables.ts": 'import { feed } from "../../domains/feed/tables.ts";' },
      { "src/domains/feed/handlers.ts": 'import { service } from "../../../test/service.ts";' },
      { "src/rumours/handlers.ts": 'import { text } from "../platform/kernel/text.ts";' },
      { "src/platform/kernel/entry.ts": 'import { post } from "../../domains/feed/entries.ts";' },
      { "src/domains/feed/entries.ts": 'import { insertPost } from "./queries.ts";' },
      { "src/domains/feed/entries.ts": 'import type { Tx } from "../../platform/db/engine.ts";' },
      {
        "ARCHITECTURE.md": "| 1 | `kernel` | above |\n| 0 | `feed` | the domains |\n",
        "src/domains/feed/handlers.ts": 'import { text } from "../../platform/kernel/text.ts";',
      },
      {
        "ARCHITECTURE.md": "| 0 | `kernel` | of `feed` nothing |\n",
        "src/domains/feed/handlers.ts": 'import { text } from "../../platform/kernel/text.ts";',
      },
    ],
  },
  {
    rule: "imports have no cycle, not even of types",
    check: importsHaveNoCycle,
    bad: [
      {
        "src/domains/feed/a.ts": 'import { b } from "./b.ts";',
        "src/domains/feed/b.ts": 'import type { C } from "./c.ts";',
        "src/domains/feed/c.ts": 'import { a } from "./a.ts";',
      },
    ],
  },
  {
    rule: "cursors of different lists begin differently",
    check: cursorsBeginDifferently,
    bad: [
      {
        "src/domains/feed/contract.ts": 'cursorOf("t", "id");',
        "src/domains/coin/contract.ts": 'namedCursorOf("t");',
      },
      {
        "src/domains/feed/contract.ts":
          'const a = cursorOf("t", "id");\nconst b = pathCursor("t");',
      },
    ],
  },
  {
    rule: "subfolders have no import circle, not even of types",
    check: subfoldersHaveNoCycle,
    bad: [
      {
        "src/cli/verify/verify.ts": 'import type { Report } from "../audit/report.ts";',
        "src/cli/audit/report.ts": 'import { rows } from "./served/rows.ts";',
        "src/cli/audit/served/rows.ts": 'import { pins } from "../../verify/pins.ts";',
      },
      {
        "src/cli/command/words.ts": 'export { nodes } from "../doctor/nodes.ts";',
        "src/cli/doctor/doctor.ts": 'const { read } = await import("../verify/read.ts");',
        "src/cli/verify/read.ts": 'import { words } from "../command/words.ts";',
      },
      {
        "src/cli/audit/file/rows.ts": 'import { pages } from "../served/pages.ts";',
        "src/cli/audit/served/pages.ts": 'import { rows } from "../file/rows/rows.ts";',
      },
    ],
  },
  {
    rule: "what ships to browsers is free of server code",
    check: portableFilesStayPortable,
    bad: [
      { "src/platform/kernel/seal.ts": 'import { createHash } from "node:crypto";' },
      { "src/platform/kernel/merkle.ts": 'import { sha256 } from "@noble/hashes/sha2.js";' },
      { "src/domains/feed/contract.ts": 'import { postById } from "./queries.ts";' },
      { "src/domains/feed/rules.ts": 'import { sql } from "kysely";' },
      { "src/client/verify.ts": 'import { leaf } from "../platform/ledger/sequence.ts";' },
    ],
  },
  {
    rule: "a door of another protocol writes by operations alone",
    check: doorsWriteByInvoke,
    bad: [
      {
        "src/domains/requests/judging.ts": "export const refuse = () => write(async (tx) => {});",
        "src/surfaces/a2a/delegation.ts":
          'import { refuse } from "../../domains/requests/judging.ts";',
      },
      { "src/surfaces/a2a/delegation.ts": 'import { charged } from "../dispatch/charging.ts";' },
      {
        "src/surfaces/mcp/calling.ts": 'import { append } from "../../platform/ledger/append.ts";',
      },
    ],
  },
  {
    rule: "relative imports name their file",
    check: importsNameTheirFile,
    bad: [
      { "src/domains/feed/handlers.ts": 'import { post } from "./queries";' },
      { "test/service.ts": 'import { sqlite } from "../src/platform/db/sqlite.js";' },
    ],
  },
  {
    rule: "a table is written by the folder that declares it",
    check: tablesAreWrittenByTheirOwner,
    bad: [
      {
        "src/domains/feed/tables.ts": TABLES,
        "src/domains/views/queries.ts": 'db.updateTable("post").set(p)',
      },
      {
        "src/domains/feed/tables.ts": TABLES,
        "src/platform/ledger/queries.ts": 'db.insertInto(\n  "topic",\n)',
      },
      {
        "src/domains/feed/tables.ts": TABLES,
        "src/main/jobs/jobs.ts": "sql`delete from post where id = 1`",
      },
      {
        "src/domains/feed/tables.ts": TABLES,
        "src/domains/claims/queries.ts": 'insertNumbered("post", (p) => p)',
      },
    ],
  },
  {
    rule: "a public row changes with an entry",
    check: publicRowsChangeWithAnEntry,
    bad: [
      { "src/domains/feed/queries.ts": HIDE },
      {
        "src/domains/feed/queries.ts": HIDE,
        "src/domains/feed/hiding.ts": `${HIDING}export const hidePost = (tx) => hide.run(tx, {});\n`,
        "src/domains/feed/entries.ts": ENTRIES,
      },
      {
        "src/domains/feed/queries.ts": HIDE,
        "src/domains/feed/entries.ts": ENTRIES,
        "src/domains/feed/hiding.ts": `${HIDING}
export async function hidePost(tx) {
  await hide.run(tx, {});
  append(tx, postHidden, {}, 1);
}
`,
        "src/domains/feed/jobs.ts":
          'import { hide } from "./queries.ts";\nexport const hideOld = (tx) => hide.run(tx, {});\n',
      },
      { "src/main/jobs/jobs.ts": "const hide = () => sql`update post set hidden_at = 1`;" },
    ],
  },
  {
    rule: "kinds whose rows have a record are written by enact",
    check: recordedKindsAreEnacted,
    bad: [
      {
        "src/domains/feed/entries.ts": 'export const post = entryKind({\n  kind: "post",\n});\n',
        "src/domains/feed/handlers.ts": `
import { append } from "../../platform/ledger/append.ts";
import * as entries from "./entries.ts";

export const make = (tx) => append(tx, entries.post, {});
`,
      },
    ],
  },
  {
    rule: "entries are read through the ledger's queries",
    check: entriesAreReadByTheLedger,
    bad: [
      { "src/domains/views/queries.ts": 'db.selectFrom("ledger_entry as e")' },
      { "src/domains/feed/threads.ts": "sql`select count(*) from ledger_entry`" },
    ],
  },
  {
    rule: "both engines have the same migrations",
    check: migrationsComeInPairs,
    bad: [
      { "src/platform/db/migrations/sqlite/0001-a.sql": "" },
      { "src/platform/db/migrations/postgres/0002-b.sql": "" },
    ],
  },
  {
    rule: "a migration says whether the program of before runs after it",
    check: migrationsSayTheirStep,
    bad: [
      "CREATE TABLE a (id INTEGER);",
      "-- expand\nDROP TABLE post;",
      "-- expand\nALTER TABLE post RENAME TO a;",
      "-- expand\nALTER TABLE post ADD COLUMN mood TEXT NOT NULL;",
      "-- expand\nCREATE UNIQUE INDEX one ON post (agent);",
      "-- expand\nCREATE TRIGGER t BEFORE INSERT ON post BEGIN SELECT 1; END;",
    ].map((sql) => ({ "src/platform/db/migrations/sqlite/0002-a.sql": sql })),
  },
  {
    rule: "no write reads a range of what Store.insert fills",
    check: writesReadNoInsertedRange,
    bad: [
      {
        "src/domains/feed/queries.ts":
          'export const newPost = insertion("post", {});\nexport const later = prepared((db, p) =>\n  db.selectFrom("post").select("id").where("id", ">", p.id),\n);\n',
        "src/domains/feed/handlers.ts": "write((tx) => sql.later.all(tx, {}));",
      },
    ],
  },
  {
    rule: "names are nouns of the specification",
    check: texts.namesAreNouns,
    bad: [
      { "src/domains/feed/utils.ts": "" },
      { "src/helpers/text.ts": "" },
      { "test/post-manager.test.ts": "" },
      { "src/domains/feed/index.ts": "" },
    ],
  },
  {
    rule: "nothing is left to do",
    check: texts.nothingIsLeftToDo,
    bad: [
      { "src/domains/feed/handlers.ts": "// TODO: count\n" },
      { "test/service.ts": "/* FIXME */" },
    ],
  },
  {
    rule: "text is normalised in one place, which bounds runs of marks",
    check: texts.oneNormalises,
    bad: [
      { "src/domains/search/words.ts": 'text.normalize("NFKC")' },
      { "clients/python/core.py": 'unicodedata.normalize("NFC", text)' },
    ],
  },
  {
    rule: "no text names a machine",
    check: texts.nothingNamesAMachine,
    bad: [
      { "docs/operating/backup.md": "Look into `/home/ada/data`.\n" },
      { "test/vectors.ts": 'readFile("../shared/seal.json")' },
      { "package-lock.json": '"resolved": "https://registry.example/zod.tgz"' },
    ],
  },
  {
    rule: "the gate is lint, types, dead code and the tests that the README names",
    check: texts.gateChecksEverything,
    bad: [
      { "README.md": README, ".ci/run": "#!/bin/sh\nnpm ci\n", "package.json": PACKAGE },
      {
        "README.md": README,
        ".ci/run": CI,
        "package.json": PACKAGE.replace("knip && ", ""),
      },
      { "README.md": "Hello.\n" },
    ],
  },
  {
    rule: "ARCHITECTURE names files that exist",
    check: architectureNamesFiles,
    bad: [{ "ARCHITECTURE.md": "Reads pass a semaphore (`surfaces/place.ts`).\n" }],
  },
  {
    rule: "names that were replaced do not come back",
    check: texts.oldNamesAreGone,
    bad: [
      { "src/surfaces/crowd.ts": "" },
      { "src/cli/audit/kept-rows.ts": "" },
      { "src/main/service.ts": "export interface World {}" },
      { "src/platform/kernel/lru.ts": "export function shelfOf() {}" },
    ],
  },
  {
    rule: "a domain has tests beside its handlers",
    check: texts.domainsHaveTests,
    bad: [{ "src/domains/feed/handlers.ts": "", "src/domains/claims/claims.test.ts": "" }],
  },
  {
    rule: "Markdown wraps at 120 columns",
    check: markdownIsWrapped,
    bad: [
      { "docs/a.md": `${"word ".repeat(25)}\n` },
      { "README.md": `- ${"word ".repeat(24)}\n` },
      { "docs/a.md": `\`\`\`sh\nls\n\`\`\`\n${"word ".repeat(25)}\n` },
    ],
  },
  {
    rule: "sentences begin with their subject",
    check: sentencesBeginWithTheirSubject,
    bad: [
      { "src/domains/feed/posts.ts": "/** What is shown of a post. */" },
      { "src/domains/feed/posts.ts": "// It ends. Who waits is told." },
      { "docs/a.md": "A key. So whoever has it signs.\n" },
      { "src/domains/feed/feed.test.ts": 'eachEngine("what is hidden stays hidden", () => {});' },
    ],
  },
  {
    rule: "docs/README.md links every page",
    check: everyPageIsLinked,
    bad: [
      { "docs/README.md": "[Coin](reference/coin.md)", "docs/reference/market.md": "" },
      { "docs/reference/coin.md": "" },
    ],
  },
  {
    rule: "tests that start processes say so in their names",
    check: texts.processTestsSaySo,
    bad: [
      { "test/crash.test.ts": 'import { startService } from "./process.ts";' },
      { "src/platform/db/migrate.test.ts": 'import { spawn } from "node:child_process";' },
      { "test/browser.test.ts": 'import { launch } from "./browser/chromium.ts";' },
      { "test/feed.process.test.ts": 'import { eachEngine } from "./service.ts";' },
    ],
  },
  {
    rule: "hooks are in test files, which then have a process of their own",
    check: texts.helpersHaveNoHooks,
    bad: [{ "test/helper.ts": 'import { after, test } from "node:test";' }],
  },
];

for (const { rule, check, bad } of RULES) {
  test(`tidy: ${rule}`, () => none(check(project), `The rule: ${rule}.`));

  test(`tidy: ${rule} (control)`, () => {
    for (const small of bad) {
      const all = files({ "ARCHITECTURE.md": FLOORS, ...small });
      assert.equal(check(all).length, 1, JSON.stringify(small));
    }
  });
}
