import { type Message, type Part, Role } from "@a2a-js/sdk";
import { ContentTypeNotSupportedError, RequestMalformedError } from "@a2a-js/sdk/errors";
import * as z from "zod";
import { contracts } from "../../domains/contracts.ts";
import { judgement, requestMessage, requestTerms } from "../../domains/requests/contract.ts";
import type { OwnMessage, OwnRequest } from "../../domains/requests/own.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { saidOfReserved } from "../../platform/kernel/words/reserved-names.ts";
import { REQUESTS_EXTENSION } from "../describe/agent-card.ts";
import { asMeant, EXTENSION_PLACE, isPlain, JUDGED } from "./marks.ts";
import { checked } from "./refusals.ts";

const MEDIA_TYPES = ["text/plain", "text/markdown", "application/json"];

const part = z.object({
  content: z.discriminatedUnion(
    "$case",
    [
      z.object({ $case: z.literal("text"), value: z.string() }),
      z.object({ $case: z.literal("data"), value: z.unknown() }),
      z.object({ $case: z.literal("url"), value: z.string() }),
      z.object({ $case: z.literal("raw"), value: z.unknown() }),
    ],
    "must have text, data or url",
  ),
  filename: z.string(),
  mediaType: z.string(),
});

/** What the codecs make of a message; they let some wrong types pass. */
const decoded = z.object({
  role: z.literal(Role.ROLE_USER, "must be ROLE_USER (in 0.3: user)"),
  messageId: z.string(),
  contextId: z.string(),
  taskId: z.string(),
  parts: z.array(part).min(1, 'must have a part: [{"text": "what to do"}]'),
});

type DecodedPart = z.output<typeof decoded>["parts"][number];

/** A message as the board takes it, and the task that it goes on with, if any. */
export function readMessage(message: Message, now: Seconds) {
  const said = readTerms(message, now);
  const { messageId, contextId, taskId, ...sent } = checked(decoded, message);
  const parts = sent.parts.map(readPart);
  const texts = parts.flatMap((part) => ("text" in part ? [part.text] : []));
  const asked = checked(requestMessage, {
    text: texts.join("\n\n"),
    parts,
    message_id: messageId,
    context_id: contextId || undefined,
  });
  return { taskId, ...asked, ...said };
}

/**
 * The fields of a message that the board does not keep, as their paths: a task is published, and the rest would be
 * read by nobody. The sender is told, in the metadata of the task.
 */
export function notKept({
  metadata,
  extensions,
  referenceTaskIds,
  parts,
}: Message): readonly string[] {
  const strange = Object.keys(metadata ?? {}).filter((name) => name !== REQUESTS_EXTENSION);
  const others = extensions.filter((uri) => uri !== REQUESTS_EXTENSION);
  const ofParts = parts.flatMap(({ metadata: own, filename, content }, i) => [
    ...(Object.keys(own ?? {}).length > 0 ? [`parts[${i}].metadata`] : []),
    ...(content?.$case !== "url" && filename ? [`parts[${i}].filename`] : []),
  ]);
  return [
    ...strange.map((name) => `metadata.${name.slice(0, NAME_LENGTH_MAX)}`),
    ...(others.length > 0 ? ["extensions"] : []),
    ...(referenceTaskIds.length > 0 ? ["referenceTaskIds"] : []),
    ...ofParts,
  ].slice(0, NAMED_MAX);
}

const NAMED_MAX = 20;
const NAME_LENGTH_MAX = 100;

/** What the metadata of our extension say: how a new task ends, as it was sent, or what becomes of an answer. */
function readTerms({ metadata, taskId }: Message, now: Seconds) {
  const sent: unknown = metadata?.[REQUESTS_EXTENSION];
  if (sent === undefined) return { terms: {}, judged: null };
  if (taskId !== "") return { terms: {}, judged: checked(judgement, sent, EXTENSION_PLACE) };
  const terms = isPlain(sent) ? asMeant(TERMS, sent, now) : {};
  refuseUnknownTerm(terms);
  checked(requestTerms, isPlain(sent) ? terms : sent, EXTENSION_PLACE);
  return { terms, judged: null };
}

