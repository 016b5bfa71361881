import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccessParts, accessOf, csrfOf, isCsrf, linkKey, newSecret, once } from "./access.ts";

/** Access at a time that the test sets. */
function opened() {
  let [count, time] = [0, 1_800_000_000];
  const random = (n: number) => {
    const bytes = new Uint8Array(n);
    new DataView(bytes.buffer).setUint32(n - 4, ++count);
    return bytes;
  };
  const parts: AccessParts = { secret: newSecret(random), random, now: () => time };
  return {
    parts,
    access: accessOf(parts),
    pass: (seconds: number) => {
      time += seconds;
    },
  };
}

test("a link opens one session, once, within two minutes", () => {
  const { parts, access, pass } = opened();
  const key = linkKey(parts);
  const session = access.open(key);
  assert.ok(session);
  assert.equal(access.open(key), null, "it was used");
  const other = linkKey({ ...parts, secret: "00".repeat(32) });
  assert.equal(access.open(other), null, "it was made with another secret");
  const [time = "", nonce = "", seal = ""] = linkKey(parts).split(".");
  assert.equal(access.open(`${Number(time) + 1}.${nonce}.${seal}`), null, "its time was changed");
  for (const wrong of ["", "1.2.3", key.slice(1), `${key}0`])
    assert.equal(access.open(wrong), null);
  const [soon, late] = [linkKey(parts), linkKey(parts)];
  pass(120);
  assert.ok(access.open(soon));
  pass(1);
  assert.equal(access.open(late), null, "it is too old");
});

test("a session is its path and its cookie, until it leaves or rests for 12 hours", () => {
  const { parts, access, pass } = opened();
  const open = () => {
    const session = access.open(linkKey(parts));
    assert.ok(session);
    return session;
  };
  const [one, two] = [open(), open()];
  assert.equal(access.find(one.path, one.cookie), one);
  assert.equal(access.find(one.path, two.cookie), null);
  assert.equal(access.find(one.path, undefined), null);
  assert.equal(access.find(two.path, `${two.cookie}0`), null);
  access.leave(one);
  assert.equal(access.find(one.path, one.cookie), null);
  pass(12 * 3_600);
  assert.equal(access.find(two.path, two.cookie), two);
  pass(12 * 3_600 + 1);
  assert.equal(access.find(two.path, two.cookie), null);
});

test("there are 16 sessions at most: the one that was used longest ago goes", () => {
  const { parts, access } = opened();
  const sessions = Array.from({ length: 17 }, () => access.open(linkKey(parts)));
  const isThere = (session: (typeof sessions)[number]) =>
    session !== null && session !== undefined && access.find(session.path, session.cookie) !== null;
  assert.deepEqual(sessions.map(isThere), [false, ...Array.from({ length: 16 }, () => true)]);
});

test("a form fits one act of one session", () => {
  const { parts, access } = opened();
  const [one, two] = [access.open(linkKey(parts)), access.open(linkKey(parts))];
  assert.ok(one && two);
  assert.equal(isCsrf(one, "post hide", csrfOf(one, "post hide")), true);
  assert.equal(isCsrf(one, "post hide", csrfOf(one, "post unhide")), false);
  assert.equal(isCsrf(one, "post hide", csrfOf(two, "post hide")), false);
  assert.equal(isCsrf(one, "post hide", ""), false);
});

test("a form that is sent twice is done once, and one that was refused may come again", async () => {
  const { parts, access } = opened();
  const session = access.open(linkKey(parts));
  assert.ok(session);
  let done = 0;
  const act = async () => ({ text: `Done ${++done}.`, from: "", undo: null, next: null });
  const both = await Promise.all([once(session, "a", act), once(session, "a", act)]);
  assert.deepEqual(
    both.map(({ text }) => text),
    ["Done 1.", "Done 1."],
  );
  await assert.rejects(once(session, "b", async () => Promise.reject(new Error("Refused."))));
  assert.equal((await once(session, "b", act)).text, "Done 2.");
  for (let i = 0; i < 300; i++) await once(session, `n${i}`, act);
  assert.equal(session.results.size, 256);
});
