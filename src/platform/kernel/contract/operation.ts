import type * as z from "zod";
import type { Share } from "../pools/fair-pool.ts";
import type { ErrorCode, Problem, Rejects } from "./errors.ts";

/** `none`: the token is not looked at. `optional`: a bad one counts as none. `own`: a read about the caller. */
export type Auth = "none" | "optional" | "required";

/** `repeatable`: a repetition changes nothing more. */
type ToolHint = "writes" | "destroys" | "repeatable";

/** Everything that outsiders may know about an operation, and nothing about how it is done. */
export interface Operation<
  In extends z.ZodObject = z.ZodObject,
  Out extends z.ZodObject = z.ZodObject,
  A extends Auth = Auth,
  E extends readonly ErrorCode[] = readonly ErrorCode[],
> {
  readonly method: "GET" | "POST";
  /** Below `/api/v1`; `/` is the base itself. Path parameters in braces: `/agent/{agent_id}`. */
  readonly path: `/${string}`;
  readonly auth: A;
  /** One sentence, shown in the catalogue, in OpenAPI and as the tool's description. */
  readonly summary: string;
  /** Path, query and body in one flat object. */
  readonly input: In;
  /** The success body without `ok`. */
  readonly output: Out;
  /** Beyond the universal codes, in the order in which they are checked. */
  readonly errors: E;
  readonly status?: 201;
  /** The name of its MCP tool; a record without one is a document or says why not. */
  readonly tool?: string;
  /** What a host should know of the tool before it calls it; a GET reads only, unless it `writes`. */
  readonly hints?: readonly ToolHint[];
  /** Its name among the documents, which one tool and one kind of resource serve; without parameters. */
  readonly document?: string;
  /**
   * Its name where the tool `item_get` calls it: it shows the object that its path names, or a list that
   * belongs to it. The tool's `kind` is the name without its last word.
   */
  readonly item?: string;
  /** Why it is none of these. */
  readonly noTool?: string;
  /** A public read that is made anew each time (`/challenge`, `/since`). */
  readonly uncached?: true;
  /**
   * The list of its answer whose members a stream sends, each as an event of this name (SSE). `filter`: a field
   * of the input with words joined by commas, of which a member of the list has one under `by`.
   */
  readonly live?: {
    readonly list: string;
    readonly event: string;
    readonly filter?: { readonly field: string; readonly by: string };
  };
  /**
   * A public read that stored data and the input alone decide: neither the time nor anything that this
   * process has seen. Its answers are kept until data change.
   */
  readonly timeless?: true;
  /** A long page is read in steps (`cutInSteps`), so it holds few items at a time. */
  readonly inSteps?: true;
  /** Changes only with a deploy or the configuration, so answers may be kept for this many seconds. */
  readonly maxAge_s?: number;
  /** The path, below `/api/v1`, that does the same: this one is for clients of another service. */
  readonly alias_of?: `/${string}`;
  /** Bytes of body that are accepted, where 128 KiB is not right. */
  readonly bodyMax_bytes?: number;
  /** Passes when the caller's bytes of the day are spent: it brings no text and has an end by itself. */
  readonly quotaFree?: true;
  /** Ends a token of the caller: other writes that count on one wait for it. */
  readonly endsToken?: true;
  /** Answers a token in place of the caller's: a host that sends the old one in its header cannot call it. */
  readonly givesToken?: true;
  /** Fields that take `true` and `false` as well, in JSON or as text: for 1 and 0, or for these words. */
  readonly booleans?: readonly string[];
  /** The ref by which its handler shows this write again, as it is then (`repeated`). */
  again?(output: z.input<Out>): string;
  /** Fields of its answer, at any depth, whose values only a write that is made has: null in a trial. */
  readonly drawn?: readonly string[];
  /** Probable mistakes in an accepted input, for the hints of the answer. */
  doubts?(input: z.output<In>): readonly Problem[];
  /** A request that works as it stands, for OpenAPI and the documents. */
  readonly example?: z.input<In>;
}

type Operations = Readonly<Record<string, Operation>>;

/** Where a contract keeps what is said of its domain: a symbol, so that folds over it do not meet it. */
export const DOMAIN: unique symbol = Symbol("domain");

