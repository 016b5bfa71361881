import assert from "node:assert/strict";
import { test } from "node:test";
import { ENTRY_KINDS } from "../src/domains/entries.ts";
import { KINDS_WITHOUT_ROWS } from "../src/domains/rows.ts";
import { matchesGoldenJson } from "./golden.ts";
import { same } from "./limits.ts";
import { effectsOf, WITHOUT_ENTRY } from "./tidy/effects.ts";
import { readProject } from "./tidy/source.ts";

const { tables, excepted } = effectsOf(readProject());

test("the entries that change a table are known", () => matchesGoldenJson("effects.json", tables));

test("an entry changes rows, or the audit says why it compares none", () => {
  const still = ENTRY_KINDS.map(({ kind }) => kind).filter((kind) => !Object.hasOwn(tables, kind));
  // The first entry is compared as it stands, and the sequencing stores in the head which rules are in force.
  const reasons = ["genesis", "rules_adopted", ...Object.keys(KINDS_WITHOUT_ROWS)];
  same(
    still,
    reasons,
    "A kind that changes no row of the ledger has its reason in KINDS_WITHOUT_ROWS of src/domains/rows.ts, and no other kind has.",
  );
});

test("whatever changes rows without an entry is still there", () =>
  same(
    excepted,
    Object.keys(WITHOUT_ENTRY),
    "WITHOUT_ENTRY of test/tidy/effects.ts names what is not there.",
  ));

test("effects are found through other functions, members and imports", () => {
  const texts = {
    "src/domains/feed/entries.ts": `
export const postHidden = entryKind({
  kind: "post_hidden",
});
`,
    "src/domains/feed/queries.ts": `
const hiding = (db) => db.updateTable("post").set({ hidden_at: 1 });
export const hide = prepared(hiding);
export const note = insertNumbered("post_notice", (p) => p);
export const report = insertNumbered("report", (p) => p);
`,
    "src/domains/feed/hiding.ts": `
import { append } from "../../platform/ledger/append.ts";
import * as entries from "./entries.ts";
import * as sql from "./queries.ts";

export async function hidePost(tx) {
  await sql.hide.run(tx, {});
  await record(tx, entries.postHidden);
}

async function record(tx, kind) {
  await sql.note.run(tx, {});
  append(tx, kind, {}, 1);
}
`,
    "src/domains/feed/handlers.ts": `
import { hide, report } from "./queries.ts";
import { hidePost } from "./hiding.ts";

export const feedHandlers = {
  hide: ({ write }) => write(hidePost),

  async report({ write }) {
    await write((tx) => report.run(tx, {})); // No hide: reports are private.
  },
};
`,
  };
  const files = Object.entries(texts).map(([path, source]) => ({ path, source }));
  const found = effectsOf(files, []);
  assert.deepEqual(found.tables, { post_hidden: ["post", "post_notice"] });
  assert.deepEqual(found.loose, []);
});
