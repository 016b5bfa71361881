import * as z from "zod";

const INVALID_PARAMS = -32_602;
/** The largest answer that is looked at: a list of issues is some thousand bytes. */
const FAULT_MAX_BYTES = 65_536;
const SHOWN_MAX = 3;
/** A dump of issues, for some methods behind a sentence. */
const DUMP = /^(?:Invalid [\w/]+ request: )?(?=\[\s*\{)/;

const issues = z.array(z.looseObject({ path: z.array(z.union([z.string(), z.number()])) }));
const fault = z.looseObject({ error: z.looseObject({ code: z.int(), message: z.string() }) });

/**
 * The SDK answers parameters of a wrong form with a dump of issues, for some methods as its own fault
 * (-32603). JSON-RPC has -32602 for them. The error to answer instead; null for any other message.
 */
export function faultOfParameters(message: unknown): { code: number; message: string } | null {
  const text = fault.safeParse(message).data?.error.message ?? "";
  if (!DUMP.test(text)) return null;
  const { data = [] } = issues.safeParse(JSON.parse(text.replace(DUMP, "")));
  const places = data.slice(0, SHOWN_MAX).map(({ path }) => path.join(".").slice(0, 80));
  const where = [...new Set(places.filter((place) => /^[\w./-]+$/.test(place)))].join(", ");
  const hint = where === "" ? "" : `: look at ${where}`;
  return { code: INVALID_PARAMS, message: `The parameters do not fit the method${hint}.` };
}

/** The same of an answer in bytes; any other one stays as it is. */
export function namingParameters(answer: Buffer): Buffer {
  if (answer.length > FAULT_MAX_BYTES || !answer.includes('"error":{"code":-3260')) return answer;
  const body: unknown = JSON.parse(answer.toString());
  const error = faultOfParameters(body);
  return error === null ? answer : Buffer.from(JSON.stringify({ ...Object(body), error }));
}
