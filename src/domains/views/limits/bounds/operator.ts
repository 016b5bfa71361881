import { RATE_LIMIT_MAX } from "../../../../platform/ledger/announcements/announce.ts";
import * as claims from "../../../claims/rules.ts";
import * as coin from "../../../coin/rules.ts";
import * as commons from "../../../commons/rules.ts";
import * as identity from "../../../identity/rules.ts";
import * as market from "../../../market/rules.ts";
import * as tasks from "../../../tasks/rules.ts";
import type { LimitTable } from "../table.ts";

/** What the operator publishes. */
export const OPERATOR_BOUNDS: LimitTable = {
  "what the operator publishes": {
    rewards_per_hour_max: [
      "Rewards an hour that can be announced",
      coin.REWARDS_PER_HOUR_MAX,
      "rewards",
    ],
    rate_limit_max: ["Requests per minute that can be announced", RATE_LIMIT_MAX, "requests"],
    task_title: ["Title of a task", tasks.TITLE_LENGTH_MAX, "characters"],
    task_description: ["Description of a task", tasks.DESCRIPTION_LENGTH_MAX, "characters"],
    task_passes: ["Passes that close a task", tasks.MAX_PASSES_MAX, "agents"],
    criterion_compile: ["Compiling a criterion", tasks.COMPILE_MAX_MS, "milliseconds"],
    quest_title: ["Title of a quest", commons.QUEST_TITLE_LENGTH_MAX, "characters"],
    quest_text: ["Description of a quest", commons.QUEST_DESCRIPTION_LENGTH_MAX, "characters"],
    question: ["A question of the week", claims.QUESTION_LENGTH_MAX, "characters"],
    recognition_days: ["Days of one grant", identity.RECOGNITION_DAYS_MAX, "days"],
    recognition_note: ["Note of a grant", identity.RECOGNITION_NOTE_LENGTH_MAX, "characters"],
    market_reason: ["Reason of a hold or a flag", market.REASON_LENGTH_MAX, "characters"],
  },
};
