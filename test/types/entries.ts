import * as feed from "../../src/domains/feed/entries.ts";
import * as market from "../../src/domains/market/entries.ts";
import type { Tx } from "../../src/platform/db/engine.ts";
import {
  entriesOf,
  entryKind,
  field,
  type PlacedEntry,
} from "../../src/platform/kernel/contract/entry-kind.ts";
import { append } from "../../src/platform/ledger/append.ts";
import { type Entry, numberIn } from "../../src/platform/ledger/rows/told.ts";

/** Lines that must not compile: `tsc` says so when one of them has no error any more. */
export function refused(tx: Tx): void {
  const body = { post_id: 1, agent: "ag_", body_sha256: "" };
  const sent = { content_commitment: "", bytes: 1, accept_by: 1, late: 0, made_at: 1 } as const;
  const delivered = { order_id: 1, n: 1, ...sent };
  append(tx, feed.post, body);
  append(tx, feed.post, { ...body, topic: undefined });
  append(tx, feed.postHidden, { post_id: 1 }, 2);

  // @ts-expect-error A kind is a record and never a name.
  append(tx, "post", body);
  // @ts-expect-error A field is missing.
  append(tx, feed.post, { post_id: 1, agent: "ag_" });
  // @ts-expect-error A field is misspelt.
  append(tx, feed.post, { ...body, topik: "x" });
  // @ts-expect-error A field has another type.
  append(tx, feed.post, { ...body, post_id: "1" });
  // @ts-expect-error No entry holds null.
  append(tx, feed.post, { ...body, topic: null });
  // @ts-expect-error The name ends with a count.
  append(tx, feed.postHidden, { post_id: 1 });
  // @ts-expect-error The count is a number.
  append(tx, feed.postHidden, { post_id: 1 }, "2");
  // @ts-expect-error The name ends with no count.
  append(tx, feed.post, body, 1);
  // @ts-expect-error The count is a field, and sealed.
  append(tx, market.orderDelivered, delivered, 1);
  append(tx, market.orderDelivered, delivered);

  const reported = { kind: "told", ref: "<n>", when: "A test tells" } as const;
  // @ts-expect-error A body is flat.
  entryKind({ ...reported, fields: { list: field.text.array() } });
  // @ts-expect-error Every kind says when it is appended.
  entryKind({ kind: "told", ref: "<n>", fields: {} });
  const misnamed = entryKind({ ...reported, ref: "<name>/<n>", fields: {} });
  // @ts-expect-error The name has a part that is no field.
  append(tx, misnamed, {}, 1);
}

/** What a projector reads: the entries of some kinds, told apart by `kind`. */
export function projected(all: readonly PlacedEntry[]): void {
  for (const entry of entriesOf({ post: feed.post, postHidden: feed.postHidden })(all)) {
    const rule: string | undefined = entry.kind === "post" ? entry.body.topic : entry.body.rule;
    // @ts-expect-error Only one of the two kinds has it.
    entry.body.topic?.concat(rule ?? "");
    // @ts-expect-error It is none of the kinds.
    if (entry.kind === "post_unhidden") return;
  }
}

/** What an audit reads of an entry: a field that no kind has would be 0 in all of them. */
export function audited(entry: Entry): number {
  // @ts-expect-error No kind has this field.
  return numberIn(entry, "amount") + numberIn(entry, "amount_mikro");
}
