import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { PYTHON_CLIENT } from "../../../packages/python.ts";
import { VERIFIER } from "../../../packages/verifier.ts";
import { eachEngine } from "../../../test/service.ts";
import { PACKAGE_VERSION } from "../version.ts";

eachEngine("the service serves the verifier, and names its hash", async (service) => {
  const answer = await fetch(`${service.url}/verify.mjs`);
  const [text, { headers }] = [await answer.text(), answer];
  assert.equal(answer.status, 200);
  assert.equal(text, readFileSync(VERIFIER, "utf8"));
  assert.equal(headers.get("content-type"), "text/javascript; charset=utf-8");
  assert.equal(headers.get("cache-control"), "public, max-age=300");
  assert.equal(headers.get("access-control-allow-origin"), "*");
  const etag = headers.get("etag") ?? "";
  const again = await fetch(answer.url, { headers: { "if-none-match": etag } });
  assert.deepEqual([etag !== "", again.status], [true, 304]);
  const { verifier } = (await service.get("/verify")).body;
  assert.deepEqual(
    { ...verifier, url: new URL(verifier.url).pathname },
    { url: "/verify.mjs", sha256: hash("sha256", text), version: PACKAGE_VERSION },
  );
});

eachEngine("the service serves the client for Python", async (service) => {
  const answer = await fetch(`${service.url}/cairn.py`);
  assert.equal(await answer.text(), readFileSync(PYTHON_CLIENT, "utf8"));
  assert.equal(answer.headers.get("content-type"), "text/x-python; charset=utf-8");
});
