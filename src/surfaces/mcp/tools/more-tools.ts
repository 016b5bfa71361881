import * as z from "zod";
import { reject } from "../../../kernel/contract/errors.ts";
import { finderOf } from "./finding.ts";
import type { Tool } from "./tools.ts";

/** The tool that finds tools, and the one that calls any of them. */
export const MORE_TOOLS = "more_tools";
export const MORE_CALL = "more_call";

/** So many tools are shown with their arguments, and so many more by name. */
const SHOWN_MAX = 5;
const NAMED_MAX = 10;

/** Both, for callers that may write, or only read. */
export const moreTools = (readOnly: boolean): readonly Tool[] => [
  {
    name: MORE_TOOLS,
    title: "Find more tools",
    description:
      'Find the tools for what you want to do, in your own words: {"intent": "verify a seal"}. There are three times as many as are listed.',
    inputSchema: {
      type: "object",
      properties: { intent: { type: "string", description: "What you want to do." } },
      required: ["intent"],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: MORE_CALL,
    title: "Run any tool",
    description:
      "Run a tool that more_tools has shown, listed or not, with its arguments. What it writes is as public and as durable.",
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", description: "The tool's name." },
        arguments: { type: "object", description: "As its schema says." },
      },
      required: ["name"],
    },
    annotations: readOnly ? { readOnlyHint: true } : {},
  },
];

/** The tools for an intent, best first. Rejects with `validation_failed` where no intent was sent. */
export function foundFor(tools: readonly Tool[], { intent }: { readonly intent?: unknown }) {
  if (typeof intent !== "string" || intent.trim() === "") {
    const problem = "is required: what you want to do, in your words";
    return reject("validation_failed", `\`intent\` ${problem}.`, [{ field: "intent", problem }]);
  }
  const found = finderOf(tools)(intent.slice(0, INTENT_LENGTH_MAX));
  return {
    ok: true,
    tools: found
      .slice(0, SHOWN_MAX)
      .map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    also: found.slice(SHOWN_MAX, SHOWN_MAX + NAMED_MAX).map(({ name }) => name),
    call: `${MORE_CALL} with name and arguments runs each.`,
  };
}

const INTENT_LENGTH_MAX = 1_000;

/** Strict hosts send an object of any form as a text. */
const parsed = (value: unknown): unknown => {
  if (typeof value !== "string") return value ?? {};
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

const calling = z.object({
  name: z.string(),
  arguments: z.preprocess(parsed, z.record(z.string(), z.unknown())).default({}),
});

/** The call inside of a call. Rejects with `validation_failed` where it has another form. */
export function calledBy(args: object): z.output<typeof calling> {
  const { data } = calling.safeParse(args);
  if (data !== undefined) return data;
  const problem = "must be a tool's name, and `arguments` an object";
  return reject("validation_failed", `\`name\` ${problem}.`, [{ field: "name", problem }]);
}
