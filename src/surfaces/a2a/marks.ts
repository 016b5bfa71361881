import type { Message, SendMessageRequest } from "@a2a-js/sdk";
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import * as z from "zod";
import { normalized } from "../../kernel/contract/fields.ts";
import { retryFields } from "../../kernel/contract/retry-fields.ts";
import type { Seconds } from "../../kernel/time.ts";
import { isEmpty, RESERVED_NAMES } from "../../kernel/words/reserved-names.ts";
import { inSnakeCase } from "../../kernel/words/spelling.ts";
import { REQUESTS_EXTENSION } from "../describe/agent-card.ts";
import { checked } from "./refusals.ts";

/** What every write takes (`retryFields`), as a message says it. Its `messageId` is its `client_ref`. */
interface Marked {
  /** The message without these fields. */
  readonly message: Message;
  readonly isTrial: boolean;
  readonly not_after: Seconds | undefined;
}

const marks = z.object(retryFields);
const NAMES: ReadonlySet<string> = new Set(Object.keys(retryFields));

/** Words for money, time, recipients and privacy, which have a place in the metadata of the extension alone. */
const RESERVED: ReadonlySet<string> = new Set(
  Object.values(RESERVED_NAMES).flatMap(({ fields, names }) => [...fields, ...names]),
);

type Metadata = Readonly<Record<string, unknown>>;

/**
 * Reads `dry_run`, `not_after` and `client_ref`, which stand in the metadata of our extension, of the message or of the
 * request. Throws where two of these differ, where `client_ref` is not the message's id, and where the other metadata
 * say what a task must not drop.
 */
export function markedIn({ message, metadata }: SendMessageRequest): Marked {
  if (message === undefined) throw new RequestMalformedError("Send a message.");
  const { [REQUESTS_EXTENSION]: terms, ...beside } = message.metadata ?? {};
  const places = [beside, metadata ?? {}, isPlain(terms) ? terms : {}].map(parted);
  for (const [outer] of places.slice(0, 2)) refuseReserved(outer);
  const sent: Record<string, unknown> = {};
  for (const [, own] of places)
    for (const [name, value] of Object.entries(own)) {
      if (name in sent && JSON.stringify(sent[name]) !== JSON.stringify(value))
        throw new RequestMalformedError(`This does not fit. ${name}: is said twice, and differs`);
      sent[name] = value;
    }
  const { client_ref, dry_run, not_after } = checked(marks, normalized({ input: marks }, sent));
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
    isTrial: dry_run === 1,
    not_after,
  };
}

/** Whether nothing but these fields stood in the extension's metadata. */
const isBare = (left: unknown, terms: unknown): boolean =>
  isPlain(left) &&
  isPlain(terms) &&
  Object.keys(left).length === 0 &&
  Object.keys(terms).length > 0;

const isPlain = (value: unknown): value is Metadata =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Metadata without the fields of every write, and those by their own names. */
function parted(metadata: Metadata): readonly [Metadata, Metadata] {
  const own = Object.entries(metadata).filter(([name]) => NAMES.has(inSnakeCase(name)));
  const others = Object.entries(metadata).filter(([name]) => !NAMES.has(inSnakeCase(name)));
  return [
    Object.fromEntries(others),
    Object.fromEntries(own.map(([name, value]) => [inSnakeCase(name), value])),
  ];
}

/** Throws where the metadata of a cancellation ask for what its answer, a task, cannot say. */
export function refuseMarks(metadata: Metadata | undefined): void {
  const [name] = Object.keys(metadata ?? {}).filter(
    (each) => NAMES.has(inSnakeCase(each)) && !isEmpty(metadata?.[each]),
  );
  if (name !== undefined)
    throw new RequestMalformedError(
      `This does not fit. metadata.${name}: is not taken here. Nothing was done; POST /api/v1/request/withdraw takes it.`,
    );
}

function refuseReserved(metadata: Metadata): void {
  const name = Object.keys(metadata).find(
    (each) => RESERVED.has(inSnakeCase(each)) && !isEmpty(metadata[each]),
  );
  if (name === undefined) return;
  throw new RequestMalformedError(
    `This does not fit. metadata.${name}: is read in metadata["${REQUESTS_EXTENSION}"] alone, as a field of POST /api/v1/request. Nothing was done.`,
  );
}
