import { RATE_DECIMALS } from "../../../domains/transfers/rules.ts";
import type { RowFold } from "../../../platform/ledger/rows/fold.ts";
import { type Made, UNSEALED } from "../../../platform/ledger/rows/told.ts";
import type { Form } from "./placeholders.ts";

/** A cell of a row: what the ledger makes of it, or a text by what is sealed of it. */
export type Cell = Made[string] | Text | Either;

/** What it is in each of the fillings. */
type Either =
  | readonly [string, string]
  | readonly [number, number]
  | readonly [Uint8Array, Uint8Array];

interface Text {
  readonly form: Form;
  readonly sealed: string;
}

export type Cells = Readonly<Record<string, Cell>>;

export const isEither = (cell: Cell): cell is Either => Array.isArray(cell);

export const isText = (cell: Cell): cell is Text =>
  typeof cell === "object" && cell !== null && "form" in cell;

export const isTime = (cell: Cell): cell is { readonly near: number } =>
  typeof cell === "object" && cell !== null && "near" in cell;

/** The cell of a text of which an entry has the hash. */
const hashed = (sealed: Made[string], form: Form = "text"): Cell =>
  typeof sealed === "string" ? { form, sealed } : sealed;

/** The columns that the name of a row says: its number, where its table says no more. */
const keyOf = (name: string): Cells => ({ id: Number(name.split(" ")[1]) });

/** No entry tells the salt of a commitment. */
const SALT: Cell = [new Uint8Array(16).fill(1), new Uint8Array(16).fill(2)];

/** Unset in the one filling, and set in the other. */
const ASKED: Cell = UNSEALED;
/** A second of the clock, which no entry tells. */
const DUE: Cell = [1, 2];
const COPIED: Cell = ["copied", "failed"];

/** Columns that have in the ledger another form than in their row. */
const FORMS: Readonly<Record<string, (made: Made) => Cells>> = {
  request: ({ capability, asks, status, reward }) => ({
    // A request that holds coins always has a time at which it ends.
    deadline_at: status !== "open" ? null : Number(reward) > 0 ? DUE : UNSEALED,
    // A question made it wait, and no entry says that it does no longer.
    asked_at: Number(asks) > 0 && status === "open" ? ASKED : null,
    capability_folded: hashed(capability),
  }),
  // Whether a failed one is a copy is for its task to say, whose criterion is a text.
  task_submission: ({ outcome }) => ({
    outcome: outcome === "copied" ? COPIED : outcome,
    payload_form: "text",
    payload_bytes: UNSEALED,
  }),
  // No address leads to an application that is not hosted.
  app: ({ html_sha256 }): Cells => (html_sha256 === undefined ? { slug: null } : {}),
  // Whether it is listed the market's projector keeps.
  market_offer: ({ capability }) => ({ capability_folded: hashed(capability), listed: 1 }),
  market_order: ({ rate_e8 }) => ({ rate_e8: Math.round(Number(rate_e8) * 10 ** RATE_DECIMALS) }),
  market_delivery: ({ body }) => ({
    body: hashed(body, "salted"),
    salt: SALT,
    content_sha256: UNSEALED, // It follows from the body.
  }),
  market_hold: ({ reason, salt }) => ({
    reason: hashed(reason, salt === 1 ? "salted" : "text"),
    salt: salt === 1 ? SALT : null,
  }),
};

/** The cells of a row that the ledger makes, as far as it does. */
export function cellsOf({ table, keyIn, forms = {} }: Kept, name: string, made: Made): Cells {
  const own: Cells = Object.fromEntries(
    Object.entries(forms).map(([column, form]) => [column, hashed(made[column], form)]),
  );
  return { ...made, ...own, ...(keyIn?.(name) ?? keyOf(name)), ...FORMS[table]?.(made) };
}

type Kept = Pick<RowFold, "table" | "keyIn" | "forms">;
