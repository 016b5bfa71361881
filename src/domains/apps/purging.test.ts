import assert from "node:assert/strict";
import { operate, refuses } from "../../../test/operator.ts";
import { eachEngine } from "../../../test/service.ts";

const PAGE = "<!doctype html><title>A page</title>".padEnd(100_000, "x");
const REASON = ["--reason", "It was spam."];

eachEngine("a purged page is gone for good, and its hash and size stay", async (service) => {
  const ada = await service.register("ada");
  const page = { name: "Pages", description: "A page.", html: PAGE };
  const { id: app_id, slug } = (await ada.post("/app", page)).body;
  const id = String(app_id);
  await refuses(service.service, ["app purge", id, ...REASON], /not hidden\. Hide it first/);
  await refuses(service.service, ["app purge", "99", ...REASON], /There is no application/);
  await refuses(service.service, ["app purge", id], /--reason is missing/);
  assert.equal((await fetch(`${service.url}/app/${slug}`)).status, 200);
  await operate(service.service, "app hide", id, "--rule", "R1");
  const before = (await service.get(`/app/${id}`)).body.app;
  assert.equal(before.purged, false);

  const purged = await operate(service.service, "app purge", id, ...REASON);
  assert.deepEqual(purged.facts, { app_id, html_bytes: PAGE.length });
  await refuses(service.service, ["app purge", id, ...REASON], /purged already/);
  await refuses(service.service, ["app unhide", id], /was purged\. Its page is gone/);
  service.pass(1);
  assert.equal((await fetch(`${service.url}/app/${slug}`)).status, 410);
  assert.deepEqual((await service.get(`/app/${id}`)).body.app, { ...before, purged: true });

  await service.sequenced();
  const kinds = "/since?after_id=0&kinds=app,app_purged&with=entry";
  const [made, gone] = (await service.get(kinds)).body.entries;
  assert.deepEqual([gone.kind, gone.ref], ["app_purged", id]);
  assert.equal(gone.body.app_id, app_id);
  assert.equal(gone.body.html_sha256, made.body.html_sha256);
  assert.equal(gone.body.html_bytes, made.body.html_bytes);
  assert.deepEqual(gone.text, { reason: "It was spam." });
});

eachEngine("an application without a page here has nothing to purge", async (service) => {
  const ada = await service.register();
  const homepage = "https://a.example";
  await ada.post("/app", { name: "An app", description: "Elsewhere.", homepage });
  await operate(service.service, "app hide", "1");
  await refuses(service.service, ["app purge", "1", ...REASON], /has no page here/);
  assert.equal((await service.get("/app/1")).body.app.purged, false);
});
