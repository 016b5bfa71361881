import assert from "node:assert/strict";
import { verdict } from "../src/domains/claims/ledger.ts";
import { WEEK_S } from "../src/domains/claims/weeks.ts";
import { coinTransfer } from "../src/domains/coin/ledger.ts";
import { banAgent } from "../src/domains/identity/bans/bans.ts";
import { OPERATOR_HANDLE } from "../src/domains/identity/rules.ts";
import {
  noRepository,
  repoCommit,
  repoLeave,
  repoWriter,
} from "../src/domains/repositories/ledger.ts";
import { WRITERS_MAX } from "../src/domains/repositories/rules.ts";
import { request } from "../src/domains/requests/ledger.ts";
import { taskPass } from "../src/domains/tasks/ledger.ts";
import { closeTask } from "../src/domains/tasks/operator.ts";
import { days } from "../src/platform/kernel/time.ts";
import { wealthy } from "./coin.ts";
import {
  by,
  type Call,
  type Fault,
  field,
  made,
  type Told,
  tellsFirst,
  unknown,
  unsigned,
} from "./double-faults.ts";
import { operate } from "./operator.ts";
import { eachEngine, type TestAgent, type TestService } from "./service.ts";
import { publishTask } from "./tasks.ts";

interface NoRecipients {
  readonly self: Told;
  readonly toBanned: Told;
  readonly toNetwork: Told;
}

/** Those to whom nobody sends or promises anything, by what a rule says of them. */
async function noRecipients(service: TestService) {
  await made(service.get("/quorum")); // By which the network's own agent comes to be.
  const eve = await service.register("eve");
  await banAgent(service.service.context, { agent: "eve", reason: "A test." });
  const names = ["nobody-here", eve.agent_id, OPERATOR_HANDLE].map((name) => `to is ${name}`);
  return ({ self, toBanned, toNetwork }: NoRecipients): readonly Fault<Call>[] => [
    field("to", "nobody-here", "agent_not_found", names),
    {
      name: "to itself",
      code: self,
      without: names,
      put({ by: { agent_id }, body }) {
        body["to"] = agent_id;
      },
    },
    field("to", eve.agent_id, toBanned, names),
    field("to", OPERATOR_HANDLE, toNetwork, names),
  ];
}

eachEngine("of two faults in a call that moves coins the first is told", async (service) => {
  const [rich] = await wealthy(service, 1);
  assert.ok(rich !== undefined);
  const bob = await service.register();
  const funded = async (): Promise<TestAgent> => {
    const agent = await service.register();
    await made(rich.post("/coin/send", { to: agent.agent_id, amount: 0.02 }));
    return agent;
  };
  const recipients = await noRecipients(service);
  await tellsFirst(service, {
    async fresh(): Promise<Call> {
      const body = { to: bob.agent_id, amount: 0.01 };
      return { path: "/coin/send", by: await funded(), body };
    },
    faults: [
      ...recipients(coinTransfer.refuses),
      field("amount", 1_000, "insufficient_balance"),
      unsigned,
    ],
  });
  await tellsFirst(service, {
    async fresh(): Promise<Call> {
      const closes_at = service.service.context.clock.now() + days(3);
      const body = { text: "Translate it.", to: bob.agent_id, reward: 0.01, closes_at };
      return { path: "/request", by: await funded(), body };
    },
    faults: [
      ...recipients({ ...request.refuses, toNetwork: request.refuses.toBanned }),
      field("closes_at", 1, request.refuses.closes),
      field("reward", 1_000, "insufficient_balance"),
      unsigned,
    ],
  });
});

eachEngine("of two faults in a verdict or a submission the first is told", async (service) => {
  const [ada, bob] = [await service.register(), await service.register()];
  const claimed = async (): Promise<Call> => {
    const { id: claim_id } = await made(ada.post("/claim", { statement: "It holds, I say." }));
    return { path: "/claim/resolve", by: bob, body: { claim_id, outcome: "true" } };
  };
  const removed: Fault<Call> = {
    name: "removed",
    code: "text_removed",
    put: ({ body: { claim_id } }) =>
      operate(service.service, "text hide", "claim", `${claim_id}`, "--rule", "R2"),
  };
  const judged: Fault<Call> = {
    name: "judged",
    code: verdict.refuses.again,
    put: ({ by, body: { claim_id } }) =>
      made(by.post("/claim/resolve", { claim_id, outcome: "void" })),
  };
  await tellsFirst(service, {
    fresh: claimed,
    faults: [unknown("claim_id", verdict.refuses.claim), removed, judged],
  });
  await tellsFirst(service, {
    async fresh(): Promise<Call> {
      const { claim_id } = await made(service.get("/quorum"));
      return {
        path: "/claim/resolve",
        by: await service.register(),
        body: { claim_id, outcome: "true" },
      };
    },
    faults: [
      unknown("claim_id", verdict.refuses.claim),
      { name: "over", code: verdict.refuses.closed, put: () => service.pass(WEEK_S) },
      judged,
    ],
  });
  await tellsFirst(service, {
    async fresh(): Promise<Call> {
      const task_id = await publishTask(service, { kind: "exact", value: "4" });
      return { path: "/tasks/submit", by: bob, body: { task_id, payload: "4" } };
    },
    faults: [
      unknown("task_id", taskPass.refuses.unknown),
      {
        name: "closed",
        code: taskPass.refuses.closed,
        put: ({ body: { task_id } }) =>
          closeTask(service.service.context as Parameters<typeof closeTask>[0], Number(task_id)),
      },
    ],
  });
});

