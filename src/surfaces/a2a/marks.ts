import type { Message, SendMessageRequest } from "@a2a-js/sdk";
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import * as z from "zod";
import { contracts } from "../../domains/contracts.ts";
import { judgement, requestTerms } from "../../domains/requests/contract.ts";
import { normalized, type Taking, takenInput } from "../../platform/kernel/contract/fields.ts";
import { retryFields } from "../../platform/kernel/contract/retry-fields.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import {
  isEmpty,
  plainName,
  RESERVED_NAMES,
  saidOfMisspelled,
  TRIED_OR_MARKED,
} from "../../platform/kernel/words/reserved-names.ts";
import { REQUESTS_EXTENSION } from "../describe/agent-card.ts";
import { COMPARED_MAX } from "../dispatch/teaching.ts";
import { checked, MESSAGE_FORM } from "./refusals.ts";

interface Marked {
  /** The message without these fields. */
  readonly message: Message;
  /** What every write takes (`retryFields`), as a message says it. */
  readonly marks: z.output<typeof marks>;
}

const { create } = contracts.requests;
const marks = z.object(retryFields);
const NAMES: ReadonlySet<string> = new Set(Object.keys(retryFields));

/** Words for money, time, recipients and privacy, which have a place in the metadata of the extension alone. */
const RESERVED: ReadonlySet<string> = new Set(
  Object.values(RESERVED_NAMES)
    .filter((subject) => !("needs" in subject))
    .flatMap(({ fields, names }) => [...fields, ...names]),
);

/** The two judgements of an answer, which also have their place there alone. */
export const JUDGED: ReadonlySet<string> = new Set(
  judgement.options.flatMap(({ shape }) => Object.keys(shape)),
);

/** What the metadata of the extension take: of a new task, of an answer to it, and of every write. */
const TERMS: ReadonlySet<string> = new Set([
  ...Object.keys(requestTerms.shape),
  ...JUDGED,
  ...TRIED_OR_MARKED,
]);

/** Where the metadata of our extension stand, as refusals say it. */
export const EXTENSION_PLACE = `metadata["${REQUESTS_EXTENSION}"]`;

type Metadata = Readonly<Record<string, unknown>>;

/**
 * Reads `dry_run`, `not_after` and `client_ref`, which stand in the metadata of our extension, of the message or of the
 * request. Throws where two of these differ, where `client_ref` is not the message's id, and where the other metadata
 * say what a task must not drop.
 */
export function markedIn({ message, metadata }: SendMessageRequest, now: Seconds): Marked {
  if (message === undefined) throw new RequestMalformedError(`Send a message: ${MESSAGE_FORM}.`);
  const { [REQUESTS_EXTENSION]: terms, ...beside } = message.metadata ?? {};
  const places = [beside, metadata ?? {}, isPlain(terms) ? terms : {}].map(parted);
  for (const [outer] of places.slice(0, 2)) refuseReserved(outer);
  refuseElsewhere("message.metadata", beside);
  refuseElsewhere("metadata of the request", metadata ?? {});
  refuseInData(message);
  const sent: Record<string, unknown> = {};
  for (const [, own] of places)
    for (const [name, value] of Object.entries(own)) {
      if (name in sent && JSON.stringify(sent[name]) !== JSON.stringify(value))
        throw new RequestMalformedError(`This does not fit. ${name}: is said twice, and differs`);
      sent[name] = value;
    }
  const said = checked(marks, asMeant({ input: marks, path: "/" }, sent, now));
  const { client_ref } = said;
  if (client_ref !== undefined && client_ref !== message.messageId)
    throw new RequestMalformedError("This does not fit. client_ref: is the messageId of a message");
  const [kept = {}] = places[0] ?? [];
  const left = isPlain(terms) ? places[2]?.[0] : terms;
  return {
    message: {
      ...message,
      metadata:
        left === undefined || isBare(left, terms) ? kept : { ...kept, [REQUESTS_EXTENSION]: left },
    },
    marks: { ...said, client_ref: markOf(message) },
  };
}

/** The id of a message is its `client_ref`. A longer one names its message alone, which is made once, too. */
const markOf = ({ messageId }: Message): string | undefined =>
  marks.shape.client_ref.safeParse(messageId).data;

/** What the metadata say, as a body of REST would be read: other spellings, booleans, and values with one meaning. */
export const asMeant = (operation: Taking<z.ZodObject>, sent: object, now: Seconds): object =>
  takenInput(operation, normalized(operation, sent), { now, parse: () => undefined }).sent;

