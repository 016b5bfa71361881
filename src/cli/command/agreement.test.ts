import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { allCommands } from "../commands.ts";
import { demandAgreement } from "./agreement.ts";

const asking = { opens: "service", confirms: () => "This is public for ever." } as const;

/** Whether a command goes on where a person types `typed`, and whether it asked. */
async function outcomeOf(typed: string, { isTTY = true, isAgreed = false } = {}) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  input.end(typed);
  const run = demandAgreement(asking, { values: {}, isAgreed }, { input, output });
  const outcome = await run.then(
    () => "goes on",
    ({ message }: Error) => message,
  );
  const shown = (await output.end().toArray()).join("");
  return { outcome, isAsked: shown.includes("This is public for ever. Go on? [y/N] ") };
}
test("on a terminal only a yes goes on", async () => {
  for (const yes of ["y\n", "YES\n", " yes \n"])
    assert.deepEqual(await outcomeOf(yes), { outcome: "goes on", isAsked: true });
  for (const no of ["n\n", "\n", "yess\n", ""])
    assert.deepEqual(await outcomeOf(no), { outcome: "Nothing was done.", isAsked: true });
});

test("neither --yes nor a script is asked", async () => {
  const unasked = { outcome: "goes on", isAsked: false };
  assert.deepEqual(await outcomeOf("", { isAgreed: true }), unasked);
  assert.deepEqual(await outcomeOf("", { isTTY: false }), unasked);
});

test("what nothing undoes asks, and nothing else", async () => {
  const asked = Object.values(await allCommands())
    .flat()
    .filter((command) => command.confirms !== undefined)
    .map(({ name }) => name);
  assert.deepEqual(
    asked.sort().join(", "),
    "announce, app purge, file purge, key rotate, market paid, market payout, market refund, market resolve, market return, " +
      "proposal accept, quest add, quest award, quest close, quorum add, recognition grant, " +
      "request withdraw, restore, task add, task close, task purge, text erase",
  );
});