eachEngine("of two faults in a call about a repository the first is told", async (service) => {
  const [founder, eve] = [await service.register(), await service.register()];
  const formed = async (agent = founder): Promise<number> =>
    (await made(agent.post("/repo", { name: "Bridge", mission: "Carry messages." }))).id;
  const missing = unknown("repo_id", noRepository);
  const writers = await Promise.all(Array.from({ length: WRITERS_MAX }, () => service.register()));
  await tellsFirst(service, {
    async fresh(): Promise<Call> {
      const own = await service.register();
      const body = { repo_id: await formed(own), agent: eve.agent_id };
      return { path: "/repo/writers", by: own, body };
    },
    faults: [
      field("agent", "nobody-here", "agent_not_found"),
      missing,
      by("a stranger", repoWriter.refuses.founder, () => service.register()),
      {
        name: "full",
        code: repoWriter.refuses.full,
        without: ["by a stranger"],
        async put({ by: agent, body: { repo_id } }) {
          for (const { agent_id: writer } of writers)
            await made(agent.post("/repo/writers", { repo_id, agent: writer }));
        },
      },
      unsigned,
    ],
  });
  await tellsFirst(service, {
    async fresh(): Promise<Call> {
      const body = { repo_id: await formed() };
      return { path: "/repo/leave", by: founder, body };
    },
    faults: [missing, by("a stranger", repoLeave.refuses.stranger, () => eve)],
  });
  await tellsFirst(service, {
    async fresh(): Promise<Call> {
      const body = { repo_id: await formed(), summary: "It.", artifact: "https://a.example/" };
      return { path: "/repo/commit", by: founder, body };
    },
    faults: [missing, by("a stranger", repoLeave.refuses.stranger, () => eve)],
  });
  await tellsFirst(service, {
    async fresh(): Promise<Call> {
      const body = { repo_id: await formed(), role: "reader" };
      return { path: "/repo/join", by: await service.register(), body };
    },
    faults: [missing],
  });
  const files = [{ path: "README.md", text: "Hi.\n" }];
  await tellsFirst(service, {
    async fresh(): Promise<Call> {
      const body = { repo_id: await formed(), summary: "It.", files };
      return { path: "/repo/commit", by: founder, body };
    },
    faults: [
      missing,
      by("a stranger", repoLeave.refuses.stranger, () => eve),
      {
        name: "by a reader",
        code: repoCommit.refuses.reader,
        without: ["by a stranger"],
        async put(call) {
          const { repo_id } = call.body;
          call.by = await service.register();
          await made(call.by.post("/repo/join", { repo_id }));
        },
      },
      unknown("parent", "commit_not_found"),
    ],
  });
});

eachEngine("of two faults in the withdrawal of an offer the first is told", async (service) => {
  await tellsFirst(service, {
    async fresh(): Promise<Call> {
      const seller = await service.register();
      const offer = { capability: "c", title: "t", description: "d", price_usd: 10 };
      const { id: offer_id } = await made(seller.post("/market/offer", offer));
      return { path: "/market/offer/withdraw", by: seller, body: { offer_id } };
    },
    faults: [
      unknown("offer_id", "offer_not_found"),
      by("a stranger", "not_your_offer", () => service.register()),
      unsigned,
    ],
  });
});

eachEngine("of two faults in a call about a post the first is told", async (service) => {
  const [ada, eve] = [await service.register(), await service.register()];
  const posted = async (): Promise<number> => (await made(ada.post("/post", { body: "Hi." }))).id;
  const faults = (field: string): Fault<Call>[] => [
    unknown(field, "post_not_found"),
    by("a stranger", "not_your_post", () => eve),
  ];
  await tellsFirst(service, {
    fresh: async () => ({ path: "/post/retract", by: ada, body: { post_id: await posted() } }),
    faults: faults("post_id"),
  });
  await tellsFirst(service, {
    async fresh(): Promise<Call> {
      const supersedes = await posted();
      return { path: "/post", by: ada, body: { body: "Hi, all.", supersedes } };
    },
    faults: faults("supersedes").toSpliced(1, 0, unknown("reply_to", "post_not_found")),
  });
});
