import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { questClosed } from "../src/domains/commons/entries.ts";
import { ENTRY_KINDS } from "../src/domains/entries.ts";
import { refIn } from "../src/platform/kernel/contract/entry-kind.ts";
import { entryNamed } from "../src/platform/ledger/append.ts";
import { breakingKinds, type ReleasedKinds, releasedForm } from "./entry-kinds.ts";
import { matchesGoldenJson } from "./golden.ts";
import { checkKind } from "./invariants.ts";
import { same } from "./limits.ts";

const current: ReleasedKinds = JSON.parse(JSON.stringify(releasedForm(ENTRY_KINDS)));

test("the kinds of entries are the golden ones", () => matchesGoldenJson("entries.json", current));

/**
 * Entries that 0.3.0 changes, because it reads no earlier ledger (docs/decisions/0124-the-past-ends-with-0-3-0.md):
 * fields that every entry of a kind has, and one that is gone. The next release begins with an empty list.
 */
const CHANGED = [
  "quorum_opened.made_at",
  "coin_claim.made_at",
  "coin_expire.made_at",
  "order.escrow",
  "order_delivered.made_at",
  "order_expired.made_at",
  "order_held.made_at",
  "order_paid.made_at",
  "order_released.made_at",
  "order_resolved.by",
  "order_resolved.made_at",
  "order_undelivered.made_at",
  "payout.made_at",
  "refund.made_at",
  "genesis.rules",
].map((field) => `${field} is new and not optional`);
const GONE = "request_answer.own is gone";

test("a reader of the last release's entries can read this one's", (t) => {
  const file = new URL("golden/released/entries.json", import.meta.url);
  if (!existsSync(file)) return t.skip("No kinds are released yet; see npm run release:wire.");
  const released: ReleasedKinds = JSON.parse(readFileSync(file, "utf8"));
  same(
    breakingKinds(released, current),
    [...CHANGED, GONE],
    "Sealed entries keep their form: add an optional field or a new kind instead.",
  );
});

const POST = { ref: "<post_id>", fields: { post_id: { type: "integer" }, "topic?": {} } };
const WAS: ReleasedKinds = {
  post: POST,
  claim: { ref: "<claim_id>", fields: { outcome: { type: "string", enum: ["true", "void"] } } },
};

test("each change that breaks readers is found", () => {
  const changes: readonly (readonly [ReleasedKinds, string])[] = [
    [{ claim: WAS["claim"] ?? POST }, "post is gone"],
    [{ ...WAS, post: { ...POST, ref: "<post_id>/<n>" } }, "post has another ref"],
    [{ ...WAS, post: { ...POST, fields: { "topic?": {} } } }, "post.post_id is gone"],
    [
      { ...WAS, post: { ...POST, fields: { ...POST.fields, post_id: { type: "string" } } } },
      "post.post_id has another type",
    ],
    [
      { ...WAS, post: { ...POST, fields: { ...POST.fields, body: { type: "string" } } } },
      "post.body is new and not optional",
    ],
    [
      {
        ...WAS,
        claim: { ref: "<claim_id>", fields: { outcome: { type: "string", enum: ["true"] } } },
      },
      "claim.outcome is never void",
    ],
  ];
  for (const [is, fault] of changes) assert.deepEqual(breakingKinds(WAS, is), [fault]);
  const more = { ...POST, fields: { ...POST.fields, "reply_to?": { type: "integer" } } };
  assert.deepEqual(breakingKinds(WAS, { ...WAS, post: more, quest: POST }), [], "the control");
});

test("a kind is named once, in the form that the ledger takes", () => {
  const names = ENTRY_KINDS.map(({ kind }) => kind);
  assert.deepEqual(names, [...new Set(names)]);
  for (const name of names) assert.match(name, /^[a-z][a-z_]{1,39}$/);
});

