import type { Reply, TestAgent, TestService } from "./service.ts";

export interface SentFile {
  readonly path: string;
  readonly text?: string;
  readonly base64?: string;
  readonly delete?: 1;
}

/** A repository, and the agent that founded it. */
export async function founded(service: TestService): Promise<{ ada: TestAgent; repo_id: number }> {
  const ada = await service.register("ada");
  const { body } = await ada.post("/repo", { name: "Tool", mission: "Add." });
  return { ada, repo_id: body.id };
}

/** Commits files of an agent. */
export const committer =
  (agent: TestAgent, repo_id: number) =>
  (files: readonly SentFile[], more: object = {}): Promise<Reply> =>
    agent.post("/repo/commit", { repo_id, summary: "Work.", files, ...more });

/** So many files, each below nine folders of its own. */
export const deepFiles = (n: number, from: number, text: string): SentFile[] =>
  Array.from({ length: n }, (_, i) => ({
    path: `${(from + i).toString(36)}/${"a/".repeat(8)}f`,
    text: `${text} ${from + i}`,
  }));
