import type { Seconds } from "../../platform/kernel/time.ts";

/** Something that is wrong: its name, a sentence, what to do, and since when this process has found it. */
export interface Finding {
  readonly name: string;
  /** A warning makes no probe fail. */
  readonly state: "fault" | "warning";
  readonly sentence: string;
  readonly advice: string;
  readonly since: Seconds;
}