test("an entry that its record does not allow fails the check after every test", () => {
  const ref = "7";
  const body = { quest_id: 7 };
  checkKind({ kind: "quest_closed", ref, body });
  for (const wrong of [
    { kind: "quest_lost", ref, body },
    { kind: "quest_closed", ref: "8", body },
    { kind: "quest_closed", ref, body: { ...body, why: "late" } },
    { kind: "quest_closed", ref, body: { quest_id: "7" } },
  ])
    assert.throws(() => checkKind(wrong), { name: "AssertionError" });
});

test("the name of an entry is the pattern of its kind with its fields, and a count where one is no field", () => {
  for (const kind of ENTRY_KINDS) {
    const forms = Object.entries(kind.fields);
    const values = forms.map(([name, { type }], i) => [name, type === "string" ? `a${i}` : 10 + i]);
    const body = Object.fromEntries(values);
    const named = kind.ref
      .replaceAll(/[[\]]/g, "")
      .replaceAll(/<(\w+)>/g, (_, name) => `${body[name] ?? 7}`);
    const isCounted = named.endsWith("/7");
    assert.equal(refIn(kind, body, isCounted ? 7 : undefined), named, kind.kind);
    assert.equal(refIn(kind, body), isCounted ? null : named, kind.kind);
  }
  assert.equal(refIn({ ref: "<order_id>[/<n>]" }, { order_id: 1 }), "1");
  assert.equal(refIn({ ref: "<order_id>/<n>" }, { n: 1 }), null);
});

test("an entry without a name, or with a field that its kind has not, is refused", () => {
  for (const [ref, body] of [
    [null, { quest_id: 7 }],
    ["7 ", { quest_id: 7 }],
    ["7", { quest_id: 7, why: "late" }],
    ["7", { quest_id: true }],
  ] as const)
    assert.throws(() => entryNamed(questClosed, ref, body), RangeError);
  const { body } = entryNamed(questClosed, "7", { why: undefined, quest_id: 7 });
  assert.deepEqual(body, { quest_id: 7 }, "the control");
});

/** By kind, the cells of its row in docs/reference/ledger.md. */
function documentedKinds(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(new URL("../docs/reference/ledger.md", import.meta.url), "utf8");
  const [, section = ""] = text.split("\n### Kinds\n");
  const [kinds = ""] = section.split("\n### ");
  const rows = [...kinds.matchAll(/^\| (`[a-z].+) \|$/gm)]
    .map(([, cells = ""]) => cells.split(" | "))
    .filter(([name, ...more]) => more.length === 3 && name !== "`kind`");
  return new Map(rows.flatMap((row) => codesIn(row[0] ?? "").map((kind) => [kind, row] as const)));
}

const codesIn = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);

test("the reference names every kind with its ref, its fields and their words", () => {
  const documented = documentedKinds();
  const names = ENTRY_KINDS.map(({ kind }) => kind);
  assert.deepEqual([...documented.keys()].sort(), names.toSorted());
  for (const { kind, ref, fields } of ENTRY_KINDS) {
    const [, refCell = "", body = ""] = documented.get(kind) ?? [];
    assert.equal(codesIn(refCell)[0], ref, `the ref of ${kind}`);
    const [listed = ""] = body.replaceAll(/ \([^)]*\)/g, "").split(/: |, (?=the )/);
    const shown = codesIn(listed);
    const known = Object.keys(releasedForm(ENTRY_KINDS)[kind]?.fields ?? {});
    assert.deepEqual(shown.toSorted(), known.toSorted(), `the fields of ${kind}`);
    for (const [name, { words }] of Object.entries(fields)) {
      const [, said] = new RegExp(`\`${name}\\??\` \\(([^)]*\`[^)]*)\\)`).exec(body) ?? [];
      if (words?.every((word) => typeof word === "string") && said !== undefined)
        assert.deepEqual(codesIn(said), words, `the words of ${kind}.${name}`);
    }
  }
});