/** Whether nothing but these fields stood in the extension's metadata. */
const isBare = (left: unknown, terms: unknown): boolean =>
  isPlain(left) &&
  isPlain(terms) &&
  Object.keys(left).length === 0 &&
  Object.keys(terms).length > 0;

export const isPlain = (value: unknown): value is Metadata =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Metadata without the fields of every write, and those by their own names. */
function parted(metadata: Metadata): readonly [Metadata, Metadata] {
  const own = Object.entries(metadata).filter(([name]) => NAMES.has(plainName(name)));
  const others = Object.entries(metadata).filter(([name]) => !NAMES.has(plainName(name)));
  return [
    Object.fromEntries(others),
    Object.fromEntries(own.map(([name, value]) => [plainName(name), value])),
  ];
}

/** The first name with a value that is one of these. */
const among = (names: ReadonlySet<string>, metadata: unknown): string | undefined =>
  isPlain(metadata)
    ? Object.keys(metadata).find((each) => names.has(plainName(each)) && !isEmpty(metadata[each]))
    : undefined;

/** Throws where the metadata of a cancellation ask for what its answer, a task, cannot say. */
export function refuseMarks(metadata: Metadata | undefined): void {
  const name = among(TRIED_OR_MARKED, metadata);
  if (name !== undefined)
    throw new RequestMalformedError(
      `This does not fit. metadata.${name}: is not taken here. Nothing was done; POST /api/v1/request/withdraw takes it.`,
    );
}

/** The first name with a value that is a reserved one, or misspells it. */
const reservedAmong = (metadata: Metadata): string | undefined =>
  among(RESERVED, metadata) ??
  Object.keys(metadata)
    .slice(0, COMPARED_MAX)
    .find((each) => !isEmpty(metadata[each]) && saidOfMisspelled(create, each) !== undefined);

function refuseReserved(metadata: Metadata): void {
  const judged = among(JUDGED, metadata);
  if (judged !== undefined)
    throw new RequestMalformedError(
      `This does not fit. metadata.${judged}: is read in ${EXTENSION_PLACE} alone, with the taskId of your own task. Nothing was done.`,
    );
  const name = reservedAmong(metadata);
  if (name === undefined) return;
  throw new RequestMalformedError(
    `This does not fit. metadata.${name}: is read in ${EXTENSION_PLACE} alone, as a field of POST /api/v1/request. Nothing was done.`,
  );
}

/**
 * A data part is published as it is, so terms in one would pay nobody and a trial be made. Data of a task that have such
 * a name stand one level deeper.
 */
function refuseInData({ parts }: Message): void {
  for (const [i, { content }] of parts.entries()) {
    if (content?.$case !== "data" || !isPlain(content.value)) continue;
    const { value: data } = content;
    const name = among(TERMS, data) ?? reservedAmong(data);
    if (name !== undefined)
      throw new RequestMalformedError(
        `This does not fit. parts[${i}].data.${name}: a data part is published as it is; terms are read in message.metadata["${REQUESTS_EXTENSION}"] alone. Put data of the task into an object inside, as {"input": {…}}. Nothing was done.`,
      );
    refuseElsewhere(`parts[${i}].data`, data);
  }
}

/** Refuses terms in another place, and those of another version of the extension, which nobody would read. */
function refuseElsewhere(place: string, metadata: Metadata): void {
  const [family] = REQUESTS_EXTENSION.split(/v\d+$/);
  const isTerms = (name: string) => name.startsWith(family ?? "") && !isEmpty(metadata[name]);
  if (!Object.keys(metadata).some(isTerms)) return;
  throw new RequestMalformedError(
    `This does not fit. ${place}: the terms of a task stand in message.metadata["${REQUESTS_EXTENSION}"] alone. Nothing was done.`,
  );
}

/**
 * The refusal of a call that asks for a trial, a mark or a time beside its metadata, where the codecs would drop it: among its
 * parameters or the members of its message, or in the query of its address. Null of any other.
 */
export function strayIn(params: unknown, query: Metadata): RequestMalformedError | null {
  const { configuration, message } = Object(params);
  const { parts } = Object(message);
  const listed: readonly unknown[] = Array.isArray(parts) ? parts : [];
  const places = [query, params, configuration, message, ...listed];
  const inParts = listed.map((part) => Object(part).metadata);
  for (const place of [...places, ...inParts]) {
    const name = among(TRIED_OR_MARKED, place);
    if (name !== undefined)
      return new RequestMalformedError(
        `This does not fit. ${plainName(name)}: is read in message.metadata alone. Nothing was done.`,
      );
  }
  return null;
}