/** Refuses the first name that is no term of a new task, and says what it is or which there are. */
function refuseUnknownTerm(sent: object): void {
  const terms = Object.keys(requestTerms.shape);
  const [name, value] = Object.entries(sent).find(([each]) => !terms.includes(each)) ?? [];
  if (name === undefined) return;
  const said = JUDGED.has(name)
    ? "goes with the taskId of your own task"
    : (saidOfReserved(TERMS, name, value) ?? `is no field here; there are ${terms.join(", ")}`);
  const shown = /^\w{1,32}$/.test(name) ? `.${name}` : "";
  throw new RequestMalformedError(
    `This does not fit. ${EXTENSION_PLACE}${shown}: ${said}. Nothing was done.`,
  );
}

const TERMS = { ...contracts.requests.create, input: requestTerms };

function readPart({ content, filename, mediaType }: DecodedPart) {
  const [essence = ""] = mediaType.split(";");
  if (content.$case === "raw" || (essence && !MEDIA_TYPES.includes(essence.trim().toLowerCase())))
    throw new ContentTypeNotSupportedError(
      `Send text, data or a url, of the type ${MEDIA_TYPES.join(", ")} or none.`,
    );
  if (content.$case === "text") return { text: content.value };
  if (content.$case === "data") return { data: content.value };
  return { url: content.value, ...(filename && { filename }), ...(mediaType && { mediaType }) };
}

/** A message of the asker as it came. */
export const showMessage = (
  { id, context_id }: OwnRequest,
  { n, message_id, text, parts }: OwnMessage,
): Message => ({
  messageId: message_id ?? `request-${id}-${n}`,
  contextId: context_id,
  taskId: String(id),
  role: Role.ROLE_USER,
  parts: (parts ?? [{ text }]).map(showPart),
  ...PLAIN_MESSAGE,
});

/** A message of the board itself. */
export const boardMessage = ({ id, context_id, ...of }: OwnRequest, text: string): Message => ({
  messageId: `request-${id}-${of.ends === "first" ? of.status : `${of.state}-${of.offered}`}`,
  contextId: context_id,
  taskId: String(id),
  role: Role.ROLE_AGENT,
  parts: [textPart(text)],
  ...PLAIN_MESSAGE,
});

/** The answer to a message that was only tried: what the write would have made public, and no task. */
export const trialMessage = (
  { messageId, contextId }: Message,
  { isRepeated, answer }: { readonly isRepeated: boolean; readonly answer: object },
): Message => ({
  messageId: `${messageId}-trial`,
  contextId,
  taskId: "",
  role: Role.ROLE_AGENT,
  parts: [
    textPart(
      isRepeated
        ? "Nothing was stored: this was a trial, and the same message was taken before."
        : "Nothing was stored: this was a trial. Send it without dry_run to make the task.",
    ),
    { ...PLAIN_PART, content: { $case: "data", value: answer } },
  ],
  ...PLAIN_MESSAGE,
});

const PLAIN_MESSAGE = { metadata: undefined, extensions: [], referenceTaskIds: [] };
const PLAIN_PART = { metadata: undefined, filename: "", mediaType: "" };

export const textPart = (text: string): Part => ({
  ...PLAIN_PART,
  content: { $case: "text", value: text },
});

type StoredPart = NonNullable<OwnMessage["parts"]>[number];

function showPart({ text, url, data, filename = "", mediaType = "" }: StoredPart): Part {
  if (text !== undefined) return textPart(text);
  if (url === undefined) return { ...PLAIN_PART, content: { $case: "data", value: data } };
  return { ...PLAIN_PART, content: { $case: "url", value: url }, filename, mediaType };
}
