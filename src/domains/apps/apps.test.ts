import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../test/service.ts";
import { hideApp, unhideApp } from "./hiding.ts";
import { HTML_MAX_BYTES, SLUG, slugOf } from "./rules.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const REGISTERED = {
  name: "Prime finder",
  description: "Finds the next prime.\nSlowly.",
  homepage: "https://example.org/primes",
  kind: "tool",
  valuation_usd: "1250.5",
};

const HOSTED = { name: "Été & Co.", description: "A page.", html: "<!doctype html>\r\n<p>石 🪨" };

/** The body of the entry that an application was recorded with. */
async function entryOf(service: TestService, kind: string) {
  await service.sequenced();
  return (await readLedger(service)).filter((entry) => entry.kind === kind);
}

eachEngine("a registered application is shown alike everywhere", async (service) => {
  const ada = await service.register("ada");
  const { status, body } = await ada.post("/app", REGISTERED);
  assert.equal(status, 201);
  const { app, reward, ...rest } = body;
  assert.deepEqual(rest, { ok: true, id: app.id, slug: null, url: null });
  assert.deepEqual(Object.keys(reward), ["entitlement", "why"]);
  assert.deepEqual(app, {
    ...REGISTERED,
    id: 1,
    slug: null,
    url: null,
    valuation_usd: 1250.5,
    valuation_verified: false,
    repo_id: null,
    agent: { agent_id: ada.agent_id, handle: "ada" },
    created_at: app.created_at,
    html_bytes: null,
    html_sha256: null,
    hidden: false,
    verified: false,
    scripts: null,
  });
  assert.deepEqual((await service.get("/app/1")).body.app, app);
  await service.sequenced();
  service.pass(1);
  const { ok, ...list } = (await service.get("/apps")).body;
  const { scripts, ...listed } = app;
  assert.equal(scripts, null, "no list reads pages");
  assert.deepEqual(list, {
    applications: [listed],
    count: 1,
    more: false,
    next: null,
    declared_value_usd: 1250.5,
  });

  const [entry] = await entryOf(service, "app");
  assert.deepEqual(entry?.body, {
    app_id: 1,
    agent: ada.agent_id,
    name_sha256: sha256(REGISTERED.name),
    description_sha256: sha256(REGISTERED.description),
    kind_sha256: sha256("tool"),
    homepage_sha256: sha256(REGISTERED.homepage),
    valuation_usd_micro: 1_250_500_000,
  });
  const { name, description, kind, homepage } = REGISTERED;
  assert.deepEqual(entry.text, { name, description, kind, homepage });
});

eachEngine("a hosted application has an address and a sealed hash", async (service) => {
  const ada = await service.register();
  const { body } = await ada.post("/app", { ...HOSTED, slug: "mine", hidden: true });
  assert.match(body.slug, /^t-co-[a-z2-7]{6}$/);
  assert.equal(body.url, `http://127.0.0.1:8080/app/${body.slug}`);
  assert.equal(body.app.slug, body.slug);
  assert.equal(body.app.url, body.url);
  assert.equal(body.app.html_bytes, Buffer.byteLength(HOSTED.html));
  assert.equal(body.app.html_sha256, sha256(HOSTED.html));
  assert.equal(body.app.hidden, false);
  assert.equal("html" in body.app, false, "no list carries a page");
  const [entry] = await entryOf(service, "app");
  assert.equal(entry?.body["html_sha256"], sha256(HOSTED.html));
  assert.equal(entry?.body["slug_sha256"], sha256(body.slug));
  assert.equal(entry?.body["html_bytes"], Buffer.byteLength(HOSTED.html));
  assert.deepEqual(entry?.text, { name: HOSTED.name, description: HOSTED.description });
});

eachEngine("the author is told which scripts of a page run", async (service) => {
  const ada = await service.register();
  const html = '<script>let a</script><script>{"prefetch":[]}</script><script type=x>b</script>';
  const { body } = await ada.post("/app", { ...HOSTED, html });
  assert.deepEqual(body.app.scripts, {
    inline: 3,
    allowed: 1,
    refused: [
      { n: 2, why: "looks_like_rules" },
      { n: 3, why: "type" },
    ],
  });
  service.pass(1);
  assert.deepEqual((await service.get(`/app/${body.id}`)).body.app, body.app);
});

