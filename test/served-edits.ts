import type * as z from "zod";
import { FIGURES, NOT_ASKED, OWN, ROUTES, UNTOLD } from "../src/cli/audit/replayed/routes.ts";

type Roll = (sides: number) => number;

/** A place in an answer: names of fields, and `*` for any item of a list. */
export type Place = readonly string[];

/** One way to change what stands at a place of an answer. */
export interface ServedEdit {
  readonly what: string;
  /** The operation's path. */
  readonly route: string;
  readonly place: Place;
  /** The part of the place that a report names. */
  readonly named: string;
  /** Whether only the agent itself is told. */
  readonly isOwn: boolean;
  /** Whether items come, go or change places. */
  readonly isList: boolean;
  /** Whether the ledger tells of it, so that an audit has to find the change. */
  readonly isDetermined: boolean;
  /** The new value; undefined where this one cannot be changed so. */
  change(value: unknown, roll: Roll): unknown;
}

/** Lists whose order follows from times of rows, or from what no entry tells. */
const OPEN_ORDERS: ReadonlySet<string> = new Set([
  "identity.directory agents",
  "repositories.list repositories",
  "repositories.get members",
  "repositories.members members",
  "repositories.get writers",
  "views.agent repositories",
  "market.get order.history",
]);

/**
 * Every field of every answer that is asked for, as the schemas have them, with each way to change it.
 * `figures` are those that an audit names by their route and their place.
 */
export function servedEdits(figures: ReadonlySet<string>): readonly ServedEdit[] {
  return ROUTES.flatMap(({ name, operation }) => {
    if (operation.method !== "GET" || Object.hasOwn(NOT_ASKED, name)) return [];
    const isFigure = (place: Place) => figures.has(`${operation.path} ${place.join(".")}`);
    const [isOwn, hasFigures] = [Object.hasOwn(OWN, name), FIGURES.has(name)];
    const all = leaves(operation.output, []);
    const untold = Object.keys(UNTOLD[name] ?? {});
    const isUntold = (place: string) =>
      untold.some((each) => place === each || place.startsWith(`${each}.`));
    const found = [
      ...(isOwn || !hasFigures ? all.map((leaf) => ({ leaf, isOwn })) : []),
      ...(hasFigures ? all.map((leaf) => ({ leaf, isOwn: false })) : []).filter(({ leaf }) =>
        isFigure(leaf.place),
      ),
    ];
    return found.flatMap(({ leaf: { place, isList }, isOwn: own }) => {
      const fields = place.filter((each) => each !== "*");
      return Object.entries(isList ? LIST_CHANGES : CHANGES)
        .filter(([way]) => way !== "swapped" || !OPEN_ORDERS.has(`${name} ${fields.join(".")}`))
        .map(([way, change]) => ({
          what: `${operation.path} ${place.join(".")} ${way}`,
          route: operation.path,
          place,
          named: namedOf(fields),
          isOwn: own,
          isList,
          isDetermined: (!own && hasFigures) || !isUntold(fields.join(".")),
          change,
        }));
    });
  });
}

/** Values of which an entry has one hash: a report names the whole. */
const WHOLES = ["parts", "criterion", "payload", "capabilities"];

interface Leaf {
  readonly place: Place;
  readonly isList: boolean;
}

const namedOf = (fields: Place): string =>
  fields.find((field, i) => i > 0 && WHOLES.includes(field)) ?? fields.at(-1) ?? "";

/** The leaves of a schema. */
function leaves(schema: z.core.$ZodType, place: Place): Leaf[] {
  const { def } = schema as z.ZodType as unknown as { def: Definition };
  switch (def.type) {
    case "nullable":
    case "optional":
      return leaves(def.innerType, place);
    case "union":
      return unique(def.options.flatMap((each) => leaves(each, place)));
    case "array":
      return [{ place, isList: true }, ...leaves(def.element, [...place, "*"])];
    case "object":
      return Object.entries(def.shape).flatMap(([name, inner]) => leaves(inner, [...place, name]));
    default:
      return [{ place, isList: false }];
  }
}

type Definition =
  | { type: "nullable" | "optional"; innerType: z.core.$ZodType }
  | { type: "union"; options: readonly z.core.$ZodType[] }
  | { type: "array"; element: z.core.$ZodType }
  | { type: "object"; shape: Readonly<Record<string, z.core.$ZodType>> }
  | { type: "leaf" };

const unique = (all: readonly Leaf[]): Leaf[] => [
  ...new Map(all.map((leaf) => [leaf.place.join("."), leaf])).values(),
];

/** More than a row may be older than its entry. */
const HOUR_S = 3_600;
const isTime = (value: number): boolean => value > 1_000_000_000;

const CHANGES: Readonly<Record<string, ServedEdit["change"]>> = {
  changed(value, roll) {
    if (typeof value === "number") return value + (isTime(value) ? HOUR_S : 1);
    if (typeof value === "boolean") return !value;
    if (typeof value !== "string") return undefined;
    const at = roll(value.length);
    return `${value.slice(0, at)}${value[at] === "7" ? "8" : "7"}${value.slice(at + 1)}`;
  },
  emptied: (value) => (value === null ? undefined : null),
};

const LIST_CHANGES: Readonly<Record<string, ServedEdit["change"]>> = {
  shortened: (value) => (Array.isArray(value) && value.length > 0 ? value.slice(1) : undefined),
  lengthened: (value) =>
    Array.isArray(value) && value.length > 0 ? [...value, value[0]] : undefined,
  swapped: (value) =>
    Array.isArray(value) && value.length > 1 ? [value[1], value[0], ...value.slice(2)] : undefined,
};

/** The answer with another value at a place, and what was there; null where there is none to change. */
export function edited(
  answer: unknown,
  { place, change }: ServedEdit,
  roll: Roll,
): { readonly answer: unknown; readonly ids: readonly string[] } | null {
  const [first, ...rest] = place;
  if (first === undefined) {
    const value = change(answer, roll);
    return value === undefined ? null : { answer: value, ids: [] };
  }
  if (first === "*") {
    if (!Array.isArray(answer)) return null;
    const start = roll(Math.max(1, answer.length));
    for (let n = 0; n < answer.length; n++) {
      const at = (start + n) % answer.length;
      const inner = edited(answer[at], { ...EDIT, place: rest, change }, roll);
      if (inner === null) continue;
      const id = Object(answer[at])["id"];
      return {
        answer: answer.with(at, inner.answer),
        ids: [...(id === undefined ? [] : [String(id)]), ...inner.ids],
      };
    }
    return null;
  }
  if (typeof answer !== "object" || answer === null || !Object.hasOwn(answer, first)) return null;
  if (!isTold(answer, place)) return null;
  const of = Object.fromEntries(Object.entries(answer));
  const inner = edited(of[first], { ...EDIT, place: rest, change }, roll);
  return inner && { answer: { ...of, [first]: inner.answer }, ids: inner.ids };
}

/** The size of a payload is told by the payload, where that is public; deadlines of a held order are not. */
function isTold(item: unknown, [field = ""]: Place): boolean {
  const { payload, state, hold } = Object(item);
  if (field === "payload_bytes") return payload !== null;
  // A list does not tell whether an order was ever held; one that nobody has paid never was.
  const isOrder = state !== undefined && DEADLINES.includes(field);
  return !isOrder || state === "awaiting_payment" || (hold === null && state !== "held");
}

const DEADLINES = ["deadline_at", "deliver_by", "refund_at", "accept_by", "allowed_actions"];

const EDIT = { what: "", route: "", named: "", isOwn: false, isList: false, isDetermined: true };
