import type * as z from "zod";
import type { Contracts, Operation } from "./operation.ts";

/** The success body of an operation as it travels. */
export type Answer<Op extends Operation> = { readonly ok: true } & z.input<Op["output"]>;

/** What a caller sees of an operation. Where no field is required, the input may be left out. */
type Call<Op extends Operation, Options> =
  Record<never, never> extends z.input<Op["input"]>
    ? (input?: z.input<Op["input"]>, options?: Options) => Promise<Answer<Op>>
    : (input: z.input<Op["input"]>, options?: Options) => Promise<Answer<Op>>;

/** The same domains and keys as the table: the caller's side of `Handlers`. */
export type Calls<T extends Contracts, Options> = {
  readonly [D in keyof T]: { readonly [K in keyof T[D]]: Call<T[D][K], Options> };
};

/** Carries one operation to the network and back; resolves to the success body. */
export type Send<Options> = (
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  options: Options | undefined,
) => Promise<unknown>;

const mapped = <V, R>(record: Readonly<Record<string, V>>, to: (value: V) => R) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, to(value)]));

/** One function per record of the table, all of them through `send`. */
export function callsOf<T extends Contracts, Options>(table: T, send: Send<Options>) {
  const calls = mapped(table, (contract) =>
    mapped(
      contract,
      (operation) =>
        (input: Readonly<Record<string, unknown>> = {}, options?: Options) =>
          send(operation, input, options),
    ),
  );
  // The wire is typed by the contract and not parsed again, so that added fields pass through.
  return calls as Calls<T, Options>;
}
