import type { Result } from "@modelcontextprotocol/server";
import * as z from "zod";
import { contracts } from "../../domains/contracts.ts";
import { integer } from "../../platform/kernel/contract/ids.ts";
import type { Operation } from "../../platform/kernel/contract/operation.ts";
import { bytesOf } from "../../platform/kernel/contract/page.ts";
import { retryFields } from "../../platform/kernel/contract/retry-fields.ts";
import { meantName } from "../../surfaces/mcp/tools/finding.ts";
import { demandRead, MORE_QUERY } from "../../surfaces/mcp/tools/more-tools.ts";
import { TOOL_ALIASES } from "../../surfaces/mcp/tools/tool-records.ts";
import { toolOf } from "../../surfaces/mcp/tools/tools.ts";
import { refusal, refusalOf } from "./results.ts";

const { send, list } = contracts.messages;

/** A box holds 48,896 bytes: the text as JSON, and the rest of the letter. */
const BODY_MAX_BYTES = 48_000;
const LETTERS_MAX = 20;

const key = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, "must be 32 bytes as base64url")
  .describe("As `keys_changed` shows it under `published`.");

const write = {
  ...send,
  summary:
    "Seal a text for another agent, on this machine, and leave it in its inbox: only the recipient can read it. With the same client_ref a retry is no second message.",
  input: z.object({
    to: send.input.shape.to,
    body: z
      .string()
      .min(1)
      .refine((text) => text.isWellFormed(), "has a lone surrogate")
      .refine(
        (text) => bytesOf(text) <= BODY_MAX_BYTES,
        `must be at most ${BODY_MAX_BYTES} bytes of JSON`,
      )
      .describe("The text, which is sealed here."),
    ...retryFields,
  }),
  output: z.object({
    id: z.int(),
    to: z.string(),
    sealed: z.literal(true),
    keys: z.enum(["first_contact", "known"]),
  }),
} as const satisfies Operation;

const read = {
  ...list,
  // The first call publishes the agent's keys.
  hints: ["writes", "repeatable"],
  summary:
    "Your messages after an id, opened on this machine, oldest first; each says whether its sender is proven. Keep after_id; it marks nothing as read.",
  input: z.object({
    after_id: integer(0, Number.MAX_SAFE_INTEGER)
      .default(0)
      .describe("The after_id of the last answer; 0 from the beginning."),
    limit: integer(1, LETTERS_MAX).default(LETTERS_MAX).describe("How many messages."),
  }),
  output: z.object({
    messages: z.array(z.unknown()),
    count: z.int(),
    after_id: z.int(),
    more: z.boolean(),
  }),
} as const satisfies Operation;

const accept = {
  ...send,
  hints: ["destroys", "repeatable"],
  summary:
    "Know an agent by its new keys from now on. Ask it by another way first whether it changed them: the network could lie.",
  input: z.object({
    agent_id: send.input.shape.to.describe("The agent whose keys changed."),
    encryption: key,
    signing: key,
    ...retryFields,
  }),
  output: z.object({ agent_id: z.string() }),
} as const satisfies Operation;

/** What the agent's messages need here, by the names of the tools. */
export const LETTER_OPERATIONS = { dm_write: write, dm_read: read, dm_keys_accept: accept };

/** The tools that run here, because the network must not see what they see. */
export const LETTER_TOOLS = Object.entries(LETTER_OPERATIONS).map(([name, operation]) =>
  toolOf(name, operation, "full"),
);

/** Tools of the network that take boxes as they are: beside those above a model picks the wrong ones. */
export const RAW_TOOLS: readonly unknown[] = [send.tool, list.tool];

const REPLACED: ReadonlyMap<unknown, string> = new Map([
  [send.tool, "dm_write"],
  [list.tool, "dm_read"],
]);

/** Under which name a call asks for one of those, in whichever spelling; null where it asks for another tool. */
function rawNameOf(name: unknown): string | null {
  if (typeof name !== "string") return null;
  const rawIn = (each: string): string | undefined =>
    REPLACED.has(each) ? each : TOOL_ALIASES.get(each);
  const raw = rawIn(meantName(name, (each) => REPLACED.has(rawIn(each))));
  return raw !== undefined && REPLACED.has(raw) ? raw : null;
}

/** The refusal of a call of one of them, with what to call here; null for every other tool. */
export function refusalOfRaw(name: unknown): Result | null {
  const raw = rawNameOf(name);
  if (raw === null) return null;
  const own = REPLACED.get(raw) ?? "";
  return refusal({
    ok: false,
    error: "validation_failed",
    message: `${raw} is not here, because it takes boxes as they are. Call ${own}, which seals and opens on this machine. Nothing was done.`,
    details: [{ field: "name", problem: `is no tool here; call ${own}` }],
  });
}

/** The refusal of a tool that runs here and writes, where it was asked for by the one that only reads; else null. */
export function refusalOfQuery(by: unknown, name: unknown): Result | null {
  const own = by === MORE_QUERY ? LETTER_TOOLS.find((tool) => tool.name === name) : undefined;
  if (own === undefined) return null;
  try {
    demandRead(own);
    return null;
  } catch (error) {
    return refusalOf(error);
  }
}

/** Those above in the place of the network's own, in what `cairn_tools` has found. */
export function lettersAmong(found: object): object {
  const { tools = [], also = [] } = z
    .object({
      tools: z.array(z.looseObject({ name: z.string() })),
      also: z.array(z.string()),
    })
    .partial()
    .parse(found);
  const others = tools.filter(({ name }) => !RAW_TOOLS.includes(name));
  const isFound = [...tools.map(({ name }) => name), ...also].some((name) =>
    RAW_TOOLS.includes(name),
  );
  const own = isFound
    ? LETTER_TOOLS.map(({ name, description, inputSchema, annotations }) => ({
        name,
        description,
        inputSchema,
        annotations,
      }))
    : [];
  const named = also.filter((name) => !RAW_TOOLS.includes(name));
  return { ...found, tools: [...own, ...others], also: named };
}
