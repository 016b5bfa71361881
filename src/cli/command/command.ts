import type * as z from "zod";
import type { ServiceRecord } from "../../main/running/service-record.ts";
import type { Service } from "../../main/service/open-service.ts";
import type { Configuration, ShownSetting } from "../../main/settings/settings.ts";
import type { Ended } from "../../verify/print.ts";

/** What a command came to: a text for a person, and the same facts for a machine. */
export interface Outcome {
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;
  /** 0 where it is left out. */
  readonly exit_code?: number;
  /** Left out: it did what it is for, and the operator's journal has it. */
  readonly changed?: false;
  readonly printed?: Ended["printed"];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The service that a command is about. */
export interface Settings {
  readonly configuration: Configuration;
  /** The same, as texts, for a person to see. */
  readonly settings: readonly ShownSetting[];
}

/** What the service of a command is known by. */
export interface Place {
  /** Named by an option or a variable, in this folder, found on this machine, or none of these. */
  readonly how: "named" | "here" | "found" | "nothing";
  /** Which data are used, for standard error; null where the words of the command named them. */
  readonly note: string | null;
  /** The service that runs there, as it says itself. */
  readonly running: ServiceRecord | null;
}

/** What a command is given beside its values. */
interface Opened {
  readonly nothing: object;
  /** The settings that find a database; the command opens it. */
  readonly database: Settings;
  /** The database, opened beside the service if it runs, as handlers see it. */
  readonly service: Settings & { readonly service: Service };
}

export interface Given extends Partial<Opened["service"]> {
  /** Left out where the command opens nothing. */
  readonly place?: Place;
  /** Whether the words had `--yes`. */
  readonly isAgreed?: boolean;
  readonly values: Readonly<Record<string, unknown>>;
  readonly environment: Environment;
}

/** All that reading, help, usage, dispatch and the documents need to know of a command. */
export interface Command {
  /** As it is typed: `agent ban`. */
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** More for its own help. */
  readonly about?: string | ((columns: number) => string);
  /**
   * Its values: `post_id` is `--post-id`, a boolean is a switch, an array a repeatable option. `takes`
   * of `.meta()` is how usage shows a value; the description is its line of help.
   */
  readonly input: z.ZodObject;
  /** The values that stand by themselves, in their order. */
  readonly operands?: readonly string[];
  readonly opens: keyof Opened;
  /** It asks a network from elsewhere, by the proxy of HTTPS_PROXY where there is one. */
  readonly proxied?: true;
  /** It only looks, with these values or always: the operator's journal leaves it out. */
  readonly looks?: true | ((values: Given["values"]) => boolean);
  /** Of one that opens the database itself: whether it changes it. */
  readonly changes?: (values: Given["values"]) => boolean;
  /** Whether it may be the first that happens to a database. */
  readonly ledger?: "may_begin";
  /** It has no outcome to print, so it takes no --json. */
  readonly silent?: true;
  /** A sentence to agree to on a terminal before it runs, and `--yes` in its place; null when there is none. */
  confirms?(values: Given["values"]): string | null;
  /** What each exit code means. */
  readonly exits: Readonly<Record<number, string>>;
  /** Ends with a Stop, or another Error whose message is a sentence, when it refuses. */
  run(given: Given): Promise<Outcome>;
}

/** Whether a command writes to the database of a service, with these values. */
export function isWrite(
  { opens, looks, changes }: Pick<Command, "opens" | "looks" | "changes">,
  values: Given["values"],
): boolean {
  if (opens !== "service") return changes?.(values) ?? false;
  return !(typeof looks === "function" ? looks(values) : looks === true);
}

/** Whether it may ask before it runs, so that it takes `--yes`. */
export const mayAsk = ({ opens, looks, changes, confirms }: Command): boolean =>
  confirms !== undefined || changes !== undefined || (opens === "service" && looks !== true);

export type CommandRecord<I extends z.ZodObject, O extends keyof Opened> = Omit<
  Command,
  "input" | "operands" | "opens" | "run"
> & {
  readonly input: I;
  readonly operands?: readonly (keyof z.output<I> & string)[];
  readonly opens: O;
  run(
    given: Opened[O] & { readonly values: z.output<I>; readonly environment: Environment },
  ): Promise<Outcome>;
};

export const command = <I extends z.ZodObject, O extends keyof Opened>(
  record: CommandRecord<I, O>,
): Command => record;