/** What the documents say of a domain as a whole. */
interface Domain {
  /** One sentence about all of its operations. */
  readonly summary: string;
  /** The objects that several operations show, by their names in the OpenAPI document. */
  readonly shapes?: Readonly<Record<string, z.ZodType>>;
}

export type Described = { readonly [DOMAIN]: Domain };

/** The operations of one domain by name. */
export type Contract = Operations & Described;

/** Contracts by domain. */
export type Contracts = Readonly<Record<string, Contract>>;

type Caller<A extends Auth, Agent> = A extends "required"
  ? Agent
  : A extends "optional"
    ? Agent | null
    : null;

/** Calls `end` once when the caller is gone, unless what it returns was called before. */
export type OnDisconnect = (end: () => void) => () => void;

/** A caller that may wait during a call. */
export interface Waiter {
  /** Whom its wait is charged to, and how many waits those may have at once; one more ends an older one. */
  readonly shares: () => readonly Share[];
  readonly onDisconnect: OnDisconnect;
  /** Gives up the caller's place among those that are worked on, for good: a wait is no work. */
  readonly leaveSlot: () => void;
}

/** Keyed hashes of what a sender's address lies in: 8 bytes each, kept in memory only. */
export interface SenderNames {
  /** IPv4: the address. IPv6: its /64. */
  readonly network: string;
  /** IPv6: the /48 above it. Null for IPv4. */
  readonly site: string | null;
}

/** A sender whose address is known. */
export interface Sender extends SenderNames {
  /** Its names under the key before, which holds for an hour after its end. */
  readonly earlier: SenderNames | null;
}

/** What a handler knows of the one call that it answers, beside the input. */
export interface Asked<Agent> {
  readonly agent: Agent;
  /** Where a token is optional: one was sent and is not valid, so the caller is nobody. */
  readonly isTokenRefused?: boolean;
  /** Null when its address is unknown. Unset where the answer is for everybody. */
  readonly sender?: Sender | null;
  /** The ref of the write that was the same: nothing is to be written again. */
  readonly repeated?: string | null;
  /** Says something in the hints of the answer. */
  readonly hint?: (problem: Problem) => void;
  /**
   * Runs `work` once the whole answer was handed to the caller's connection; never when that failed,
   * and not for certain even then: the process may end in between.
   */
  readonly afterAnswer: (work: () => Promise<unknown>) => void;
}

/** How a surface calls an operation. */
export interface Invocation<Agent> extends Omit<Asked<Agent>, "repeated" | "hint"> {
  /** Fields that the operation does not know are refused, and not ignored. */
  readonly isStrict?: boolean;
  /** One mark stands for one content: another one under it is refused, and not a second write. */
  readonly isMarkStrict?: boolean;
  /** Its protocol carries no signature of an act key, so a trial must say that the write needs one. */
  readonly isUnsignable?: true;
  /** What the answer of a write says first of all. */
  readonly notices?: readonly Problem[];
  /** Where the caller of a read may wait before it is answered. */
  readonly waiter?: Waiter;
  /** Looks the agent up again, after a wait. Rejects with a 401 code once its token has ended. */
  readonly stillCaller?: () => Promise<unknown>;
}

/** The same keys as the contract: a missing handler, or one too many, does not compile. */
export type Handlers<C extends Contract, Context, Agent> = {
  readonly [K in keyof C & string]: (
    context: Context & Asked<Caller<C[K]["auth"], Agent>> & Rejects<C[K]["errors"][number]>,
    input: z.output<C[K]["input"]>,
  ) => Promise<z.output<C[K]["output"]>>;
};

/** The same domains as the table, each with its handlers. */
export type HandlersOf<T extends Contracts, Context, Agent> = {
  readonly [D in keyof T]: Handlers<T[D], Context, Agent>;
};

/** Keeps the record's literal types, which the handlers' and the client's types are made of. */
export const operation = <
  In extends z.ZodObject,
  Out extends z.ZodObject,
  const A extends Auth,
  const E extends readonly ErrorCode[],
  const T extends string = never,
  const I extends string = never,
>(
  record: Operation<In, Out, A, E> & { readonly tool?: T; readonly item?: I },
): Operation<In, Out, A, E> & { readonly tool?: T; readonly item?: I } => record;

export const domain = <const Ops extends Operations>({
  operations,
  ...said
}: Domain & { readonly operations: Ops }): Ops & Described => ({ ...operations, [DOMAIN]: said });
