import * as z from "zod";
import { PROTOCOL_VERSIONS } from "../describe/server-card.ts";

/** MCP 2026-07-28, basic/versioning: the version of a request is none that the server has. */
const UNSUPPORTED = -32_022;

const unsupported = z.looseObject({
  error: z.looseObject({
    code: z.literal(UNSUPPORTED),
    message: z.string(),
    data: z.looseObject({ supported: z.array(z.string()), requested: z.string() }),
  }),
});

/**
 * The SDK's handler of the modern era lists its own revision alone to whom asks for an unknown one. The error with all;
 * null of any other message. One that the other era has is left out, because it is not asked for in this form.
 */
export function faultOfVersion(message: unknown) {
  const { error } = unsupported.safeParse(message).data ?? {};
  if (error === undefined) return null;
  const supported = PROTOCOL_VERSIONS.filter((each) => each !== error.data.requested);
  return { ...error, data: { ...error.data, supported } };
}

/** The same of an answer in bytes; any other one stays as it is. */
export function namingVersions(answer: Buffer): Buffer {
  if (!answer.includes(`"error":{"code":${UNSUPPORTED}`)) return answer;
  const body: unknown = JSON.parse(answer.toString());
  const error = faultOfVersion(body);
  return error === null ? answer : Buffer.from(JSON.stringify({ ...Object(body), error }));
}
