import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { type Dispatcher, invoke } from "../dispatch/invoke.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { type Answers, type HeaderList, JSON_TYPE } from "../wire/answer.ts";
import { type ContentCoding, contentCodingFor } from "../wire/content-coding.ts";
import { demandsStrict, type Fields, type Head } from "../wire/edge.ts";
import { codedOnce, fixedAnswers } from "./fixed-answers.ts";
import { inputOf } from "./input.ts";
import { type CachedAnswer, encode, type Now, publicCache } from "./response-cache.ts";
import type { Document, Route } from "./routes.ts";

export interface PublicReadsParts {
  readonly dispatcher: Dispatcher;
  readonly answers: Answers;
  readonly now: Now;
}

/** A read whose answer is the same for everybody. */
interface PublicRead {
  readonly head: Head;
  readonly route: Route;
  readonly endpoint: BoundOperation | Document;
}

/** The finished answer to a public read: what is kept comes at once, without a promise. */
export type ReadPublic = (read: PublicRead) => CachedAnswer | Promise<CachedAnswer>;

export function publicReads({ dispatcher, answers, now }: PublicReadsParts): ReadPublic {
  const cache = publicCache(now);
  const fresh = answers.headers(cacheControl(undefined));
  const shared = (maxAge_s: number | undefined) =>
    maxAge_s === undefined ? fresh : answers.headers(cacheControl(maxAge_s));
  const documents = fixedAnswers(shared);

  async function operationAnswer(
    operation: BoundOperation,
    { head, route }: PublicRead,
  ): Promise<CachedAnswer> {
    const input = inputOf(operation, route, { ...head.target, body: {} });
    const invocation = { ...FOR_ALL, isStrict: demandsStrict(head.fields) };
    const output = await invoke(operation, dispatcher, invocation, input);
    const text = JSON.stringify(output);
    const headers = shared(operation.maxAge_s);
    if (operation.auth === "optional") return encode(text, [...headers, ...VARY], JSON_TYPE);
    if (!isDocument(operation)) return encode(text, headers, JSON_TYPE);
    return codedOnce(text, codingOf(operation, head), { shared: headers, type: JSON_TYPE });
  }

  return (read) => {
    const { head, endpoint } = read;
    if ("answer" in endpoint) return documents(endpoint, head);
    if ("find" in endpoint) {
      const name = endpoint.nameIn(head);
      return cache.find(name) ?? cache.set(name, endpoint.find(name), true);
    }
    const coding = codingOf(endpoint, head);
    const url = coding === "identity" ? head.target.url : `${coding} ${head.target.url}`;
    const { timeless } = endpoint;
    if (demandsStrict(head.fields)) return operationAnswer(endpoint, read);
    return cache.find(url) ?? cache.set(url, operationAnswer(endpoint, read), timeless);
  };
}

/**
 * An authenticated caller finds its own writes; a replica answers everybody else. Data that it
 * lacks may only be on its way to it, so the database is asked before a 404.
 */
export const besideReplica =
  (readOwn: ReadPublic, readReplica: ReadPublic): ReadPublic =>
  (read) =>
    read.head.fields.authorization === undefined
      ? unlessMissing(
          () => readReplica(read),
          () => readOwn(read),
        )
      : readOwn(read);

/** What `replica` finds, or, when that is not there, what `own` does. */
export function unlessMissing<T>(
  replica: () => T | Promise<T>,
  own: () => T | Promise<T>,
): T | Promise<T> {
  const found = replica();
  if (!(found instanceof Promise)) return found;
  return found.catch((error: unknown) => {
    if (error instanceof Rejection && error.status === 404) return own();
    throw error;
  });
}

/** Long texts of the service itself, which compress well; lists of agents' texts stay as they are. */
const isDocument = ({ document, auth }: BoundOperation): boolean =>
  document !== undefined && auth === "none";

const codingOf = (operation: BoundOperation, { fields }: Head): ContentCoding =>
  isDocument(operation) ? contentCodingFor(fields.acceptEncoding) : "identity";

/** The answer differs for authenticated callers. */
const VARY: HeaderList = ["Vary", "Authorization"];

/** An answer that is kept for everybody is handed over many times, so nothing follows on it. */
const FOR_ALL = { agent: null, afterAnswer: () => {} };

/**
 * Whether an operation answers the same to everybody, so that no token is looked at. `/since` does
 * not: what ends its wait may not be on a replica yet, so it always asks the database itself.
 */
export function isPublicRead({ method, auth, uncached }: BoundOperation): boolean {
  return method === "GET" && auth === "none" && uncached === undefined;
}

/** Whether this request is answered as to everybody: where a token is optional, that is without one. */
export const isAnonymous = (operation: BoundOperation, { authorization }: Fields): boolean =>
  isPublicRead(operation) ||
  (operation.method === "GET" && operation.auth === "optional" && authorization === undefined);

function cacheControl(maxAge_s: number | undefined): HeaderList {
  return ["Cache-Control", maxAge_s === undefined ? "no-cache" : `public, max-age=${maxAge_s}`];
}
