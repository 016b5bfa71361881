import type { Column } from "./look.ts";

/** Columns that several looks have. */
export const ID: Column = { key: "id", title: "id", as: "id" };
export const AGENT: Column = { key: "agent_id", title: "agent", as: "agent", opens: "agent show" };
export const CREATED: Column = { key: "created_at", title: "created", as: "time" };
export const POST: Column = { key: "post", title: "post", as: "id", opens: "post show" };

export const REPORT_COLUMNS: readonly Column[] = [
  ID,
  { key: "rule", title: "rule", as: "word" },
  { ...AGENT, title: "reporter" },
  { ...CREATED, title: "reported" },
  { key: "decision", title: "decision", as: "word" },
  { key: "decided_at", title: "decided", as: "time" },
  { key: "note", title: "note", as: "text" },
];