eachEngine("the list is newest first and sums what is declared, of all", async (service) => {
  const ada = await service.register();
  for (let i = 1; i <= 12; i++)
    await ada.post("/app", { ...REGISTERED, name: `app ${i}`, valuation_usd: 999_999_999.999999 });
  await ada.post("/app", { ...HOSTED, homepage: "https://example.org" });
  await service.sequenced();
  service.pass(1);
  const { body } = await service.get("/apps?limit=2");
  assert.deepEqual(
    body.applications.map(({ id }: { id: number }) => id),
    [13, 12],
  );
  assert.equal(body.count, 2);
  // Past 2^53 millionths: the sum is exact, its JSON number the nearest one.
  assert.equal(body.declared_value_usd, Number("11999999999.999988"));
  for (const limit of ["0", "101", "x"])
    assert.equal((await service.get(`/apps?limit=${limit}`)).status, 422);
});

eachEngine("a wrong application is refused with every problem", async (service) => {
  const ada = await service.register();
  const faults = async (fields: object) => {
    const { status, body } = await ada.post("/app", { name: "x", description: "x", ...fields });
    assert.equal(status, 422, JSON.stringify(fields).slice(0, 80));
    return body.details.map(({ field }: { field: string }) => field).sort();
  };
  assert.deepEqual(await faults({}), ["html"], "neither html nor homepage");
  assert.deepEqual(await faults({ name: 7 }), ["html", "name"], "beside other problems");
  const homepage = "https://example.org";
  assert.deepEqual(
    await faults({
      name: "a\nb",
      description: " ",
      kind: "k".repeat(41),
      homepage: "javascript:1",
      valuation_usd: -1,
      repo_id: 0,
    }),
    ["description", "homepage", "kind", "name", "repo_id", "valuation_usd"],
  );
  for (const valuation_usd of [1_000_000_000.1, "1e3", 0.0000001, "NaN", "x"])
    assert.deepEqual(await faults({ homepage, valuation_usd }), ["valuation_usd"]);
  for (const address of [
    "ftp://a.b",
    "https://u:p@a.b",
    "//a.b",
    "a.b",
    `https://${"a".repeat(2_048)}`,
  ])
    assert.deepEqual(await faults({ homepage: address }), ["homepage"], address);
  for (const html of [" \n\t", "", "a\u0000b", "a\ud800", 7, ["<p>"]])
    assert.deepEqual(await faults({ homepage, html }), ["html"], JSON.stringify(html));
  assert.equal((await ada.post("/app", { name: "n".repeat(81), description: "x" })).status, 422);
  assert.equal((await service.get("/apps")).body.count, 0);
});

eachEngine("a page is counted in bytes of UTF-8, up to its limit", async (service) => {
  const ada = await service.register();
  const page = async (html: string) =>
    (await ada.post("/app", { name: "x", description: "x", html })).status;
  assert.equal(await page("é".repeat(HTML_MAX_BYTES / 2)), 201);
  assert.equal(await page(`${"é".repeat(HTML_MAX_BYTES / 2 - 1)}aaa`), 422);
  assert.equal(await page("a".repeat(HTML_MAX_BYTES)), 201);
  assert.equal(await page("a".repeat(HTML_MAX_BYTES + 1)), 422);
  assert.equal(await page("🪨".repeat(HTML_MAX_BYTES / 4)), 201);
  assert.equal(await page("a".repeat(2 * 1_024 * 1_024)), 413);
});

eachEngine("a token in a page is found", async (service) => {
  const ada = await service.register();
  const refused = await ada.post("/app", { ...HOSTED, html: `<script>"${ada.token}"</script>` });
  assert.equal(refused.body.error, "token_in_body");
});

async function repositoryOf(founder: TestAgent): Promise<number> {
  const { body } = await founder.post("/repo", { name: "Stones", mission: "To pile stones." });
  return body.id;
}

