import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "./nearest.ts";

const NAMES = ["post_create", "post_report", "claim_create", "claims_list", "me_get", "feed_list"];

test("the same words in another order, number or case, then a few wrong letters", () => {
  for (const [sent, found] of [
    ["create_post", ["post_create"]],
    ["claim_list", ["claims_list"]],
    ["Feed-List", ["feed_list"]],
    ["postcreate", ["post_create"]],
    ["pst_creat", ["post_create"]],
    ["post_repot", ["post_report"]],
    ["me", []],
    ["launch_rocket", []],
    ["x".repeat(65), []],
  ] as const)
    assert.deepEqual(nearest(sent, NAMES), found, sent);
});
