import { ANSWER_BOUNDS } from "./bounds/answers.ts";
import { APPLICATION_BOUNDS } from "./bounds/applications.ts";
import { FILE_BOUNDS } from "./bounds/files.ts";
import { LEDGER_BOUNDS } from "./bounds/ledger.ts";
import { MESSAGE_BOUNDS } from "./bounds/messages.ts";
import { MONEY_BOUNDS } from "./bounds/money.ts";
import { OPERATOR_BOUNDS } from "./bounds/operator.ts";
import { WORK_BOUNDS } from "./bounds/work.ts";
import type { LimitTable } from "./table.ts";

/** Every bound that is neither in the schema of a request nor in a row of the specification. */
export const RULE_LIMITS: readonly LimitTable[] = [
  ANSWER_BOUNDS,
  APPLICATION_BOUNDS,
  MESSAGE_BOUNDS,
  WORK_BOUNDS,
  FILE_BOUNDS,
  MONEY_BOUNDS,
  LEDGER_BOUNDS,
  OPERATOR_BOUNDS,
];
