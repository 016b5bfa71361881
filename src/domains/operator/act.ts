import type * as z from "zod";
import type { ServiceContext } from "../../platform/context.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";

/** The result of an act: a text for a person, and the same facts for a machine. */
export interface Done {
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;
  /** The end of the text that is said of one thing among many, too: what is left to do. */
  readonly left?: string;
  /** A look at what may be done next. */
  readonly next?: {
    readonly title: string;
    readonly look: string;
    readonly given: Readonly<Record<string, string>>;
  };
}

/** An act of the operator, by a command or in the console. No route of the network leads to it. */
export interface Act {
  /** As it is typed: `post hide`. */
  readonly name: string;
  readonly summary: string;
  readonly about?: string;
  /** Its values, each made of a text (`values.ts`): a command's words, or the fields of a form. */
  readonly input: z.ZodObject;
  /** The values that stand by themselves in a command, in their order. */
  readonly operands?: readonly string[];
  /** Values that only a command takes, such as a record on the operator's word alone. */
  readonly commandOnly?: readonly string[];
  /** Values of which a form wants at least one, because what it does is seen in public. */
  readonly wantsOneOf?: readonly string[];
  /** Whether another act undoes it, it is public for ever, or it says that money has moved. */
  readonly effect: "reversible" | "final" | "money";
  /** The act that takes it back, with the same operands. */
  readonly undo?: string;
  /** Rejects when it is refused; then nothing was changed. */
  run(context: ServiceContext, values: Readonly<Record<string, unknown>>): Promise<Done>;
}

export const act = <I extends z.ZodObject>(
  record: Omit<Act, "input" | "operands" | "commandOnly" | "wantsOneOf" | "run"> & {
    readonly input: I;
    readonly commandOnly?: readonly (keyof z.output<I> & string)[];
    readonly operands?: readonly (keyof z.output<I> & string)[];
    readonly wantsOneOf?: readonly (keyof z.output<I> & string)[];
    run(context: ServiceContext, values: z.output<I>): Promise<Done>;
  },
): Act => record;

const WARNINGS = {
  reversible: null,
  final: "This is public for ever, and nothing undoes it.",
  money: "This says that money has moved. It is public for ever, and nothing undoes it.",
} as const satisfies Record<Act["effect"], string | null>;

/** The sentence that is read before an act that nothing undoes; null before another one. */
export const warningOf = (effect: Act["effect"]): string | null => WARNINGS[effect];

/** The text of what was done, and a sentence of what is left to do. */
export const withLeft = (text: string, left: string | null): Pick<Done, "text" | "left"> =>
  left === null ? { text } : { text: `${text}\n${left}`, left };

/** Refuses what would change nothing, so that nobody takes it for done. */
export function demandChange(isChanged: boolean, sentence: string): void {
  if (!isChanged) throw new Rejection("invalid_state", sentence);
}
