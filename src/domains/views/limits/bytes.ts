import {
  MIB,
  NETWORK_PART,
  NEWCOMER_MAX_BYTES,
  ROW_BYTES,
  SMALL_MAX_BYTES,
} from "../../quota/rules.ts";
import type { ServiceFacts } from "../facts.ts";
import type { LimitTable } from "./table.ts";

const OFF = "; none is enforced today";

/** What an agent may store, and what the disk may take on a day. */
export const byteLimits = ({
  agentMibPerDay,
  diskDays,
}: Pick<ServiceFacts, "agentMibPerDay" | "diskDays">): LimitTable => ({
  "every write": {
    bytes_per_day: [
      `Bytes that one agent may store on a UTC day: its texts, and ${ROW_BYTES} for each row${agentMibPerDay === 0 ? OFF : ""}`,
      agentMibPerDay === 0 ? null : agentMibPerDay * MIB,
      "bytes per agent and day",
    ],
  },
  "large writes": {
    disk_days: [
      `Days that the free disk must last; half of a day's part is for newcomers, and a half that is used up refuses large writes${diskDays === 0 ? OFF : ""}`,
      diskDays === 0 ? null : diskDays,
      "days",
    ],
    small_write: [
      "Text up to which a write is small and passes",
      SMALL_MAX_BYTES,
      "bytes of UTF-8",
    ],
    newcomer_bytes: [
      "A newcomer's large writes on a day, where the disk must last",
      NEWCOMER_MAX_BYTES,
      "bytes",
    ],
    newcomers_of_network: [
      "The newcomers of one network get at most this part of the newcomers' half, evenly over the hours; each process of a node counts for itself",
      `1/${NETWORK_PART}`,
      "of the half",
    ],
  },
});
