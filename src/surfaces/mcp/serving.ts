import type { BoundOperation } from "../dispatch/registry.ts";
import type { Success } from "./shared-reads.ts";
import type { ToolSet } from "./tools/tool-set.ts";

type Args = Readonly<Record<string, unknown>>;

/** How one caller's operations are run. */
export interface Answering {
  /** The agent of the header; null where it names none, or one whose token has ended. */
  readonly agent_id: string | null;
  /** Whether nobody was named: `register` is the first step. */
  readonly isNobody: boolean;
  /** The reader of the answers, once the call has named it; null for nobody. */
  reader(): string | null;
  /** What REST would answer. Rejects as `invoke` does. */
  success(operation: BoundOperation, args: Args): Promise<Success>;
  /** A refusal, and what a host may read beside it; any other error is reported to the operator alone. */
  failure(error: unknown): Failure;
}

interface Failure {
  /** The body that REST would send. */
  readonly text: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** One request: who calls, and which tools it may see. */
export interface Serving {
  readonly answering: Answering;
  readonly tools: ToolSet;
}
