import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { begunHistory } from "../../../../test/history.ts";
import { newFile } from "../../../../test/verify-run.ts";
import { DAY_S } from "../../../platform/kernel/time.ts";
import { RULES } from "../../../platform/ledger/rules.ts";
import { BROKEN, UNKNOWN_RULES } from "../../../verify/rules.ts";
import { Stop, UNREADABLE } from "../../command/stop.ts";
import { auditEntries } from "./rules-audit.ts";

const [ADA, BOB] = ["ag_7swrwwh55l25xcrn2r3j", "ag_7q7j5effglbjjowqhc5k"] as const;
const HASH = "a".repeat(64);

/** A sound ledger, under the next rules from its sixth entry on where that is asked. */
function linesOf(rules: "known" | "later"): readonly string[] {
  const history = begunHistory([ADA, BOB]);
  for (let n = 1; n < 3; n++) {
    const of = { agent: ADA, name_sha256: HASH, description_sha256: HASH };
    history.pass(DAY_S).add("app", { app_id: n, ...of });
  }
  if (rules === "later") history.add("rules_adopted", { rules: RULES + 1 });
  history.add("post", { post_id: 1, agent: BOB, body_sha256: HASH, topic: "prime" });
  return history.entries.map((entry) => JSON.stringify(entry));
}

const file = newFile();

/** The exit code of an audit of these bytes, and what it says. */
async function audited(content: string | Buffer): Promise<{ code: number; said: string }> {
  writeFileSync(file, content);
  try {
    const { exit_code, breaches } = await auditEntries(file);
    return { code: exit_code, said: breaches.map(({ rule }) => rule).join("; ") };
  } catch (error) {
    assert.ok(error instanceof Stop, String(error)); // Anything else is a crash.
    return { code: error.exitCode, said: error.message };
  }
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** Bytes that no line of a ledger has. */
const GARBAGE = [Buffer.from([0]), Buffer.from([0xff, 0xfe]), Buffer.from("{"), Buffer.from("]]")];

/** Prime, so that over all lines each place in one is met. */
const STEP = 3;

for (const [rules, sound] of [
  ["known", 0],
  ["later", UNKNOWN_RULES],
] as const) {
  const lines = linesOf(rules);
  const whole = Buffer.from(textOf(lines));

  test(`entries under ${rules} rules are read whole`, async () => {
    assert.deepEqual(await audited(whole), { code: sound, said: "" });
  });

  test(`garbage behind any byte of entries under ${rules} rules makes them unreadable`, async () => {
    for (let at = 0; at <= whole.length; at += STEP) {
      const garbage = GARBAGE[at % GARBAGE.length] ?? Buffer.alloc(1);
      const { code, said } = await audited(Buffer.concat([whole.subarray(0, at), garbage]));
      assert.equal(code, UNREADABLE, `${at}: ${said}`);
      assert.match(said, /this is no JSON|holds no entries/);
    }
  });

  test(`entries under ${rules} rules that end within a line are unreadable`, async () => {
    for (let at = 1; at < whole.length; at += STEP) {
      // A line's end is the end of a shorter ledger: only seals show that entries are missing.
      const isWhole = whole[at] === 10 || whole[at - 1] === 10;
      const { code, said } = await audited(whole.subarray(0, at));
      if (isWhole) assert.ok([0, sound].includes(code), `${at}: ${said}`);
      else assert.equal(code, UNREADABLE, `${at}: ${said}`);
    }
  });

  test(`entries under ${rules} rules in another order, twice or missing break a rule`, async () => {
    const dense = /Ids are dense, and times never fall|There is such an entry already/;
    for (const [i, line] of lines.entries()) {
      const changed = [lines.toSpliced(i, 0, line)];
      if (i < lines.length - 1) {
        changed.push(lines.toSpliced(i, 1), lines.with(i, lines[i + 1] ?? "").with(i + 1, line));
      }
      for (const each of changed) {
        const { code, said } = await audited(textOf(each));
        assert.equal(code, BROKEN, `${i}: ${said}`);
        assert.match(said, dense);
      }
    }
    const { code } = await audited(textOf(lines.toReversed()));
    assert.equal(code, BROKEN);
  });
}

/** Values that no field has. */
const STRANGE = ["null", "[]", "-1", "1e999", '{"a":{}}'];

test("a value of another form is refused, and stops no reader", async () => {
  const lines = linesOf("known");
  for (const [i, line] of lines.entries()) {
    for (const [value] of line.matchAll(/(?<=:)("[^"]*"|\d+)(?=[,}])/g))
      for (const strange of [...STRANGE, "[".repeat(20_000)]) {
        const at = line.indexOf(`:${value}`) + 1;
        const changed = line.slice(0, at) + strange + line.slice(at + value.length);
        const { code, said } = await audited(textOf(lines.with(i, changed)));
        assert.ok([BROKEN, UNREADABLE].includes(code), `${changed}: ${code} ${said}`);
      }
  }
});
