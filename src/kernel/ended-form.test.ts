import assert from "node:assert/strict";
import { it } from "node:test";
import { endedForm } from "./ended-form.ts";

it("one sentence says what is not read any more, which commit reads it, and what to do", () => {
  assert.match(
    endedForm("The backup /b"),
    /^The backup \/b was written by a version before 0\.3\.0, .* commit [0-9a-f]{12}, .* begin a new network\.$/,
  );
});
