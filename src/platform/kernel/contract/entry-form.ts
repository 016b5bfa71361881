/**
 * The form of one field of a body: text or a whole number, as it is sealed. Plain data, for every reader.
 * @public The types of kinds name it.
 */
export interface Form<T extends string | number = string | number> {
  readonly type: "string" | "integer" | "number";
  /** Of a number: the least. */
  readonly min?: number;
  /** Of a text: what all of it is like. */
  readonly like?: RegExp;
  /** All values that it may have; left out: any of its type. */
  readonly words?: readonly T[];
  readonly isOptional: boolean;
}

/** @public The types of kinds name it. */
export interface OptionalForm<T extends string | number> extends Form<T> {
  readonly isOptional: true;
}

export interface RequiredForm<T extends string | number> extends Form<T> {
  readonly isOptional: false;
  /** The same field, which may be left out. */
  optional(): OptionalForm<T>;
}

/** The fields of a body, by name. */
export type Shape = Readonly<Record<string, Form>>;

type ValueOf<F> = F extends Form<infer T> ? T : never;
type OptionalIn<Fields> = {
  [K in keyof Fields]: Fields[K] extends OptionalForm<string | number> ? K : never;
}[keyof Fields];
type Flat<T> = { [K in keyof T]: T[K] };

/** The body of an entry with these fields; of some entry, where they are not known. */
export type Body<Fields extends Shape> = string extends keyof Fields
  ? { [name: string]: string | number | undefined }
  : Flat<
      { [K in Exclude<keyof Fields, OptionalIn<Fields>>]: ValueOf<Fields[K]> } & {
        [K in OptionalIn<Fields>]?: ValueOf<Fields[K]> | undefined;
      }
    >;

const form = <T extends string | number>(rest: Omit<Form<T>, "isOptional">): RequiredForm<T> => ({
  ...rest,
  isOptional: false,
  optional: () => ({ ...rest, isOptional: true }),
});

/** A whole number, and the least that it may be. */
export const wholeFrom = (min: number) => form<number>({ type: "integer", min });

/** A text of which a pattern says all. */
export const textLike = (like: RegExp) => form<string>({ type: "string", like });

/** One of these values. */
export const oneOf = <const T extends string | number>(words: readonly T[]) =>
  form<T>({ type: typeof words[0] === "string" ? "string" : "number", words });

export const anyText = form<string>({ type: "string" });

/** The name of the first field that has not its form, is missing, or is none of the kind; null without one. */
export function misfitIn(fields: Shape, body: Readonly<Record<string, unknown>>): string | null {
  for (const name in body) if (!Object.hasOwn(fields, name)) return name;
  for (const name in fields) {
    const of = fields[name];
    const value = body[name];
    if (of === undefined || (value === undefined && of.isOptional)) continue;
    if (!fits(of, value)) return name;
  }
  return null;
}

/** The names among these whose field has not its form. */
export const misfitsAmong = <Name extends string>(
  fields: Shape,
  body: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): Name[] =>
  names.filter((name) => {
    const of = fields[name];
    const value = body[name];
    return of === undefined || (!(value === undefined && of.isOptional) && !fits(of, value));
  });

function fits({ type, min, like, words }: Form, value: unknown): boolean {
  if (words !== undefined) return words.some((word) => word === value);
  if (type === "string") return typeof value === "string" && (like?.test(value) ?? true);
  return typeof value === "number" && Number.isSafeInteger(value) && value >= (min ?? value);
}
