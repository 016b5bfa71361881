import { AGENT_ID } from "../../platform/kernel/contract/id-forms.ts";
import { isOpen } from "../../verify/shapes.ts";

/** Sender and recipient: `agent_id`s, never handles. */
export interface Ends {
  readonly from: string;
  readonly to: string;
}

/** What a box holds. */
export interface Letter extends Ends {
  /** When it was written, by its writer's clock. */
  readonly ts: number;
  /** 16 random bytes as base64url, so that a repetition can be noticed. */
  readonly nonce: string;
  readonly body: string;
}

/** A letter that was opened, but whose hand is not known yet. */
export interface SignedLetter {
  readonly letter: Letter;
  /** Ed25519 in standard base64. */
  readonly sig: string;
}

/** The JSON in a box: these fields and no others. */
interface Inside extends Letter {
  readonly v: 1;
  readonly sig: string;
}

const FIELDS = 7;
const NONCE = /^[A-Za-z0-9_-]{22}$/;

const fits = (value: unknown, form: RegExp): boolean =>
  typeof value === "string" && form.test(value);

export const isInside = (value: unknown): value is Inside =>
  isOpen(value) &&
  Object.keys(value).length === FIELDS &&
  value["v"] === 1 &&
  fits(value["from"], AGENT_ID) &&
  fits(value["to"], AGENT_ID) &&
  fits(value["nonce"], NONCE) &&
  Number.isSafeInteger(value["ts"]) &&
  Number(value["ts"]) >= 0 &&
  typeof value["body"] === "string" &&
  value["body"].isWellFormed() &&
  typeof value["sig"] === "string";
