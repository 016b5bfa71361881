import assert from "node:assert/strict";
import { test } from "node:test";
import { noRecordedBlocks, recordedBlocks } from "../../test/recorded-blocks.ts";
import { publicKeyOf } from "../kernel/nano.ts";
import { blockRow } from "./answers.ts";
import { type Block, blockHash, isEpoch, isSigned, ZERO } from "./block.ts";

const skip = noRecordedBlocks;
const NOT_VERIFIED = /^(?:12318E7D|9BC8FAC9|B6591BD8|D5721A0E|D9917582)/;

const recorded = () =>
  new Map(
    [...recordedBlocks()].map(([hash, row]) => [
      hash,
      blockRow.parse({ confirmed: "true", ...row }),
    ]),
  );

const ownerOf = ({ contents, block_account }: ReturnType<typeof blockRow.parse>) =>
  "account" in contents ? contents.account : block_account;

test("recorded blocks have their hashes and signatures", { skip }, () => {
  const blocks = recorded();
  assert.equal(blocks.size, 65);
  for (const [hash, row] of blocks) {
    assert.equal(blockHash(row.contents), hash);
    const owner = ownerOf(row);
    const isRight = owner !== null && isSigned(hash, row.contents.signature, owner);
    assert.equal(isRight, !NOT_VERIFIED.test(hash), hash);
    assert.equal(isEpoch(row.contents), hash.startsWith("D9917582"));
  }
});

test("recorded balances differ by the recorded amounts", { skip }, () => {
  const blocks = recorded();
  let compared = 0;
  for (const { contents, amount } of blocks.values()) {
    if (contents.type !== "state" && contents.type !== "send") continue;
    const before = blocks.get(contents.previous)?.contents;
    const isFirst = /^0+$/.test(contents.previous);
    const balance = isFirst
      ? 0n
      : before !== undefined && "balance" in before
        ? before.balance
        : null;
    if (balance === null) continue;
    compared++;
    const moved = contents.balance - balance;
    assert.equal(moved < 0n ? -moved : moved, amount);
  }
  assert.equal(compared, 26);
});

test("nobody signs for a key of small order", () => {
  const identity = `01${"00".repeat(63)}`;
  const burn = publicKeyOf(ZERO) ?? assert.fail();
  assert.ok(!isSigned("AB".repeat(32), identity, burn));
});

test("no edited block is accepted", { skip }, () => {
  const rows = [...recorded()].filter(([hash]) => !NOT_VERIFIED.test(hash));
  let edits = 0;
  for (let seed = 1; edits < 500; seed++) {
    const [hash, row] = rows[seed % rows.length] ?? assert.fail();
    const owner = ownerOf(row) ?? assert.fail();
    const members = Object.entries(row.contents).filter(
      ([name]) => name !== "type" && name !== "work",
    );
    const [name, value] = members[(seed * 7) % members.length] ?? assert.fail();
    const contents = { ...row.contents, [name]: changed(value, seed) } as Block & {
      signature: string;
    };
    if (name === "signature") {
      assert.ok(!isSigned(hash, contents.signature, owner), `${hash} ${name}`);
    } else {
      assert.notEqual(blockHash(contents), hash, name);
      assert.ok(!isSigned(blockHash(contents), contents.signature, owner), `${hash} ${name}`);
    }
    edits++;
  }
});

/** One digit of a hash, key, signature or balance is another one. */
function changed(value: string | bigint, seed: number): string | bigint {
  if (typeof value === "bigint") return value ^ (1n << BigInt(seed % 128));
  const place = (seed * 31) % value.length;
  const digit = ((Number.parseInt(value.charAt(place), 16) + 1 + (seed % 15)) % 16).toString(16);
  return value.slice(0, place) + digit.toUpperCase() + value.slice(place + 1);
}
