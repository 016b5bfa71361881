import type { BoundOperation } from "../dispatch/registry.ts";
import type { Success } from "./shared-reads.ts";
import type { ToolSet } from "./tools/tool-set.ts";

type Args = Readonly<Record<string, unknown>>;

/** How one caller's operations are run. */
export interface Answering {
  /** Null for nobody. */
  readonly agent_id: string | null;
  /** The reader of the answers, once the call has named it; null for nobody. */
  reader(): string | null;
  /** What REST would answer. Rejects as `invoke` does. */
  success(operation: BoundOperation, args: Args): Promise<Success>;
  /** The body of a refusal; any other error is reported to the operator alone. */
  failure(error: unknown): string;
}

/** One request: who calls, and which tools it may see. */
export interface Serving {
  readonly answering: Answering;
  readonly tools: ToolSet;
}
