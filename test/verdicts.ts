import {
  chainOf,
  type Draft,
  genesisOf,
  operatorOf,
  type Plan,
  rotationOf,
  sha256,
} from "./chain.ts";

const ORIGIN = "example.org/test";
const SECOND = `${ORIGIN}#2`;
const [ada, bo] = [operatorOf(1), operatorOf(2)];

/** The key of seal 1, which a reader pins. */
export const PINNED = ada.pubkey;

const post = (post_id: number): Draft => ({
  kind: "post",
  ref: String(post_id),
  body: { post_id, body_sha256: sha256(Buffer.from(`Post ${post_id}`)).toHex(), agent: "ä\u2028" },
});
const vote = (n: number): Draft => ({ kind: "vote", ref: `${n}/1`, body: { n, side: "yes" } });
const restored: Draft = {
  kind: "ledger_restored",
  ref: "2",
  body: { epoch: 2, origin: SECOND, lost_after_id: 11, lost_after_seq: 3, reason_sha256: "" },
};
const plans: readonly Plan[] = [
  { covers: [...genesisOf(ORIGIN, ada), post(1), post(2), vote(1)], by: ada, origin: ORIGIN },
  {
    covers: [rotationOf({ origin: ORIGIN, rotation: 1, from: ada, to: bo }), post(3)],
    by: ada,
    origin: ORIGIN,
  },
  { covers: [vote(2), vote(3), post(4), post(5), post(6)], by: null, origin: ORIGIN },
  { covers: [restored, post(7), post(8)], by: bo, origin: SECOND },
  { covers: [post(9), { ...post(10), ref: "3" }, vote(4)], by: bo, origin: SECOND },
];

type Line = Record<string, unknown>;

/** The lines of a saved chain with a rotation, a restore and two entries of one name. */
function savedLines(): Line[] {
  const { entries, seals } = chainOf(plans);
  const last = seals.at(-1);
  const head = last === undefined ? null : { seq: last.seq, seal_hash: last.seal_hash };
  const keys = [
    { public_key: ada.pubkey, from_seq: 1, to_seq: 1, anchored: true },
    { public_key: bo.pubkey, from_seq: 2, to_seq: null, anchored: true },
  ];
  const header = { type: "cairn-export", version: 1, origin: SECOND, keys, entries: true, head };
  const shown = seals.flatMap((seal) => [
    ...entries.slice(seal.from_id - 1, seal.to_id).map(({ body, leaf, ...entry }) => ({
      type: "entry",
      ...entry,
      body: JSON.parse(body),
      text: entry.kind === "post" ? { body: `Post ${JSON.parse(body).post_id}` } : {},
      leaf: leaf.toHex(),
    })),
    { type: "seal", ...seal },
  ]);
  return [header, ...shown];
}

/** Numbers below `n` from a seed (mulberry32), the same on every platform. */
function diceOf(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n;
  };
}

type Dice = ReturnType<typeof diceOf>;

const STRANGE: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  "",
  "0",
  [],
  {},
  "é",
  "\ud800",
  2 ** 53,
];

/** A value that is near another one, or of another type. */
function otherValue(value: unknown, dice: Dice): unknown {
  if (dice(3) === 0) return STRANGE[dice(STRANGE.length)];
  if (typeof value === "number") return value + 1 - 2 * dice(2);
  if (typeof value === "boolean") return !value;
  if (typeof value !== "string" || value === "") return STRANGE[dice(STRANGE.length)];
  const at = dice(value.length);
  const shapes = [
    value.toUpperCase(),
    value.slice(0, at) + value.slice(at + 1),
    value.slice(0, at) + "0123456789abcdef#/"[dice(18)] + value.slice(at + 1),
  ];
  return shapes[dice(shapes.length)];
}

/** Changes one field, somewhere in a line. */
function fieldEdit(line: Line, dice: Dice): void {
  const names = Object.keys(line);
  const name = names[dice(names.length)] ?? "";
  const inner = line[name];
  if (typeof inner === "object" && inner !== null && dice(4) > 0 && Object.keys(inner).length > 0) {
    fieldEdit(inner as Line, dice);
    return;
  }
  const way = dice(8);
  if (way === 0) delete line[name];
  else if (way === 1) line[`${name}_2`] = inner;
  else line[name] = otherValue(inner, dice);
}

/** The saved chain after one edit of a field, an order, a name or an epoch. */
export function editedText(number: number): string {
  const dice = diceOf(number);
  const lines = savedLines();
  const at = 1 + dice(lines.length - 1);
  const [line = {}] = lines.slice(at, at + 1);
  const what = dice(10);
  if (what === 0) lines.splice(at, 1);
  else if (what === 1) lines.splice(at, 0, line);
  else if (what === 2) lines.splice(1 + dice(lines.length - 1), 0, ...lines.splice(at, 1));
  else if (what === 3) fieldEdit(lines[0] ?? {}, dice);
  else fieldEdit(line, dice);
  return textOf(lines);
}

const textOf = (lines: readonly Line[]): string =>
  `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;

/** The saved chain as it is. */
export const savedText = (): string => textOf(savedLines());
