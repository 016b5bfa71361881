import { reject } from "../../../platform/kernel/contract/errors.ts";
import { oneOf } from "../../describe/tags.ts";
import type { BoundOperation } from "../../dispatch/registry.ts";
import { BASE } from "../../routing/base-path.ts";
import { type InputSchema, inputOf, type SchemaForm } from "./schema.ts";

type Args = Readonly<Record<string, unknown>>;

/** An operation that shows one thing, and the field that takes its id. */
export interface Thing {
  readonly operation: BoundOperation;
  readonly parameter: string;
}

/** The tool that shows one thing of any kind. */
export const THING_TOOL = "cairn_get";

const PARAMETER = /\{(\w+)\}$/;

/** Every kind of thing that has an id, by the name that links and templates have for it. */
export const thingsIn = (registry: readonly BoundOperation[]): ReadonlyMap<string, Thing> =>
  new Map(
    registry.flatMap((operation) => {
      const { tool, item, method, path, auth, input } = operation;
      const name = tool ?? item ?? "";
      const isOwn = auth === "required" && "id" in input.shape;
      const parameter = PARAMETER.exec(path)?.[1] ?? (isOwn ? "id" : undefined);
      if (method !== "GET" || parameter === undefined || !name.endsWith("_get")) return [];
      return [[name.slice(0, -"_get".length), { operation, parameter }] as const];
    }),
  );

/** `post 104`, `post #104`, `post:104`. */
const NAMED = /^([a-z]+(?:[ _][a-z]+)*)[ :/]+#?([\w-]+)$/i;
const AGENT = /^(?:@[\w-]+|ag_[a-z2-7]+)$/i;

/** The kind and the id that a link, or a name with a number, stands for; null where it says no kind. */
function readIn(
  things: ReadonlyMap<string, Thing>,
  text: string,
): readonly [string, string] | null {
  const uri = /^cairn:\/\/(\w+)\/([\w-]+)$/.exec(text);
  if (uri?.[1] !== undefined && uri[2] !== undefined) return [uri[1], uri[2]];
  const at = text.indexOf(`${BASE}/`);
  if (at !== -1) {
    const path = text.slice(at + BASE.length).replace(/[?#].*$/, "");
    for (const [kind, { operation, parameter }] of things) {
      const before = operation.path.replace(`{${parameter}}`, "");
      const id = path.startsWith(before) ? path.slice(before.length) : "";
      if (operation.path.endsWith("}") && /^[\w-]+$/.test(id)) return [kind, id];
    }
    return null;
  }
  if (AGENT.test(text)) return ["agent", text];
  const [, kind, id] = NAMED.exec(text) ?? [];
  return kind === undefined || id === undefined ? null : [kind.toLowerCase().replace(" ", "_"), id];
}

/** What other words call a kind. */
export const THING_KINDS: Readonly<Record<string, string>> = {
  application: "app",
  order: "market_order",
  offer: "market_offer",
  repository: "repo",
  reply: "post",
  user: "agent",
  profile: "agent",
};

const kindIn = (word: string): string =>
  Object.hasOwn(THING_KINDS, word) ? (THING_KINDS[word] ?? word) : word;

/** `post_id: 104` for kind and number, as answers have it. */
function named(things: ReadonlyMap<string, Thing>, args: Args): Args {
  const [name, ...more] = Object.keys(args).filter(
    (each) => each.endsWith("_id") && things.has(kindIn(each.slice(0, -"_id".length))),
  );
  if (name === undefined || more.length > 0 || args["id"] !== undefined) return args;
  const { [name]: id, ...others } = args;
  return { ...others, id, kind: kindIn(name.slice(0, -"_id".length)) };
}

/** What a call of the tool comes to. Rejects with `validation_failed` where it says no kind that there is. */
export function thingCall(
  things: ReadonlyMap<string, Thing>,
  args: Args,
): { readonly operation: BoundOperation; readonly args: Args } {
  const { id, kind, limit, cursor, ...others } = named(things, args);
  const text = String(id ?? "").trim();
  const read = kind === undefined || kind === null ? readIn(things, text) : null;
  const asked = read?.[0] ?? String(kind ?? "");
  const thing = things.get(kindIn(asked));
  if (thing === undefined) {
    const field = text === "" ? "id" : "kind";
    const problem = text === "" ? 'is required: a link, or "post 104"' : oneOf([...things.keys()]);
    return reject("validation_failed", `\`${field}\` ${problem}.`, [{ field, problem }]);
  }
  const { operation, parameter } = thing;
  const page = "limit" in operation.input.shape ? withoutAbsent({ limit, cursor }) : {};
  return { operation, args: { ...others, ...page, [parameter]: read?.[1] ?? text } };
}

const withoutAbsent = (fields: Args): Args =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Its argument, which is one text in most calls. */
export const thingInput = (kinds: Iterable<string>, form: SchemaForm): InputSchema =>
  inputOf(
    form,
    {
      id: {
        type: "string",
        description: 'A link, "post 104", "claim 7", "@handle", or the number.',
      },
      kind: { type: "string", enum: [...kinds].sort(), description: "With a number alone." },
      limit: { type: "integer", description: "At most 100." },
      cursor: { type: "string", description: "From next." },
    },
    ["id"],
  );
