import { HOUR_S, MINUTE_S, type Seconds } from "../../platform/kernel/time.ts";
import {
  type Cosignature,
  cosignaturesBy,
  type NoteKey,
  signaturesIn,
} from "../../platform/kernel/tlog/note.ts";
import { verifySignature } from "../../platform/ledger/seals/ed25519.ts";

/** What a witness said to `add-checkpoint`; null when it did not answer in time, or with too much. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  /** Seconds, where it named some. */
  readonly retryAfter_s: Seconds | null;
  readonly body: string;
}

/** Why a witness does not cosign; each is an alarm of its own, but `unavailable`. */
export type Refusal =
  | "bad_signature"
  | "ahead"
  | "unknown_log"
  | "refuses_key"
  | "inconsistent"
  | "unavailable";

/** The consequence of an answer. */
export type Verdict =
  | { readonly cosigned: Cosignature }
  | { readonly seen: number }
  | { readonly refusal: Refusal; readonly error: string; readonly pause_s: Seconds };

/** Lines of an answer at most; a witness has one key, or a few. */
const LINES_MAX = 16;
/** A witness's clock may be ahead by so much. */
const AHEAD_MAX_S = 300;
const PAUSE_MAX_S = 64 * MINUTE_S;
const TOO_MANY = 429;

interface Asked {
  readonly key: NoteKey;
  /** The text of the checkpoint. */
  readonly text: string;
  readonly size: number;
  readonly now: Seconds;
  /** Failures in a row before this answer. */
  readonly failures: number;
}

/** Reads an answer (c2sp.org/tlog-witness). Whatever it holds, nothing but a valid cosignature counts. */
export function verdictOf(answer: Answer | null, asked: Asked): Verdict {
  const pause_s = Math.min(PAUSE_MAX_S, MINUTE_S * 2 ** Math.min(asked.failures, 6));
  if (answer === null)
    return { refusal: "unavailable", error: "no answer in time, or too long a one", pause_s };
  const { status, body } = answer;
  const refuse = (refusal: Refusal, error: string, rest_s: Seconds = HOUR_S): Verdict => ({
    refusal,
    error,
    pause_s: rest_s,
  });
  if (status === 200)
    return cosignedBy(body, asked) ?? refuse("bad_signature", "no valid line", pause_s);
  if (status === 409) {
    const seen = answer.contentType.startsWith("text/x.tlog.size") ? sizeIn(body) : null;
    if (seen === null) return refuse("unavailable", "409 without a size", pause_s);
    return seen <= asked.size ? { seen } : refuse("ahead", `it has seen ${seen} entries`);
  }
  if (status === 404 || (status === 403 && /unknown log/i.test(body)))
    return refuse("unknown_log", `status ${status}`);
  if (status === 403) return refuse("refuses_key", "status 403");
  if (status === 422) return refuse("inconsistent", "status 422");
  const told_s = status === TOO_MANY ? answer.retryAfter_s : null;
  return refuse("unavailable", `status ${status}`, Math.min(HOUR_S, told_s ?? pause_s));
}

function cosignedBy(body: string, { key, text, now }: Asked): Verdict | null {
  const signatures = signaturesIn(body);
  if (signatures === null || signatures.length > LINES_MAX) return null;
  const [cosigned] = cosignaturesBy({ verifySignature }, key, { text, signatures }).filter(
    ({ time }) => time <= now + AHEAD_MAX_S,
  );
  return cosigned === undefined ? null : { cosigned };
}

function sizeIn(body: string): number | null {
  const size = /^(0|[1-9]\d{0,15})\n$/.exec(body)?.[1];
  return size !== undefined && Number.isSafeInteger(Number(size)) ? Number(size) : null;
}
