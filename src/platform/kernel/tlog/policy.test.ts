import assert from "node:assert/strict";
import { test } from "node:test";
import { VECTORS } from "../../../../test/witness-vectors.ts";
import { verifySignature } from "../../ledger/seals/ed25519.ts";
import { sha256 } from "../../ledger/sha256.ts";
import { parseCheckpoint } from "./checkpoint.ts";
import { noteKey, vkeyOf, WITNESS_KEY } from "./note.ts";
import { faultBy, isQuorum, parsePolicy, witnessedAt, witnessesOf } from "./policy.ts";

const check = { verifySignature };
const keyOf = (n: number) =>
  vkeyOf(noteKey(`w${n}.example`, WITNESS_KEY, `${n}`.repeat(64), sha256));
const [w1, w2, w3] = [keyOf(3), keyOf(4), keyOf(5)];
const lines = (...all: string[]) => parsePolicy(all.join("\n"), sha256);

test("the policy of the vectors accepts their receipt, and not the checkpoint without its witness", () => {
  const policy = parsePolicy(VECTORS.policy, sha256);
  const { text } = VECTORS.tlog_proof;
  const checkpoint = parseCheckpoint(text.slice(text.indexOf("\n\n") + 2));
  assert(checkpoint !== null);
  assert.equal(faultBy(check, policy, checkpoint), null);
  assert.equal(witnessedAt(policy, witnessesOf(check, policy, checkpoint.note)), 1_761_815_060);
  const bare = parseCheckpoint(VECTORS.checkpoints.at(-1)?.note ?? "");
  assert(bare !== null);
  assert.equal(faultBy(check, policy, bare), "its witnesses are no quorum");
  const noQuorum = parsePolicy(VECTORS.policy.replace(/quorum .*/, "quorum none"), sha256);
  assert.equal(faultBy(check, noQuorum, bare), null);
  const other = lines("quorum none");
  assert.match(faultBy(check, other, bare) ?? "", /names no log/);
});

test("groups of groups count as the standard says", () => {
  const policy = lines(
    "# three, in two groups",
    `witness a ${w1} https://a.example/`,
    `\twitness  b ${w2}`,
    `witness c ${w3}`,
    "group ab any a b",
    "",
    "group both 2 ab c",
    "quorum both",
  );
  const holds = (...names: string[]) => isQuorum(policy, new Set(names));
  assert.deepEqual(
    [holds(), holds("a"), holds("a", "b"), holds("a", "c"), holds("b", "c"), holds("c")],
    [false, false, false, true, true, false],
  );
  const at = (...times: [string, number][]) =>
    witnessedAt(
      policy,
      times.map(([witness, time]) => ({ witness, time, name: "", key_id: "", line: "" })),
    );
  assert.equal(at(["a", 5], ["b", 7], ["c", 9]), 9);
  assert.equal(at(["a", 5], ["b", 7]), null);
});

test("a policy that is wrong is refused with its line and the reason", () => {
  const witness = `witness a ${w1}`;
  for (const [text, reason] of [
    [[""], /There is no quorum line/],
    [["quorum none", "quorum none"], /Line 2: there is a second quorum/],
    [["quorum a"], /Line 1: the quorum is not named/],
    [[witness, `witness b ${w1}`], /Line 2: this key stands/],
    [[witness, `witness a ${w2}`], /Line 2: this name stands/],
    [["witness none x"], /Line 1: a name is missing, or it is none/],
    [[`log ${w1}`], /Line 1: the key has type 4; this line takes type 1/],
    [["witness a x"], /Line 1: the key is no vkey/],
    [[witness, "group g 2 a"], /Line 2: any, all, or 1/],
    [[witness, "group g 01 a"], /Line 2: any, all, or 1/],
    [[witness, "group g any b"], /Line 2: a member is not named/],
    [[witness, "group g any"], /Line 2: a group has one member/],
    [["wittness a"], /Line 1: a line begins with/],
    [["quorum\u000bnone"], /Line 1: it holds a control character/],
  ] as const)
    assert.throws(() => lines(...text), reason);
});
