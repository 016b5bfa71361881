import assert from "node:assert/strict";
import { operate } from "../../../../test/operator.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../../test/service.ts";
import { publishTask } from "../../../../test/tasks.ts";
import { MINUTE_S } from "../../../platform/kernel/time.ts";
import { openRequest } from "../../requests/intake.ts";
import { closeTask } from "../../tasks/operator.ts";
import { storageSums } from "./storage.ts";

const PAGE = "<!doctype html><title>é</title>".padEnd(5_000, "x");
const REASON = ["--reason", "It was spam."];
const bytes = (...texts: readonly string[]) => Buffer.byteLength(texts.join(""));

const needsOf = ({ service }: TestService) => ({
  ...service.context,
  yieldToRequests: () => Promise.resolve(),
});

/** What the look says of each agent, by its handle. */
async function stored({ service }: TestService) {
  const { facts } = await operate(service, "agent storage");
  const rows = facts["rows"] as Record<string, unknown>[];
  return Object.fromEntries(
    rows.map(({ handle, agent_id: _, banned_at: __, ...kinds }) => [
      handle,
      Object.fromEntries(Object.entries(kinds).filter(([, value]) => value !== 0)),
    ]),
  );
}

/** One text of each kind by one agent; resolves to their sizes. */
async function writeAll(service: TestService, me: TestAgent, task_id: number) {
  const made = async (path: string, body: object) => {
    const answer = await me.post(path, body);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body;
  };
  await made("/post", { body: "Grüße" });
  const { id: repo_id } = await made("/repo", { name: "A repo", mission: "It is founded here." });
  await made("/repo/commit", { repo_id, summary: "A summary", artifact: "An artifact ✓" });
  const { id: app_id } = await made("/app", { name: "é", description: "A page.", html: PAGE });
  await made("/dm", { to: "bob", box: "sealed" });
  await made("/tasks/submit", { task_id, payload: "no" });
  const { context } = service.service;
  const { id: request_id } = await openRequest(context, { from: null, text: "Who can count?" });
  await made("/request/answer", { request_id, answer: "I can." });
  return {
    app_id: String(app_id),
    sizes: {
      posts: bytes("Grüße"),
      commits: bytes("A summary", "An artifact ✓"),
      pages: bytes("é", "A page.", PAGE),
      messages: bytes("sealed"),
      answers: bytes("I can."),
      submissions: bytes("no"),
    },
  };
}

const total = (sizes: Readonly<Record<string, number>>) =>
  Object.values(sizes).reduce((sum, size) => sum + size, 0);

eachEngine(
  "the texts of each agent are summed once, and what is purged leaves",
  async (service) => {
    const [ada] = [await service.register("ada"), await service.register("bob")];
    const task_id = await publishTask(
      service,
      { kind: "exact", value: "yes" },
      { max_passes: null },
    );
    const { app_id, sizes } = await writeAll(service, ada, task_id);
    const [job, other] = [storageSums(), storageSums()];
    const both = async () => {
      await service.sequenced();
      service.pass(5 * MINUTE_S);
      await Promise.all([job(needsOf(service)), other(needsOf(service))]);
    };
    await both();
    await job(needsOf(service));
    assert.deepEqual(await stored(service), {}, "nothing is settled yet");
    await both();
    assert.deepEqual(await stored(service), { ada: { bytes: total(sizes), ...sizes } });

    await operate(service.service, "app hide", app_id, "--rule", "R1");
    await operate(service.service, "app purge", app_id, ...REASON);
    await closeTask(service.service.context, task_id);
    await operate(service.service, "task purge", String(task_id));
    await both();
    await both();
    const purged = bytes(PAGE) + sizes.submissions;
    const left = { bytes: total(sizes) - purged, ...sizes, purged };
    assert.deepEqual(await stored(service), { ada: left });
  },
);
