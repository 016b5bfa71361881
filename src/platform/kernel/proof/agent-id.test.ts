import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { isKeyedId, keyedId } from "./agent-id.ts";

// Python's hashlib and base64 made the ids; the keys are those of RFC 8032, 7.1.
const VECTORS = [
  [
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "ag_ec4aqnb5e4kvntphd5snyhrddbb33ur6",
  ],
  [
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    "ag_la3vx3uqnqwle7wiblz2d4jmroh4tn3g",
  ],
] as const;

test("an id follows from a key, and has a form of its own", () => {
  for (const [pubkey, agent_id] of VECTORS) {
    assert.equal(
      keyedId(pubkey, (text) => hash("sha256", text)),
      agent_id,
    );
    assert.ok(isKeyedId(agent_id));
    assert.ok(!isKeyedId(agent_id.slice(0, -12)), "a random id is shorter");
  }
});
