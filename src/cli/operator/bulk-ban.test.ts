import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readLedger } from "../../../test/invariants.ts";
import { operate, refuses } from "../../../test/operator.ts";
import { eachEngine, START, type TestService } from "../../../test/service.ts";
import { newAgentId } from "../../domains/identity/agents.ts";
import { banAll, meantByRegistration } from "../../domains/identity/bans/bulk-bans.ts";
import { insertPresence } from "../../domains/identity/queries.ts";
import { rows } from "../../domains/identity/rows.ts";
import { enactSurely } from "../../platform/ledger/rows/enact.ts";

const COMMAND = "agent ban";
const WHY = ["--reason", "A flood."] as const;
const HOUR = ["--registered", `${START + 10}/${START + 3_600}`] as const;
const ALL = { from: START + 10, to: START + 3_600, works_max: 1_000 };

/** Agents as registering makes them, all in one write. */
async function flood({ service }: TestService, count: number): Promise<void> {
  const { write, random, clock } = service.context;
  await write(async (tx) => {
    const created_at = clock.now();
    for (let done = 0; done < count; done++) {
      const agent_id = newAgentId(random);
      const registered = { agent: agent_id, handle: null, ref: null };
      const { id } = await enactSurely(tx, rows.agent, registered, created_at);
      await insertPresence.run(tx, { agent: id, at: created_at });
    }
  });
}

const bansIn = async (service: TestService) => {
  await service.sequenced();
  return (await readLedger(service)).filter(({ kind }) => kind === "agent_banned");
};

eachEngine(
  "a bulk ban of 1,000 agents shows them, needs their count and can be cut off",
  async (tested) => {
    const { service, register, pass } = tested;
    const early = await register("early");
    pass(10);
    await flood(tested, 998);
    const [worker, own] = [await register("worker"), await register("own")];
    const [banned, last] = [await register("banned"), await register("last")];
    await worker.post("/repo", { name: "A repository", mission: "To be there." });
    await operate(service, "agent own", "own");
    await operate(service, COMMAND, "banned", "--reason", "Another.");
    pass(3_600);
    const late = await register("late");
    await tested.sequenced();

    const shown = await operate(service, COMMAND, ...HOUR, "--works-max", "0", ...WHY);
    assert.equal(shown.facts["count"], 999);
    const { examples } = shown.facts;
    assert.ok(Array.isArray(examples) && examples.length === 20);
    assert.match(
      shown.text,
      /^999 agents are meant\. Nothing was changed; --yes 999 bans them\.\n/,
    );
    assert.match(shown.text, /\n {2}and 979 more$/);
    assert.equal((await operate(service, COMMAND, ...HOUR, ...WHY)).facts["count"], 1_000);
    await refuses(
      service,
      [COMMAND, ...HOUR, ...WHY, "--yes", "999"],
      /1000 agents are meant and not 999/,
    );
    assert.equal((await last.get("/me")).status, 200, "nobody is banned yet");
    assert.equal((await bansIn(tested)).length, 1);

    const cutOff = new Error("The process ended here.");
    let writes = 0;
    const write: typeof service.context.write = (work) => {
      if (++writes > 1) throw cutOff;
      return service.context.write(work);
    };
    const meant = await meantByRegistration(service.context.read, ALL, "A flood.");
    await assert.rejects(banAll({ ...service.context, write }, meant, "A flood."), cutOff);
    assert.equal((await bansIn(tested)).length, 501);
    const half = await operate(service, COMMAND, ...HOUR, ...WHY);
    assert.match(half.text, /^1000 agents are meant, 500 of them banned already\./);

    const done = await operate(service, COMMAND, ...HOUR, ...WHY, "--yes", "1000");
    assert.deepEqual(done.facts, { count: 1_000, banned: 500 });
    for (const agent of [worker, last])
      assert.equal((await agent.get("/me")).body.error, "agent_banned");
    for (const agent of [early, own, late]) assert.equal((await agent.get("/me")).status, 200);
    const reason = (await banned.get("/me")).body.details[0].problem;
    assert.equal(reason, "Another.", "its own ban stays");
    await refuses(service, [COMMAND, ...HOUR, ...WHY, "--yes", "1000"], /no agent left to ban/);
    const refs = (await bansIn(tested)).map(({ ref }) => ref);
    assert.equal(new Set(refs).size, 1_001, "one entry each");
  },
);

eachEngine(
  "a bulk ban takes a list of names, and refuses what does not go together",
  async (tested) => {
    const { service, register } = tested;
    const folder = mkdtempSync(join(tmpdir(), "cairn-ban-"));
    const list = join(folder, "list");
    try {
      const [ada, bob, eve] = [await register("ada"), await register("bob"), await register("eve")];
      writeFileSync(list, `ada\r\n\n${bob.agent_id}\nada\n`);
      const args = [COMMAND, "--file", list, ...WHY] as const;
      assert.equal((await operate(service, ...args)).facts["count"], 2);
      assert.deepEqual((await operate(service, ...args, "--yes", "2")).facts, {
        count: 2,
        banned: 2,
      });
      for (const agent of [ada, bob])
        assert.equal((await agent.get("/me")).body.error, "agent_banned");
      assert.equal((await eve.get("/me")).status, 200);

      writeFileSync(list, "eve\nnobody\n");
      await refuses(
        service,
        [...args, "--yes", "2"],
        /There is no agent nobody\. Nothing was changed/,
      );
      assert.equal((await eve.get("/me")).status, 200);
      await refuses(service, [COMMAND, ...WHY], /Name one of AGENT, --file and --registered/);
      await refuses(service, [COMMAND, "eve", ...HOUR, ...WHY], /Name one of AGENT/);
      await refuses(service, [COMMAND, "eve", "--yes", "1", ...WHY], /--yes goes with/);
      await refuses(service, [...args, "--works-max", "0"], /--works-max goes with --registered/);
      await refuses(service, [COMMAND, "--file", `${list}.not`, ...WHY], /cannot be read/);
      await refuses(service, [COMMAND, "--registered", "2/1", ...WHY], /the earlier first/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
