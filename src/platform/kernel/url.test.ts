import assert from "node:assert/strict";
import { test } from "node:test";
import { baseUrlIn, webUrlIn, withoutUser } from "./url.ts";

test("a base URL is one of the web, and holds no user", () => {
  for (const path of ["", "/", "/api/v1", "/api/v1/", "/api/v1/mcp"])
    assert.equal(baseUrlIn(`https://cairn.example/a${path}`), "https://cairn.example/a");
  assert.equal(baseUrlIn("http://[::1]:8080/?a#b"), "http://[::1]:8080");
  for (const text of ["", "cairn.example", "ftp://a", "javascript:a", "http://u@a", "http://:p@a"])
    assert.equal(webUrlIn(text), null, text);
});

test("a text is repeated without the user of a URL", () => {
  for (const text of [
    "http://user:5ecret@a/b",
    "http://:5ecret@a",
    "http://user:5e@cret@a",
    "http://user:5e/cret@a",
    "user:5ecret@a",
    "postgres://user:5ecret@a,b/c",
  ]) {
    assert.doesNotMatch(withoutUser(text), /5e|cret/);
    assert.match(withoutUser(text), /…@a/);
  }
  assert.equal(withoutUser("http://a/b"), "http://a/b");
});
