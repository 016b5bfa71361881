import assert from "node:assert/strict";
import { test } from "node:test";
import { replayLedger } from "../src/domains/transitions.ts";
import { PLATFORM } from "../src/platform/ledger/platform.ts";
import type { ReplayedEntry } from "../src/platform/ledger/replay.ts";
import { fillService } from "./full-service.ts";
import { readLedger } from "./invariants.ts";
import { eachMarket, type Market } from "./market-service.ts";
import { ENGINES } from "./service.ts";

/** So many entries of each kind are changed. */
const OF_EACH_KIND = 3;

/** The part of all changed fields and missing entries that the rules find, at least. */
const FOUND_MIN = 0.8;

/** Fields that the entry's own name repeats, before a count: another value is another thing's. */
const NAMED: ReadonlySet<string> = new Set([
  "post_hidden.post_id",
  "app_unhidden.app_id",
  "agent_unbanned.agent",
  "profile.agent",
  "repo_leave.agent",
  "offer_unflagged.offer_id",
  "text_shown.of_ref",
  "request_message.request_id",
]);

/** The classes of changes that no rule can find, by field; the rest is one that a rule could find. */
const CLASSES: readonly (readonly [name: string, fields: RegExp])[] = [
  ["who acted", /^(agent|from|to|buyer|seller|by)$/],
  ["hashes of texts", /_sha256$|^content_commitment$/],
  ["facts of a chain", /^(txid|receive_txid|checked|proof|found|rate_source|rate|currency)$/],
  ["free facts", /^(topic|flagged|rule|hash|bytes|reason|note|network|role|origin|handle|share)$/],
  ["signatures and keys", /^(pubkey|signature|signature_old|signature_new|old_pubkey|new_pubkey)$/],
];

const classOf = (field: string): string =>
  CLASSES.find(([, fields]) => fields.test(field))?.[0] ?? (field === "" ? "omissions" : "others");

type Value = string | number | undefined;

/** Other values of a field, as somebody would write them who changes it. */
function othersOf(name: string, value: string | number): readonly Value[] {
  if (typeof value === "number") {
    if (/(_at|_by|_from)$/.test(name)) return [value + 86_400, value - 86_400, undefined];
    return [value + 1, value * 1_000 + 1, undefined];
  }
  if (/^(0|[1-9]\d*)$/.test(value))
    return [`${BigInt(value) + 1n}`, `${BigInt(value) * 2n}`, undefined];
  if (/^[0-9a-f]{64}$/.test(value)) return ["f".repeat(64), undefined];
  if (/^\d+\.\d+$/.test(value)) return [String(Number(value) * 2), undefined];
  return [`${value}x`, undefined];
}

const isFound = (entries: readonly ReplayedEntry[]): boolean => {
  const replay = replayLedger(PLATFORM);
  return entries.some((entry) => replay.add(entry).length > 0) || replay.findings().length > 0;
};

/** A change, and whether the rules find it. */
interface Change {
  readonly kind: string;
  /** Empty for an entry that is left out. */
  readonly field: string;
  readonly isFound: boolean;
}

function* changesOf(entries: readonly ReplayedEntry[]): Generator<Change> {
  const seen = new Map<string, number>();
  for (const [i, entry] of entries.entries()) {
    const { kind, body } = entry;
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    if (count > OF_EACH_KIND) continue;
    for (const [field, value] of Object.entries(body))
      for (const other of othersOf(field, value)) {
        const { [field]: _, ...rest } = body;
        const changed = other === undefined ? rest : { ...body, [field]: other };
        yield { kind, field, isFound: isFound(entries.with(i, { ...entry, body: changed })) };
      }
    const without = entries.toSpliced(i, 1).map((each, k) => ({ ...each, id: k + 1 }));
    yield { kind, field: "", isFound: isFound(without) };
  }
}

/** The replay sees entries only, so that one engine says it all. */
const ONE_ENGINE = { engines: ENGINES.slice(0, 1) };

const aChangeIsFound = async (market: Market): Promise<void> => {
  await fillService(market);
  await market.sequenced();
  const items = await readLedger(market);
  const entries = items.map(({ id, at, kind, ref, body }) => ({ id, at, kind, ref, body }));
  const replay = replayLedger(PLATFORM);
  for (const entry of entries) replay.add(entry);
  assert.deepEqual(replay.findings(), [], "the ledger itself is sound");
  const changes = [...changesOf(entries)];
  const found = changes.filter((each) => each.isFound);
  const left = Map.groupBy(
    changes.filter((each) => !each.isFound),
    ({ field }) => classOf(field),
  );
  const classes = [...left].map(([name, of]) => `${name} ${of.length}`).join(", ");
  const share = found.length / changes.length;
  test(`${found.length} of ${changes.length} found; left: ${classes}`, () => {});
  if (process.env["TEST_SURVIVORS"] !== undefined)
    for (const [name, of] of left)
      console.error(name, [...new Set(of.map(({ kind, field }) => `${kind}.${field}`))].join(" "));
  assert.ok(share >= FOUND_MIN, `${share}`);
  const isOther = ({ kind, field }: Change) => NAMED.has(`${kind}.${field}`);
  assert.deepEqual(
    changes.filter((each) => isOther(each) && !each.isFound),
    [],
  );
  assert.equal(new Set(changes.filter(isOther).map(({ kind }) => kind)).size, NAMED.size);
};

eachMarket(
  "a changed field or a missing entry is found by the rules",
  aChangeIsFound,
  {},
  ONE_ENGINE,
);
