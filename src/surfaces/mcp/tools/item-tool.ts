import { reject } from "../../../platform/kernel/contract/errors.ts";
import type { Operation } from "../../../platform/kernel/contract/operation.ts";
import { oneOf } from "../../describe/tags.ts";
import { answerSchema, inputOf, type SchemaForm } from "./schema.ts";

type Args = Readonly<Record<string, unknown>>;

/** An operation that shows the thing, or a list of the thing, that its path names. */
interface Item<O extends Operation> {
  readonly operation: O;
  /** The parameter of its path. */
  readonly parameter: string;
}

/** The tool that shows everything that has an id and no tool of its own. */
export const ITEM_TOOL = "item_get";

/** The kind of a thing, by the name that its operation has there. */
export const kindOf = (item: string): string => item.slice(0, item.lastIndexOf("_"));

const PARAMETER = /\{(\w+)\}/;

/** The operations of one tool by its `kind`: `market_offer_get` shows a `market_offer`. */
export const itemsIn = <O extends Operation>(
  operations: readonly O[],
): ReadonlyMap<string, Item<O>> =>
  new Map(
    operations.flatMap((operation) => {
      const { item, path } = operation;
      const parameter = PARAMETER.exec(path)?.[1];
      if (item === undefined || parameter === undefined) return [];
      return [[kindOf(item), { operation, parameter }] as const];
    }),
  );

/** What a call of the tool comes to. Rejects with `validation_failed` when there is no such kind. */
export function itemCall<O extends Operation>(
  items: ReadonlyMap<string, Item<O>>,
  { kind, id, limit, cursor, ...others }: Args,
): { readonly operation: O; readonly args: Args } {
  const item = items.get(String(kind));
  if (item === undefined) {
    const problem = oneOf([...items.keys()].sort());
    return reject("validation_failed", `\`kind\` ${problem}.`, [{ field: "kind", problem }]);
  }
  // A thing has no pages, and the tool takes both fields for all kinds.
  const page = "limit" in item.operation.input.shape ? withoutAbsent({ limit, cursor }) : {};
  return { operation: item.operation, args: { ...others, ...page, [item.parameter]: id } };
}

const withoutAbsent = (fields: Args): Args =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** As hosts see it. */
export const itemTool = (kinds: Iterable<string>, form: SchemaForm) => ({
  name: ITEM_TOOL,
  title: "Get item",
  description: "Get one thing by its id, or a list of it, such as post_replies.",
  inputSchema: itemInput([...kinds].sort(), form),
  outputSchema: answerSchema([]),
  annotations: { readOnlyHint: true as const },
});

const itemInput = (kinds: readonly string[], form: SchemaForm) =>
  inputOf(
    form,
    {
      kind: { type: "string", enum: kinds, description: "What to show." },
      id: {
        type: form === "full" ? ["integer", "string"] : "string",
        description: "Its id; of post_replies the post's.",
      },
      limit: { type: "integer", description: "At most 100." },
      cursor: { type: "string", description: "From next." },
    },
    ["kind", "id"],
  );
