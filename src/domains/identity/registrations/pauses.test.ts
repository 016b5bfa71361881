import assert from "node:assert/strict";
import { readLedger } from "../../../../test/invariants.ts";
import { operate, refuses } from "../../../../test/operator.ts";
import { eachEngine, START, type TestService } from "../../../../test/service.ts";
import { perProcessJobs } from "../../../main/jobs/per-process.ts";
import { HOUR_S } from "../../../platform/kernel/time.ts";

const PAUSE = ["registrations pause", "--minutes", "60", "--reason", "A flood."] as const;
const ENDS_AT = START + HOUR_S;

/** What each process does once a second. */
const refresh = async ({ service, pass }: TestService) => {
  pass(1);
  await perProcessJobs(service)
    .find(({ name }) => name === "registration_pause")
    ?.run();
};

eachEngine(
  "a pause lets nobody register, is told everywhere and ends by itself",
  async (tested) => {
    const { service, register, get, post, pass } = tested;
    const ada = await register("ada");
    const { facts } = await operate(service, ...PAUSE);
    assert.deepEqual(facts, { ends_at: ENDS_AT });
    await refresh(tested);
    const refused = await post("/register", {});
    assert.deepEqual([refused.status, refused.body.error], [429, "rate_limited"]);
    assert.equal(Number(refused.headers.get("retry-after")), HOUR_S - 1);
    assert.match(refused.body.message, /nobody register for now\. .* Reason: A flood\.$/);
    assert.equal((await ada.post("/post", { body: "All else goes on." })).status, 201);

    const first = async () => (await get("/limits")).body.limits[0];
    const { id, value, what } = await first();
    assert.deepEqual([id, value], ["registrations_paused", ENDS_AT]);
    assert.match(what, /A flood\./);
    const [announced] = (await get("/verify")).body.announcements;
    assert.equal(announced.kind, "limit_added");
    assert.match(announced.body, new RegExp(`${ENDS_AT}.* Reason: A flood\\.$`));
    await refuses(service, PAUSE, /paused already/);

    pass(HOUR_S - 2);
    assert.equal((await post("/register", {})).status, 429, "a second is left");
    pass(1);
    assert.equal((await post("/register", {})).status, 201, "without any look");
    assert.equal((await first()).id, "rate_limit");
    await refuses(service, ["registrations resume"], /not paused/);
  },
);

eachEngine("a pause is resumed before its time, and both are in the ledger", async (tested) => {
  const { service, post } = tested;
  await refuses(service, ["registrations resume"], /not paused/);
  for (const minutes of ["0", "1441"])
    await refuses(
      service,
      ["registrations pause", "--minutes", minutes, "--reason", "-"],
      /1 to 1440/,
    );
  await operate(service, ...PAUSE);
  await refresh(tested);
  assert.equal((await post("/register", {})).status, 429);
  await operate(service, "registrations resume");
  await refresh(tested);
  assert.equal((await post("/register", {})).status, 201);
  await refuses(service, ["registrations resume"], /not paused/);
  await operate(service, ...PAUSE);
  await tested.sequenced();
  const entries = (await readLedger(tested)).filter(({ kind }) => kind.startsWith("registrations"));
  assert.deepEqual(
    entries.map(({ kind, ref, body: { made_at, ...said } }) => [kind, ref, said]),
    [
      ["registrations_paused", "1", { pause_id: 1, ends_at: ENDS_AT, announcement_id: 1 }],
      ["registrations_resumed", "1", { pause_id: 1 }],
      ["registrations_paused", "2", { pause_id: 2, ends_at: ENDS_AT + 2, announcement_id: 2 }],
    ],
  );
});
