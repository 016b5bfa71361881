import { REMOVABLE } from "../../../domains/removable.ts";
import { canonicalJson, type Json } from "../../../platform/kernel/canonical.ts";
import { isSigned, withoutOrigin } from "../../../platform/ledger/announcements/signed-message.ts";
import { sha256, sha256Hex } from "../../../platform/ledger/sha256.ts";

/**
 * A text stands in the replayed rows as what is sealed of it: a placeholder names the form in which an
 * entry has it and that value. Filling makes it longer in one filling than in the other, so a figure
 * that was made of the placeholder itself differs between the two.
 */
const OPEN = "\u2045";
const CLOSE = "\u2046";
const SAID = new RegExp(`^${OPEN}(\\w+) ([^${CLOSE}]*) x*${CLOSE}$`, "s");

/** How an entry has a text: by its hash, as JSON in the shape that its handler reads, or with a salt or a signature. */
export type Form = keyof typeof AROUND;

/** A placeholder in the shape of JSON where a handler reads that. */
const AROUND = {
  text: (said: string): string => said,
  json: (said: string): string => JSON.stringify([said]),
  parts: (said: string): string => JSON.stringify([{ text: said }]),
  criterion: (said: string): string => JSON.stringify({ kind: said }),
  salted: (said: string): string => said,
  signed: (said: string): string => said,
};

/** The form and the sealed value that a placeholder says. */
export interface Sealed {
  readonly form: Form;
  readonly value: string;
}

/** Texts of which everybody knows the hash: an emptied one, and those that stand for removed ones. */
const KNOWN: ReadonlyMap<string, string> = new Map(
  ["", ...[...REMOVABLE.values()].flatMap(({ texts }) => Object.values(texts))].flatMap((text) =>
    text === null ? [] : [[sha256Hex(text), text]],
  ),
);

/** The text that stands for a sealed one; `filling` is the number of the filling. */
export function placeholder(form: Form, value: string, filling: number): string {
  return KNOWN.get(value) ?? AROUND[form](`${OPEN}${form} ${value} ${"x".repeat(filling)}${CLOSE}`);
}

const isForm = (word: string): word is Form => Object.hasOwn(AROUND, word);

/** The sealed value for which a value of an answer stands; null when it is no placeholder. */
export function sealedIn(value: unknown): Sealed | null {
  if (typeof value === "object" && value !== null) {
    const inner = Object.values(value);
    const sealed = inner.length === 1 ? sealedIn(inner[0]) : null;
    return sealed === null || sealed.form === "text" ? null : sealed;
  }
  if (typeof value !== "string" || !value.startsWith(OPEN)) return null;
  const [, form = "", sealed = ""] = SAID.exec(value) ?? [];
  return isForm(form) ? { form, value: sealed } : null;
}

/** A value that was parsed from JSON. */
const jsonOf = (shown: unknown): Json => JSON.parse(JSON.stringify(shown));

/** The text of a value, as it was hashed. */
export const textOf = (shown: unknown): string =>
  typeof shown === "string" ? shown : canonicalJson(jsonOf(shown ?? null));

/** A commitment to a text is made with a salt, which stands beside it in hex. */
function isCommitted(text: string, commitment: string, beside: readonly unknown[]): boolean {
  return beside.some((salt) => {
    if (typeof salt !== "string" || !/^([0-9a-f]{2})+$/.test(salt)) return false;
    const bytes = [Buffer.from(salt, "hex"), Buffer.from(text)];
    return sha256(Buffer.concat(bytes)).toHex() === commitment;
  });
}

/** Whether a shown value is the one that was sealed; `beside` are the values of the same object. */
export function isSealed(shown: unknown, { form, value }: Sealed, beside: readonly unknown[]) {
  switch (form) {
    case "salted":
      return isCommitted(textOf(shown), value, beside);
    case "signed":
      return (
        withoutOrigin(`${shown}`) === value &&
        beside.some((signature) => typeof signature === "string" && isSigned(`${shown}`, signature))
      );
    default:
      return shown !== null && shown !== undefined && sha256Hex(textOf(shown)) === value;
  }
}

/** Of a placeholder what a report says. */
export const sealedText = ({ form, value }: Sealed): string =>
  form === "signed" ? value : `SHA-256 ${value}`;

/** Of a text that is shown in its place: its hash where the sealed value is one, too. */
export const claimedText = (shown: unknown, { form }: Sealed): unknown =>
  shown == null || form === "signed" || form === "salted"
    ? shown
    : `SHA-256 ${sha256Hex(textOf(shown))}`;
