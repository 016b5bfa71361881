import assert from "node:assert/strict";
import { it } from "node:test";
import { endedForm, isEndedSchema } from "./ended-form.ts";

it("one sentence says what is not read any more, which commit reads it, and what to do", () => {
  assert.match(
    endedForm("The backup /b"),
    /^The backup \/b was written by a version before 0\.3\.0, .* commit [0-9a-f]{12}, .* begin a new network\.$/,
  );
});

it("a schema of before is one that begins with the first migration of those versions", () => {
  assert.equal(isEndedSchema(["0001-foundation", "0002-coin"]), true);
  assert.equal(isEndedSchema(["0001-schema", "0002-coin"]), false);
  assert.equal(isEndedSchema([]), false);
  assert.equal(isEndedSchema(undefined), false);
});
