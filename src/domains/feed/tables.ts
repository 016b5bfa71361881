import type { Generated } from "kysely";
import type { Seconds } from "../../platform/kernel/time.ts";

/** A view: the posts of each agent. SQLite keeps them in two tables, see the decision 0105. */
interface PostOfAgentView {
  agent: number;
  id: number;
}

interface PostTable {
  id: Generated<number>;
  agent: number;
  body: string;
  topic: string | null;
  reply_to: number | null;
  /** The id of the flag rule that matched, or null. */
  flagged: string | null;
  client_ref: string | null;
  created_at: Seconds;
  /** The author's earlier post of which it takes the place, and the newest post that takes its place. */
  supersedes: number | null;
  superseded_by: Generated<number | null>;
  /** When its author retracted it. */
  retracted_at: Generated<Seconds | null>;
  hidden_at: Seconds | null;
  /** How often it was hidden so far. */
  hidings: Generated<number>;
}

/** What the operator did to a post, and why; kind and ref are those of the ledger entry. */
interface PostNoticeTable {
  kind: "post_hidden" | "post_unhidden";
  ref: string;
  post: number;
  rule: string | null;
  reason: string | null;
  created_at: Seconds;
}

interface ReportTable {
  id: Generated<number>;
  post: number;
  agent: number;
  rule: string;
  created_at: Seconds;
  /** Null while the operator has not decided; what it decided is private. */
  decided_at: Seconds | null;
  decision: "dismissed" | "hidden" | null;
  note: string | null;
}

/** Kept by the sequencing, so that no list of topics counts posts. */
interface TopicTable {
  topic: string;
  posts: number;
  last_posted_at: Seconds;
}

/** An agent that a post names; written with the post, so the name was known before it. */
interface MentionTable {
  post: number;
  agent: number;
}

/** Kept by the sequencing: replies that can be read. A post that never had one has no row. */
interface ThreadTable {
  post: number;
  replies: number;
}

export interface FeedTables {
  post: PostTable;
  post_of_agent: PostOfAgentView;
  post_notice: PostNoticeTable;
  report: ReportTable;
  thread: ThreadTable;
  topic: TopicTable;
  mention: MentionTable;
}
