import type * as z from "zod";
import type { Problem } from "./errors.ts";
import type { Contracts, Operation } from "./operation.ts";

/**
 * The success body of an operation as it travels. `hints`: what was ignored, or was probably meant in
 * another way; at most eight, absent where there are none.
 */
export type Answer<Op extends Operation> = {
  readonly ok: true;
  readonly hints?: readonly Problem[];
} & z.input<Op["output"]>;

/** What a caller sees of an operation. Where no field is required, the input may be left out. */
type Call<Op extends Operation, Options, Found> =
  Record<never, never> extends z.input<Op["input"]>
    ? (input?: z.input<Op["input"]>, options?: Options) => Promise<Outcome<Op, Found>>
    : (input: z.input<Op["input"]>, options?: Options) => Promise<Outcome<Op, Found>>;

/** A write that can be looked up may resolve to what was found. */
type Outcome<Op extends Operation, Found> =
  | Answer<Op>
  | ("not_after" extends keyof Op["input"]["shape"] ? Found : never);

/**
 * The name of an operation: its tool's or its own, and where it has none, its domain and key. OpenAPI
 * calls it `operationId`; the client folds its calls from it.
 */
export const operationIdOf = ({ name, tool, item }: NamedOperation): string =>
  tool ?? item ?? name.replace(".", "_");

/** `name` is `domain.key`. */
type NamedOperation = Pick<Operation, "tool" | "item"> & { readonly name: string };

type IdOf<D extends string, K extends string, Op> = Op extends {
  readonly tool?: infer T;
  readonly item?: infer I;
}
  ? [T & string] extends [never]
    ? [I & string] extends [never]
      ? `${D}_${K}`
      : I & string
    : T & string
  : `${D}_${K}`;

/** Every operation of the table with its name. */
type Named<T extends Contracts> = {
  [D in keyof T & string]: {
    [K in keyof T[D] & string]: readonly [id: IdOf<D, K, T[D][K]>, operation: T[D][K]];
  }[keyof T[D] & string];
}[keyof T & string];

/** `market` of `market_order_create`. */
type Noun<Id> = Id extends `${infer N}_${string}` ? N : never;
/** `orderCreate` of `market_order_create`. */
type Verb<Id> = Id extends `${string}_${infer V}` ? Camel<V> : never;
type Camel<S extends string> = S extends `${infer A}_${infer B}`
  ? `${A}${Capitalize<Camel<B>>}`
  : S;

/** One call for each operation: `market_order_create` is `market.orderCreate`. */
export type Calls<T extends Contracts, Options, Found = never> = {
  readonly [N in Noun<Named<T>[0]>]: {
    readonly [P in Extract<Named<T>, readonly [`${N}_${string}`, unknown]> as Verb<P[0]>]: Call<
      P[1],
      Options,
      Found
    >;
  };
};

/** The noun and the verb of a name, as the client writes them. */
export function callNameOf(id: string): readonly [noun: string, verb: string] {
  const [noun = "", first = "", ...others] = id.split("_");
  const capitals = others.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return [noun, first + capitals.join("")];
}
