import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as z from "zod";
import { views } from "../domains/views/contract.ts";
import { ledger, seal } from "../platform/ledger/contract.ts";
import { isEntry, isHeader, isOperator, isProof, isSeal } from "./shapes.ts";

const HASH = "a".repeat(64);
const sealed = {
  seq: 1,
  at: 2,
  count: 1,
  from_id: 1,
  to_id: 1,
  origin: "o",
  algo: "ed25519",
  root: HASH,
  log_root: HASH,
  seal_hash: HASH,
  prev_root: null,
  prev_seal: HASH,
  signature: "s",
  pubkey: null,
  signed_at: 3,
  signed: true,
};
const entry = {
  id: 1,
  kind: "post",
  ref: "1",
  at: 2,
  entry: "{}",
  leaf: HASH,
  body: { post_id: 1, agent: "ag_" },
  text: { body: "Hello.", tags: ["a", "b"] },
};
const proof = { seq: 1, index: 0, path: [{ side: "left", hash: HASH }], entry: "{}" };
const operator = {
  origin: "o",
  keys: [{ public_key: HASH, from_seq: 1, to_seq: null, anchored: true }],
};
const head = z.object({ seq: z.int(), seal_hash: z.string() }).nullable();
const operatorShape = ledger.verify.output.pick({ origin: true, keys: true });
const headerShape = operatorShape.extend({
  type: z.literal("cairn-export"),
  version: z.literal(1),
  entries: z.boolean(),
  head,
});
const header = { ...operator, type: "cairn-export", version: 1, entries: true };

const cases = [
  { is: isSeal, shape: seal, of: [sealed] },
  {
    is: isEntry,
    shape: views.since.output.shape.entries.element.required({ entry: true, leaf: true }),
    of: [entry],
  },
  {
    is: isProof,
    shape: ledger.proof.output.pick({ seq: true, index: true, path: true, entry: true }),
    of: [proof],
  },
  { is: isOperator, shape: operatorShape, of: [operator] },
  {
    is: isHeader,
    shape: headerShape,
    of: [
      { ...header, head: null },
      { ...header, head: { seq: 1, seal_hash: HASH } },
    ],
  },
];

const strange = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(null, -0, 1.5, 2 ** 53, -(2 ** 53) + 1, "", "left", 1, true, [], {}),
);

/** Every place in a value, as the names that lead to it. */
const placesIn = (value: unknown): string[][] =>
  typeof value !== "object" || value === null
    ? [[]]
    : [
        [],
        ...Object.entries(value).flatMap(([name, of]) =>
          placesIn(of).map((rest) => [name, ...rest]),
        ),
      ];

/** A value in which something else stands in one place; nothing where that is undefined. */
function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  if (Array.isArray(value))
    return value.map((of, i) => (String(i) === name ? replaced(of, rest, by) : of));
  const inner = Object.entries(Object(value)).map(([each, of]) => [
    each,
    each === name ? replaced(of, rest, by) : of,
  ]);
  return Object.fromEntries(inner.filter(([, of]) => of !== undefined));
}

for (const { is, shape, of } of cases) {
  test(`${is.name} agrees with the contract on 2,000 values`, () => {
    const edited = fc.constantFrom(...of).chain((value) => {
      const places = fc.constantFrom(...placesIn(value));
      return fc
        .tuple(places, fc.option(strange, { nil: undefined }))
        .map(([place, by]) => replaced(value, place, by));
    });
    let fitting = 0;
    fc.assert(
      fc.property(edited, (value) => {
        const fits = shape.safeParse(value).success;
        if (fits) fitting++;
        assert.equal(is(value), fits);
      }),
      { numRuns: 2_000 },
    );
    assert(of.every(is) && fitting > 10 && fitting < 1_990, String(fitting));
  });
}
