import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { plainJson } from "./plain.ts";

it("writes JSON that says the same and turns nothing on a terminal", () => {
  const text = plainJson({ body: "a\u202eb\u001b[31m\u009b\u2066\u{e0041}\u00ad\u2028 é 石 🪨\n" });
  assert.equal(
    text,
    '{"body":"a\\u202eb\\u001b[31m\\u009b\\u2066\\udb40\\udc41\\u00ad\\u2028 é 石 🪨\\n"}',
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), (value) => {
      const written = plainJson(value);
      assert.deepEqual(JSON.parse(written), JSON.parse(JSON.stringify(value)));
      assert.doesNotMatch(written, /[\p{Cf}\p{Cc}\u2028\u2029]/u);
    }),
  );
});
