import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type Chain,
  chainOf,
  faultsOf,
  genesisOf,
  linkFaultsOf,
  operatorOf,
  posts,
  sealed,
  sha256,
  startOf,
} from "../../../../test/chain.ts";
import { addEntries, type ChainState, contentsAfter, type StoredEntry } from "./chain.ts";
import type { Seal } from "./seal-text.ts";

const origin = "example.org/test";
const [ada, bo] = [operatorOf(1), operatorOf(2)];
const start = startOf(origin, ada);

const plain = chainOf([
  { covers: [...genesisOf(origin, ada), ...posts(1, 2)], by: ada, origin },
  { covers: posts(3), by: ada, origin },
  { covers: posts(4, 5, 6, 7, 8), by: null, origin },
  { covers: posts(9, 10), by: ada, origin },
]);

test("a chain with an unsigned seal in it has no fault, read whole or along its links", () => {
  const { faults, state } = faultsOf(start, plain);
  assert.deepEqual(faults, []);
  assert.deepEqual(
    [state.last?.seq, state.last?.to_id, state.key, state.log?.size],
    [4, 11, ada.pubkey, 11],
  );
  assert.deepEqual(linkFaultsOf(start, plain).faults, []);
});

test("entries may be read in any pieces", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(11)), (cuts) => {
      let contents = contentsAfter(start);
      for (const end of [...cuts, 11].sort((a, b) => a - b)) {
        const piece = plain.entries.slice(contents.next_id - 1, end);
        contents = addEntries(contents, piece, sha256).contents;
      }
      const whole = addEntries(contentsAfter(start), plain.entries, sha256);
      assert.deepEqual(contents, whole.contents);
    }),
    { numRuns: 30 },
  );
});

test("a walk that ended goes on from its state, which is plain JSON along the links", () => {
  const [first, second] = [plain.seals.slice(0, 2), plain.seals.slice(2)];
  const { state } = linkFaultsOf(start, { ...plain, seals: first });
  const kept: ChainState = JSON.parse(JSON.stringify(state));
  assert.deepEqual(linkFaultsOf(kept, { ...plain, seals: second }), linkFaultsOf(start, plain));
});

const patched = (seq: number, patch: Partial<Seal>): Chain => ({
  ...plain,
  seals: plain.seals.map((seal) => (seal.seq === seq ? { ...seal, ...patch } : seal)),
});

test("whatever one field of a seal says instead, the fault shows at that seal", () => {
  const other = plain.seals[0]?.seal_hash ?? null;
  const wrong: Omit<Seal, "algo"> = {
    seq: 4,
    at: 1_760_000_005,
    count: 2,
    from_id: 5,
    to_id: 5,
    root: other ?? "",
    prev_root: null,
    prev_seal: null,
    log_root: other ?? "",
    origin: "example.org/other",
    seal_hash: other ?? "",
    signature: plain.seals[0]?.signature ?? null,
    pubkey: bo.pubkey,
    signed_at: 1_760_000_001,
    signed: false,
  };
  for (const [field, value] of Object.entries(wrong)) {
    const { faults } = faultsOf(start, patched(2, { [field]: value }));
    assert.match(faults[0] ?? "", /^2: /, field);
  }
});

test("a signature is no excuse for a broken rule", () => {
  const second = plain.seals[1];
  assert(second);
  const cases: readonly (readonly [Partial<Seal>, string])[] = [
    [{ seq: 7 }, "its seq says 7"],
    [{ from_id: 5 }, "its from_id should be 4"],
    [{ count: 2 }, "its count is not that of from_id to to_id"],
    [{ to_id: 65_540, count: 65_537 }, "its count is above 65536"],
    [{ to_id: 5, count: 3 }, "2 entries up to 5 were read for it"],
    [{ at: 1_760_000_000 }, "its time is before that of the seal before it"],
    [{ at: 1_760_000_003 }, "an entry under it is later than the seal"],
    [{ root: second.log_root }, "its root is not that of its entries"],
    [{ log_root: second.root }, "its log_root is not that of all entries"],
    [{ prev_root: null }, "its prev_root is not the root of the seal before it"],
    [{ prev_seal: second.root }, "its prev_seal is not the hash of the seal before it"],
    [{ origin: "example.org/other" }, `its origin should be ${origin}`],
    [{ origin: "two\nlines" }, "its origin is not printable ASCII without spaces"],
    [{ root: second.root.toUpperCase() }, "a hash is not 64 lower-case hex characters"],
    [{ to_id: 4.5 }, "a number is not a positive integer"],
  ];
  for (const [patch, reason] of cases) {
    const { faults } = faultsOf(start, patched(2, sealed({ ...second, ...patch }, ada)));
    assert(faults.includes(`2: ${reason}`), `${JSON.stringify(patch)}: ${faults.join("; ")}`);
  }
});

