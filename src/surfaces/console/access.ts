import { createHmac, timingSafeEqual } from "node:crypto";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { HOUR_S, MINUTE_S, type Seconds } from "../../platform/kernel/time.ts";

/** A link to the console is good for this time, and once. */
const LINK_S = 2 * MINUTE_S;
/** A session ends so long after it was last used. */
const SESSION_S = 12 * HOUR_S;
const SESSIONS_MAX = 16;
/** Used links that are remembered until they are too old. */
const USED_MAX = 1_000;
/** Results of acts that one session remembers. */
const RESULTS_MAX = 256;

const SECRET_BYTES = 32;
const PATH_BYTES = 16;
const LINK = /^([0-9]{1,12})\.([0-9a-f]{32})\.([0-9a-f]{64})$/;

/** The result of an act; the same form sent again shows it again. */
export interface Result {
  readonly text: string;
  /** Where the form stood, below the session's path. */
  readonly from: string;
  /** Where one goes on from it, below the session's path; null where that is nowhere. */
  readonly next: { readonly title: string; readonly to: string } | null;
  /** The act that takes it back, and on what; null where none does. */
  readonly undo: { readonly name: string; readonly sent: Readonly<Record<string, string>> } | null;
}

export interface Session {
  /** Its pages are below `/console/<32 hex>/`: a cookie of another port's path is not sent here. */
  readonly path: string;
  readonly cookie: string;
  readonly results: Map<string, Promise<Result>>;
  used_at: Seconds;
}

export interface AccessParts {
  /** Hex; in a file that only the operator reads. */
  readonly secret: string;
  readonly random: (n: number) => Uint8Array;
  /** The system's time, also that of the command that makes a link. */
  readonly now: () => Seconds;
}

/** A secret for one start, as hex. */
export const newSecret = (random: AccessParts["random"]): string => hexOf(random(SECRET_BYTES));

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const sealOf = (secret: string, time: string, nonce: string): string =>
  createHmac("sha256", Buffer.from(secret, "hex"))
    .update(`cairn-console/1\n${time}.${nonce}`)
    .digest("hex");

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** The key of a link to the console, which a process that has read the secret can make. */
export function linkKey({ secret, random, now }: AccessParts): string {
  const time = String(now());
  const nonce = hexOf(random(PATH_BYTES));
  return `${time}.${nonce}.${sealOf(secret, time, nonce)}`;
}

export type Access = ReturnType<typeof accessOf>;

/** The sessions of the console, each opened by a link. A restart ends them all. */
export function accessOf({ secret, random, now }: AccessParts) {
  /** The oldest first. */
  const sessions = new Map<string, Session>();
  const used = new Map<string, Seconds>();

  function forget(): void {
    const at = now();
    for (const [nonce, until] of used) if (until < at) used.delete(nonce);
    for (const [path, { used_at }] of sessions) if (used_at + SESSION_S < at) sessions.delete(path);
  }

  return {
    /** Opens a session; null when the key is wrong, old or used. */
    open(key: string): Session | null {
      forget();
      const [, time = "", nonce = "", seal = ""] = LINK.exec(key) ?? [];
      const age_s = now() - Number(time);
      const isGood = time !== "" && isSame(seal, sealOf(secret, time, nonce));
      if (!isGood || used.has(nonce) || Math.abs(age_s) > LINK_S) return null;
      if (used.size >= USED_MAX) throw new Rejection("overloaded", "Too many links were opened.");
      used.set(nonce, now() + 2 * LINK_S);
      const session = {
        path: hexOf(random(PATH_BYTES)),
        cookie: hexOf(random(SECRET_BYTES)),
        results: new Map(),
        used_at: now(),
      };
      const [oldest] = sessions.keys();
      if (sessions.size >= SESSIONS_MAX && oldest !== undefined) sessions.delete(oldest);
      sessions.set(session.path, session);
      return session;
    },

    /** The session of a path, when the cookie is its own; it was used now. */
    find(path: string, cookie: string | undefined): Session | null {
      forget();
      const session = sessions.get(path);
      if (session === undefined || cookie === undefined || !isSame(cookie, session.cookie))
        return null;
      session.used_at = now();
      sessions.delete(path);
      sessions.set(path, session);
      return session;
    },

    leave: ({ path }: Session): boolean => sessions.delete(path),
  };
}

/** The proof that a form was made for this act in this session. */
export const csrfOf = ({ cookie }: Session, act: string): string =>
  createHmac("sha256", Buffer.from(cookie, "hex")).update(act).digest("hex");

export const isCsrf = (session: Session, act: string, sent: string): boolean =>
  isSame(sent, csrfOf(session, act));

/** Does what a form asks for once: a form that is sent twice gets the first result. */
export function once(
  { results }: Session,
  nonce: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const before = results.get(nonce);
  if (before !== undefined) return before;
  const result = run();
  results.set(nonce, result);
  // A refused form is shown again, to be corrected and sent with the same nonce.
  result.catch(() => results.delete(nonce));
  const [oldest] = results.keys();
  if (results.size > RESULTS_MAX && oldest !== undefined) results.delete(oldest);
  return result;
}
