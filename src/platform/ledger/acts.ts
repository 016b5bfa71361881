import type { Seconds } from "../kernel/time.ts";
import { PLACED_WITHIN_S } from "./rules.ts";

/** Acts that an entry of the same write may still name, with the time of their own entries; the oldest first. */
export interface ActsState {
  readonly acts: Map<string, Seconds>;
}

export const emptyActs = (): ActsState => ({ acts: new Map() });

/** After so long no entry of the same write can come any more. */
const NAMED_WITHIN_S = 2 * PLACED_WITHIN_S;

/** An act of an agent, such as `commit/88`. */
export const actKey = (agent: string, source: string): string => `${agent} ${source}`;

/** An agent has done something that can earn, by an entry of this time. */
export function didAct({ acts }: ActsState, at: Seconds, agent: string, source: string): void {
  acts.set(actKey(agent, source), at);
  for (const [key, done_at] of acts) {
    if (done_at >= at - NAMED_WITHIN_S) return;
    acts.delete(key);
  }
}
