import assert from "node:assert/strict";
import { test } from "node:test";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { scanner } from "./scans.ts";

const program = (source: string) => ({
  words: [process.execPath, "-e", source] as const,
  environment: process.env,
});

const LIMITS = { start: 60_000, look: 60_000 };

test("a look in a process of its own gives its JSON, or its sentence", async () => {
  const says = scanner(program("console.log(JSON.stringify(process.argv.slice(1)))"), LIMITS);
  assert.deepEqual(await says(["find", "x"]), ["find", "x"]);
  const refuses = scanner(
    program(`console.log('{"error":"There is no such agent."}'); process.exit(1)`),
    LIMITS,
  );
  await assert.rejects(refuses([]), { message: "There is no such agent.", status: 422 });
  await assert.rejects(scanner(program("process.exit(7)"), LIMITS)([]), (error) => {
    assert.ok(!(error instanceof Rejection));
    return true;
  });
});

test("one look at a time, five in all, and none beyond its time", async () => {
  const hangs = scanner(program("process.send('begun'); setInterval(() => {}, 1000)"), {
    ...LIMITS,
    look: 50,
  });
  const all = await Promise.allSettled(Array.from({ length: 6 }, () => hangs([])));
  const said = all.map((each) => (each.status === "rejected" ? each.reason.message : "")).sort();
  assert.match(said.join("\n"), /^(The search was ended.*\n){5}Too many searches wait/);
  for (const each of all)
    assert.equal(each.status === "rejected" && each.reason.status, 503, "it can be tried again");
});

test("the time of a look begins when the look does, and so does its low priority", async () => {
  const late = `
    const { getPriority } = require("node:os");
    const before = getPriority();
    setTimeout(() => process.send("begun"), 300);
    const timer = setInterval(() => {
      if (getPriority() === before) return;
      clearInterval(timer);
      console.log(JSON.stringify(getPriority() - before));
      process.disconnect();
    }, 5);
  `;
  assert.equal(await scanner(program(late), { start: 60_000, look: 10_000 })([]), 10);
  const never = scanner(program("setInterval(() => {}, 1000)"), { start: 50, look: 60_000 });
  await assert.rejects(never([]), { message: /could not begin/, status: 503 });
});
