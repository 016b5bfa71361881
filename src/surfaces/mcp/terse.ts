import { isoOf } from "../../platform/kernel/iso-time.ts";
import { CONSTANT } from "../../platform/kernel/text.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { markedIn, type Path } from "./marked.ts";
import type { Success } from "./shared-reads.ts";

const [MARK = ""] = Object.keys(CONSTANT);

/** A copy without the field at a path. */
function without(value: unknown, [name, ...rest]: Path): unknown {
  if (typeof value !== "object" || value === null || name === undefined) return value;
  if (Array.isArray(value)) return value.map((each) => without(each, rest));
  if (!(name in value)) return value;
  const { [name]: inner, ...others }: Record<string, unknown> = { ...value };
  return rest.length === 0 ? others : { ...value, [name]: without(inner, rest) };
}

/** A request whose parts, if it has any, are its text once more, and whose id stands there twice. */
function onceAsked(request: Readonly<Record<string, unknown>>): object {
  const { request_id: _, parts, parts_left_out, ...kept } = request;
  const [part, ...more] = Array.isArray(parts) ? parts : [];
  const repeats = part === undefined || (more.length === 0 && Object(part).text === kept["text"]);
  return repeats && parts_left_out === false ? kept : { ...kept, parts, parts_left_out };
}

/** A member of an answer as it is printed: nothing twice, and deadlines as dates, too. */
function printed(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return withDates(Object(withoutRepetition(value)));
}

/**
 * An object without its repetitions: an invoice inside of an order beside it, parts that are its text, and hashes of
 * texts that are there.
 */
function withoutRepetition(value: object): object {
  if ("parts_left_out" in value) return onceAsked({ ...value });
  if ("invoice" in value && "order" in value) return Object(without(value, ["order", "invoice"]));
  const { body, text } = Object(value);
  if (typeof body !== "object" || typeof text !== "object" || body === null || text === null)
    return value;
  const kept = Object.entries(body).filter(([name]) => !(name.replace(/_sha256$/, "") in text));
  return { ...value, body: Object.fromEntries(kept) };
}

/** Times until when something can be done, which a model reads better as dates. */
const DEADLINES = ["resolve_by", "closes_at", "deadline_at", "expires_at", "seal_by"] as const;

/** An object whose deadlines stand there as ISO 8601, too. */
function withDates(value: Readonly<Record<string, unknown>>): object {
  const dates = DEADLINES.flatMap((name) => {
    const time = value[name];
    return typeof time === "number" ? [[`${name}_iso`, isoOf(time)]] : [];
  });
  return dates.length === 0 ? value : { ...value, ...Object.fromEntries(dates) };
}

/**
 * Answers as a model reads them: what is the same in every answer is left to the documents, and nothing stands
 * twice. `rules` says where the rest is.
 */
export function terseOf(registry: readonly BoundOperation[]) {
  const places = new Map(
    registry.map(({ name, output }) => [name, markedIn(output, MARK)] as const),
  );
  return (operation: BoundOperation, success: Success): Success => {
    const paths = places.get(operation.name) ?? [];
    const kept = paths.reduce<unknown>((body, path) => without(body, path), success.body);
    const rules = paths.some((path) => path.length === 1) && { rules: rulesOf(operation) };
    const text = JSON.stringify({ ...Object(kept), ...rules }, printed);
    return text === success.text ? success : { text, body: JSON.parse(text) };
  };
}

const rulesOf = ({ domain }: BoundOperation): string =>
  domain === "ledger"
    ? "network_read with document verify"
    : `network_read with document limits about ${domain}`;