test("a seal over nothing is found on the way, too", () => {
  const second = plain.seals[1];
  assert(second);
  const nothing = sealed({ ...second, count: 0, to_id: second.from_id - 1 }, ada);
  const { faults } = linkFaultsOf(start, {
    ...plain,
    seals: [...plain.seals.slice(0, 1), nothing],
  });
  assert.deepEqual(faults, ["2: its count is not that of from_id to to_id"]);
});

test("an entry with a lone surrogate is not taken for the one that its bytes would make", () => {
  const covers = [{ kind: "post", ref: "1", body: { text: "\ufffd" } }];
  const chain = chainOf([{ covers, by: ada, origin }]);
  const entries = chain.entries.map((entry) => ({
    ...entry,
    body: entry.body.replace("\ufffd", "\ud800"),
    entry: entry.entry.replace("\ufffd", "\ud800"),
  }));
  assert.deepEqual(faultsOf(start, chain).faults, []);
  assert.deepEqual(faultsOf(start, { ...chain, entries }).faults, [
    "1: entry 1: its text is not well-formed Unicode",
  ]);
});

test("a wrong log_root is told once, not again at every later seal", () => {
  const { faults } = faultsOf(start, patched(3, { log_root: "0".repeat(64) }));
  assert.deepEqual(
    faults.filter((fault) => fault.includes("log_root")),
    ["3: its log_root is not that of all entries"],
  );
});

const withEntries = (entries: readonly StoredEntry[]): Chain => ({ ...plain, entries });

test("an entry that is left out, moved, or put in twice is found", () => {
  const [first, ...rest] = plain.entries;
  assert(first);
  const swapped = plain.entries
    .with(6, plain.entries.at(7) ?? first)
    .with(7, plain.entries.at(6) ?? first);
  for (const entries of [rest, plain.entries.toSpliced(5, 1), plain.entries.toSpliced(5, 0, first)])
    assert.notDeepEqual(faultsOf(start, withEntries(entries)).faults, []);
  const { faults } = faultsOf(start, withEntries(swapped));
  assert.deepEqual(faults.slice(0, 2), [
    "3: entry 8: its id should be 7",
    "3: entry 7: its id should be 9",
  ]);
});

test("an entry that is older than the one before it is found", () => {
  const late = chainOf([{ covers: genesisOf(origin, ada), by: ada, origin }]);
  const later = { ...start, entry_at: 1_900_000_000 };
  assert.deepEqual(faultsOf(later, late).faults, [
    "1: entry 1: its time is before that of the entry before it",
    "1: an entry under it is later than the seal",
  ]);
});

/** One byte of one column of one stored entry becomes another byte. */
const edits = fc.record({
  at: fc.nat(plain.entries.length - 1),
  column: fc.constantFrom("kind", "ref", "body", "entry", "leaf", "id", "at"),
  place: fc.nat(),
  change: fc.integer({ min: 1, max: 255 }),
});

function edited(entry: StoredEntry, column: string, place: number, change: number): StoredEntry {
  if (column === "id") return { ...entry, id: entry.id + change };
  if (column === "at") return { ...entry, at: entry.at ^ change };
  const value = column === "leaf" ? entry.leaf : Buffer.from(String(Object(entry)[column]));
  const bytes = Uint8Array.from(value);
  const index = place % bytes.length;
  bytes[index] = (bytes[index] ?? 0) ^ change;
  return { ...entry, [column]: column === "leaf" ? bytes : Buffer.from(bytes).toString() };
}

test("500 random edits of stored entries are found, every one", () => {
  fc.assert(
    fc.property(edits, ({ at, column, place, change }) => {
      const entry = plain.entries[at];
      assert(entry);
      const entries = plain.entries.with(at, edited(entry, column, place, change));
      const seq = plain.seals.find(({ to_id }) => to_id >= entry.id)?.seq;
      assert.match(
        faultsOf(start, { ...plain, entries: entries }).faults[0] ?? "none",
        new RegExp(`^${seq}: `),
      );
    }),
    { numRuns: 500 },
  );
});
