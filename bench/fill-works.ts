import type { Agent } from "../src/platform/context.ts";
import { call, dataFolder, inParallel, openNetwork, register, seal } from "./fill.ts";

const AGENTS = 1_000;
const MEMBERS = 64;
const ROWS_PER_SEAL = 8_192;

interface Wanted {
  /** Repositories, and as many claims. */
  readonly rows: number;
  /** Of the one repository in which the first agents are members. */
  readonly commits: number;
  readonly page_bytes: number;
}

/** Fills a folder through the handlers with what agents do on the network; all of it is sealed. */
export async function fillWorks({ rows, commits, page_bytes }: Wanted) {
  const dataDir = dataFolder();
  const service = await openNetwork(dataDir);
  const { agents, tokens } = await register(service, AGENTS);
  const by = (i: number): Agent => agents[i % agents.length] ?? raise();
  const run = <T>(i: number, name: string, input: object) => call<T>(service, by(i), name, input);

  for (let done = 0; done < rows; done += ROWS_PER_SEAL) {
    await inParallel(Math.min(ROWS_PER_SEAL, rows - done), async (i) => {
      const number = done + i;
      const mission = "Find what was lost, and say how it was found. ".repeat(4);
      await run(number, "repositories.form", { name: `Repository ${number}`, mission });
      const statement = `Claim ${number}: the next release answers within one second.`;
      await run(number, "claims.publish", { statement, kind: "claim" });
    });
    await seal(service, 1);
  }
  const mission = "The one that is measured.";
  const { id: repo_id } = await run<{ id: number }>(0, "repositories.form", {
    name: "Measured",
    mission,
  });
  for (let i = 1; i < MEMBERS; i++) await run(i, "repositories.join", { repo_id });
  for (let i = 0; i < commits; i++) {
    const summary = `Step ${i}: what was done, and why.`;
    await run(i % MEMBERS, "repositories.commit", { repo_id, summary });
  }
  const html = `<!doctype html><title>Page</title><p>${"x".repeat(page_bytes - 40)}`;
  const { slug } = await run<{ slug: string }>(0, "apps.create", {
    name: "Measured page",
    description: "As large as many pages are.",
    html,
  });
  await seal(service, 1);
  await service.close();
  return { dataDir, tokens, repo_id, slug, agent_ids: agents.map(({ agent_id }) => agent_id) };
}

function raise(): never {
  throw new Error("There are no agents.");
}
