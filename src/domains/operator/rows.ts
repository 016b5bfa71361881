import { local } from "../../platform/ledger/rows/columns.ts";

/** Tables of what only the operator sees. */
export const otherTables = {
  agent_storage: local(
    ...(["agent", "bytes", "posts", "commits", "pages", "messages"] as const),
    ...(["requests", "answers", "submissions", "purged"] as const),
  ),
  storage_mark: local("name", "through_id"),
  operator_act: local("id", "at", "person", "via", "act", "given", "result"),
  figure_sample: local("step_s", "at", "figures"),
} as const;