eachEngine("only members add applications to a repository", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const repo_id = await repositoryOf(ada);
  const { body } = await ada.post("/app", { ...REGISTERED, repo_id: String(repo_id) });
  assert.equal(body.app.repo_id, repo_id);
  const [entry] = await entryOf(service, "app");
  assert.equal(entry?.body["repo_id"], repo_id);

  const stranger = await bob.post("/app", { ...REGISTERED, repo_id });
  assert.deepEqual([stranger.status, stranger.body.error], [409, "not_a_member"]);
  const nowhere = await bob.post("/app", { ...REGISTERED, repo_id: 77 });
  assert.deepEqual([nowhere.status, nowhere.body.error], [404, "repo_not_found"]);
  await bob.post("/repo/join", { repo_id });
  assert.equal((await bob.post("/app", { ...REGISTERED, repo_id })).status, 201);
  await bob.post("/repo/leave", { repo_id });
  assert.equal((await bob.post("/app", { ...REGISTERED, repo_id })).body.error, "not_a_member");
  assert.equal((await service.get("/apps")).body.count, 2);
});

eachEngine("a hidden application shows none of its author's words", async (service) => {
  const { context } = service.service;
  const ada = await service.register("ada");
  const { body } = await ada.post("/app", { ...HOSTED, ...REGISTERED });
  const hiding = { app_id: body.id, rule: "R2", reason: "It asks for passwords." };
  assert.equal(await hideApp(context, hiding), true);
  assert.equal(await hideApp(context, hiding), false, "it is hidden already");
  service.pass(1);
  assert.equal((await service.get("/apps")).body.count, 0);
  assert.deepEqual((await service.get(`/app/${body.id}`)).body.app, {
    ...body.app,
    slug: null,
    url: null,
    homepage: null,
    name: null,
    description: null,
    kind: null,
    hidden: true,
    purged: false,
    scripts: null,
  });
  assert.deepEqual((await entryOf(service, "app"))[0]?.text, {});

  assert.equal(await unhideApp(context, { app_id: body.id }), true);
  assert.equal(await unhideApp(context, { app_id: body.id }), false, "it is not hidden");
  service.pass(1);
  assert.deepEqual((await service.get(`/app/${body.id}`)).body.app, body.app);
  assert.equal((await service.get("/apps")).body.count, 1);

  assert.equal(await hideApp(context, { app_id: body.id }), true);
  const hidings = await entryOf(service, "app_hidden");
  assert.deepEqual(
    hidings.map(({ ref, body: said, text }) => ({ ref, said, text })),
    [
      {
        ref: "1/1",
        said: { app_id: 1, rule: "R2", reason_sha256: sha256(hiding.reason) },
        text: { reason: hiding.reason },
      },
      { ref: "1/2", said: { app_id: 1 }, text: {} },
    ],
  );
  const [undone] = await entryOf(service, "app_unhidden");
  assert.deepEqual([undone?.ref, undone?.body], ["1/1", { app_id: 1 }]);
});

eachEngine("an absent application can be neither shown nor hidden", async (service) => {
  const { context } = service.service;
  assert.equal((await service.get("/app/1")).body.error, "app_not_found");
  assert.equal((await service.get("/app/x")).body.error, "app_not_found");
  for (const change of [hideApp, unhideApp])
    await assert.rejects(change(context, { app_id: 1 }), { code: "app_not_found" });
});

eachEngine("a slug that is taken is drawn again", async (service) => {
  const { context, registry } = service.service;
  const create = registry.find(({ name }) => name === "apps.create");
  const { agent_id } = await service.register();
  const draws = [0, 0, 1];
  const random = (n: number) => new Uint8Array(n).fill(draws.shift() ?? 2);
  const agent = { id: 1, agent_id, handle: null };
  const caller = { ...context, random, agent, afterAnswer: () => {} };
  const slugs = [await create?.run(caller, HOSTED), await create?.run(caller, HOSTED)];
  assert.deepEqual(
    slugs.map((created) => created?.["slug"]),
    ["t-co-aaaaaa", "t-co-bbbbbb"],
  );
});

test("a slug is what is left of the name, and random", () => {
  const rows = [
    ["Prime finder", "prime-finder"],
    ["  --Été!! 2.0__x--  ", "t-2-0-x"],
    ["石", "app"],
    ["xn--80ak6aa92e", "xn-80ak6aa92e"],
    ["\u212Aelvin \u0130", "elvin"],
    [`${"a".repeat(39)} b`, "a".repeat(39)],
    ["A".repeat(80), "a".repeat(40)],
  ] as const;
  for (const [name, words] of rows) {
    const slug = slugOf(name, "abc234");
    assert.equal(slug, `${words}-abc234`, name);
    assert.match(slug, SLUG);
  }
});
