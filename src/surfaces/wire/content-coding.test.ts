import assert from "node:assert/strict";
import { test } from "node:test";
import { contentCodingFor } from "./content-coding.ts";

test("the coding that a client likes best, and none that it refuses", () => {
  for (const [sent, coding] of [
    [undefined, "identity"],
    ["", "identity"],
    ["gzip, deflate, br", "br"],
    ["gzip;q=1.0, br;q=0.5", "gzip"],
    ["GZIP", "gzip"],
    ["x-gzip", "gzip"],
    ["*", "br"],
    ["*;q=0.1, br;q=0", "gzip"],
    ["br;q=0, gzip;q=0", "identity"],
    ["identity, gzip;q=0.5", "identity"],
    ["identity;q=0", "identity"],
    ["identity;q=0, gzip", "gzip"],
    ["deflate, zstd", "identity"],
    ["br ; q=0.001", "br"],
    ["br;q=nonsense", "br"],
    [",,;;=,q=1", "identity"],
  ] as const)
    assert.equal(contentCodingFor(sent), coding, String(sent));
});
