import assert from "node:assert/strict";
import { generateKeyPairSync, hash, sign } from "node:crypto";
import { test } from "node:test";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine, type TestAgent } from "../../../test/service.ts";
import { addTask, closeTask } from "./operator.ts";
import { addStarterTasks, STARTER_TASKS } from "./starter-tasks.ts";

/**
 * A stranger's way to each answer, made from the task's description alone: nothing of the service's
 * own code is used here, so a description that says too little, or something wrong, shows.
 */
type Solver = (description: string, me: TestAgent, task_id: number) => Promise<unknown>;

const sha = (...parts: readonly (string | Buffer)[]): string =>
  hash("sha256", Buffer.concat(parts.map((part) => Buffer.from(part))), "hex");
const pair = (left: string, right: string): string =>
  sha(Buffer.from(left, "hex"), Buffer.from(right, "hex"));

function treeRoot(leaves: readonly string[]): string {
  if (leaves.length === 1) return leaves[0] ?? "";
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return pair(treeRoot(leaves.slice(0, k)), treeRoot(leaves.slice(k)));
}

/** RFC 8785 for a document without surprises in its numbers: ECMAScript's own are the shortest. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(Reflect.get(value, name))}`)}}`;
}

const SOLVERS: Readonly<Record<string, Solver>> = {
  "Recompute the root of a seal": async (text, { agent_id }) =>
    `${treeRoot(text.match(/^[0-9a-f]{64}$/gm) ?? [])}:${agent_id}`,

  "Fold an inclusion proof up to its root": async (text, { agent_id }) => {
    let folded = /^leaf: (.+)$/m.exec(text)?.[1] ?? "";
    for (const { side, hash } of JSON.parse(/^path, .+?: (.+)$/m.exec(text)?.[1] ?? ""))
      folded = side === "left" ? pair(hash, folded) : pair(folded, hash);
    return `${folded}:${agent_id}`;
  },

  "Find the broken link in a chain of seals": async (text, { agent_id }) => {
    const seals = text
      .split("\n")
      .filter((row) => row.startsWith("{"))
      .map((row) => JSON.parse(row));
    const i = seals.findIndex(({ prev_root }, i) => prev_root !== (seals[i - 1]?.root ?? null));
    return `${seals[i].seq}:${seals[i - 1].root}:${agent_id}`;
  },

  "Hash a ledger entry": async (text, { agent_id }) => {
    const entry = /^agent-network\/ledger-entry\/v1\n.+$/m.exec(text)?.[0] ?? "";
    return `${sha("\0", entry)}:${agent_id}`;
  },

  "Write JSON in its canonical form": async (text, { agent_id }) => {
    const document = text.split("\n").find((row) => row.startsWith("{")) ?? "";
    return `${sha(canonical(JSON.parse(document)))}:${agent_id}`;
  },

  "Prove some work, in your own name": async (text, { agent_id }) => {
    const bits = Number(/(\d+) zero bits/.exec(text)?.[1]);
    for (let n = 0; ; n++) {
      const digest = sha(`cairn:starter:${agent_id}:${n}`);
      if (Number.parseInt(digest.slice(0, 8), 16) < 2 ** (32 - bits)) return String(n);
    }
  },

  "Publish a signing key and sign with it": async (_, me, task_id) => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const { x } = publicKey.export({ format: "jwk" });
    await me.post("/profile", { capabilities: [`sig:ed25519:${x}`] });
    const message = `agent-network/starter/${task_id}/${me.agent_id}`;
    return sign(null, Buffer.from(message), privateKey).toString("base64");
  },

  "Say in JSON what you can do": async (_, { agent_id }) => ({
    agent_id,
    skills: [{ name: "add", input: "two whole numbers", output: "their sum" }],
  }),
};

eachEngine("a stranger solves every starter task by its description alone", async (service) => {
  await addStarterTasks(service.service.context);
  const { tasks } = (await service.get("/tasks")).body;
  assert.equal(tasks.length, STARTER_TASKS.length);
  const agents = [await service.register("ada"), await service.register("bob")];
  for (const { id, title, description, max_passes } of tasks) {
    assert.equal(max_passes, null);
    for (const me of agents) {
      const payload = await SOLVERS[title]?.(description, me, id);
      const sent = { task_id: id, payload };
      const foreign = agents.find((agent) => agent !== me)?.post("/tasks/submit?dry_run=1", sent);
      assert.equal((await foreign)?.body.passed, false, `${title}: an answer is one agent's own`);
      const { body } = await me.post("/tasks/submit", sent);
      assert.equal(body.passed, true, `${title}: ${JSON.stringify(body.checks)}`);
      assert.equal(body.reward.entitlement.source, `task/${id}`);
    }
    assert.equal((await service.get(`/tasks/${id}`)).body.task.passes, 2);
  }
});

test("a description names one form of an answer", () => {
  for (const { description } of STARTER_TASKS) {
    const forms = description.match(/\S+(?= is the form)/g) ?? [];
    assert(forms.length <= 1, `${forms}`);
  }
});

eachEngine("starter tasks come once, also when two nodes bring them", async (service) => {
  const { context } = service.service;
  await Promise.all([addStarterTasks(context), addStarterTasks(context)]);
  await closeTask(context, 1);
  await addStarterTasks(context);
  await service.sequenced();
  const entries = await readLedger(service);
  assert.equal(entries.filter(({ kind }) => kind === "task").length, STARTER_TASKS.length);
  assert.equal((await service.get("/tasks")).body.count, STARTER_TASKS.length - 1);
});

eachEngine("starter tasks are tasks that an operator could publish", async (service) => {
  const { context, criteria } = service.service;
  for (const { starter, ...task } of STARTER_TASKS)
    await addTask(context, criteria.heavy, { ...task, max_passes: null });
  assert.equal((await service.get("/tasks")).body.count, STARTER_TASKS.length);
});
