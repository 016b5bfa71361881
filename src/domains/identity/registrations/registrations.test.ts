import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestService } from "../../../../test/service.ts";

test("one network registers so many an hour, and the others do not notice", async () => {
  const service = await openTestService("sqlite", "crowd", { CAIRN_REGISTRATIONS_PER_HOUR: "2" });
  try {
    const register = async (address: string) => {
      const { status, body, headers } = await service.post(
        "/register",
        {},
        {
          headers: { "x-forwarded-for": address },
        },
      );
      const waits = Number(headers.get("retry-after")) > 60; // Half an hour, less what the test takes.
      return [status, body.error ?? null, waits];
    };
    const created = [201, null, false];
    assert.deepEqual(await register("203.0.113.1"), created);
    assert.deepEqual(await register("203.0.113.1:4711"), created);
    assert.deepEqual(await register("::ffff:203.0.113.1"), [429, "rate_limited", true]);
    assert.deepEqual(await register("203.0.113.2"), created);
    for (let i = 0; i < 3; i++) assert.deepEqual(await register("10.0.0.1"), created);
    const { counters } = (await service.get("/protection")).body;
    assert.deepEqual([counters.registrations_refused, counters.registrations_last_hour], [1, 6]);
    const { limits } = (await service.get("/limits")).body;
    const reported = limits.find(({ id }: { id: string }) => id === "registrations");
    assert.deepEqual([reported.value, reported.unit], [2, "registrations per hour"]);
  } finally {
    await service.close();
  }
});

test("callers behind a translator each have a limit of their own, and none has two", async (t) => {
  const service = await openTestService("sqlite", t.name, { CAIRN_REGISTRATIONS_PER_HOUR: "1" });
  t.after(service.close);
  const register = async (address: string) =>
    (await service.post("/register", {}, { headers: { "x-forwarded-for": address } })).status;
  assert.equal(await register("64:ff9b::203.0.113.1"), 201);
  assert.equal(await register("64:ff9b::203.0.113.2"), 201);
  for (const same of ["203.0.113.1", "64:ff9b:1::203.0.113.1", "2002:cb00:7101::1"])
    assert.equal(await register(same), 429, same);
});
