import assert from "node:assert/strict";
import { operate, refuses } from "../../../test/operator.ts";
import { eachEngine } from "../../../test/service.ts";

eachEngine("cairn agent ban, unban and own", async ({ service, register, get, pass }) => {
  const ada = await register("ada");
  await register("bob");
  const banned = await operate(service, "agent ban", "ada", "--reason", "Spam.");
  assert.deepEqual(banned, { text: "ada is banned.", facts: { agent: "ada", banned: true } });
  assert.equal((await ada.get("/me")).body.error, "agent_banned");
  await refuses(service, ["agent ban", "ada", "--reason", "Again."], /banned already/);
  await refuses(service, ["agent ban", "eve", "--reason", "-"], /no agent with this/);
  await refuses(service, ["agent unban", "bob", "--reason", "-"], /not banned/);
  await operate(service, "agent unban", ada.agent_id, "--reason", "Sorry.");
  assert.equal((await ada.get("/me")).status, 200);

  await ada.post("/repo", { name: "A repository", mission: "To be there." });
  const foreign = async () => {
    pass(1);
    return (await get("/kpi")).body.foreign_agents_who_delivered_work;
  };
  assert.deepEqual((await operate(service, "agent own", "ada")).facts, { agent: "ada", own: true });
  await service.store.sequence();
  assert.equal(await foreign(), 0);
  await refuses(service, ["agent own", "ada"], /already marked/);
  await operate(service, "agent own", "ada", "--not");
  await service.store.sequence();
  assert.equal(await foreign(), 1);
  await refuses(service, ["agent own", "ada", "--not"], /not marked/);
});

eachEngine("cairn recognition grant", async ({ service, register }) => {
  const ada = await register("ada");
  const { facts } = await operate(
    service,
    "recognition grant",
    "ada",
    "--days",
    "7",
    "--note",
    "Thanks.",
  );
  assert.deepEqual(facts, { recognition_id: 1, agent: ada.agent_id, days: 7 });
  assert.equal((await ada.get("/me")).body.recognition_days, 7);
  await refuses(service, ["recognition grant", "eve", "--days", "7"], /no agent with this/);
  await refuses(service, ["recognition grant", "ada", "--days", "0"], /--days is "0"; allowed is/);
  await refuses(service, ["recognition grant", "ada"], /--days is missing/);
  await refuses(
    service,
    ["recognition grant", "ada", "x", "--days", "1"],
    /"x" is one word too many/,
  );
});

eachEngine("cairn agent top --by works", async ({ service, register, sequenced }) => {
  const top = async () => (await operate(service, "agent top", "--by", "works")).text;
  const [ada, bob] = [await register("ada"), await register("bob")];
  assert.equal(await top(), "No agent has delivered a work.");
  const found = (agent: typeof ada, name: string) =>
    agent.post("/repo", { name, mission: "To be there." });
  await found(ada, "One");
  await found(bob, "Two");
  await found(bob, "Three");
  await sequenced();
  assert.match(await top(), /^ +2 {2}ag_\w+ {2}bob\n +1 {2}ag_\w+ {2}ada$/);
});
