import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { openConsole, reportedPost } from "./console-service.ts";
import { runCairn, runHere } from "./process.ts";
import { rawSocket } from "./raw-socket.ts";

/** The hidden fields of the form of an act on a page. */
function formOn(page: string, act: string): URLSearchParams {
  const form = page.split("<form ").find((part) => part.includes(`action="act/${act}"`)) ?? "";
  const fields = new URLSearchParams();
  for (const [, name = "", value = ""] of form.matchAll(/name="(\w+)"[^>]* value="([^"]*)"/g))
    fields.set(name, value);
  return fields;
}

test("each rule of reading: kept it lets in, broken alone it refuses", async (t) => {
  const console = await openConsole(t, "act");
  await reportedPost(console);
  const { cookie, base } = await console.session();
  const origin = new URL(base).origin;

  const readings: readonly (readonly [string, number, string, Record<string, string>])[] = [
    ["all is right", 200, base, { cookie }],
    ["a page of our own leads there", 200, base, { cookie, "sec-fetch-site": "same-origin" }],
    ["no cookie", 401, base, {}],
    ["another cookie", 401, base, { cookie: `${cookie}0` }],
    ["the cookie of another port", 401, base, { cookie: cookie.replace(/\d+=/, "1=") }],
    ["another session's path", 401, base.replace(/[0-9a-f]{32}/, "0".repeat(32)), { cookie }],
    ["a page of another port", 403, base, { cookie, "sec-fetch-site": "same-site" }],
    ["a page of another site", 403, base, { cookie, "sec-fetch-site": "cross-site" }],
    ["no such page", 404, `${base}nowhere`, { cookie }],
    ["a wrong query", 422, `${base}look/post-list?before=x`, { cookie }],
    ["a wrong link", 401, `${origin}/console/open?key=1.2.3`, {}],
  ];
  for (const [name, status, url, headers] of readings)
    assert.equal((await fetch(url, { headers })).status, status, name);
  assert.match(await (await fetch(origin)).text(), /\/metrics, \/console\./);
  const link = await console.link();
  for (const method of ["HEAD", "POST"])
    assert.equal((await fetch(link, { method, redirect: "manual" })).status, 405, method);
  for (const [name, value] of [
    ["purpose", "prefetch"],
    ["sec-purpose", "prefetch;prerender"],
    ["x-moz", "prefetch"],
    ["sec-fetch-dest", "image"],
    ["sec-fetch-dest", "empty"],
  ] as const) {
    const socket = await rawSocket(console.port);
    const { pathname, search } = new URL(link);
    socket.send(
      `GET ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\n${name}: ${value}\r\nConnection: close\r\n\r\n`,
    );
    assert.equal((await socket.end())[0]?.status, 403, `${name}: ${value}`);
  }
  assert.equal((await fetch(link, { redirect: "manual" })).status, 303);
  assert.equal((await fetch(link, { redirect: "manual" })).status, 401, "a used link");
  const socket = await rawSocket(console.port);
  socket.send(
    `GET ${new URL(base).pathname} HTTP/1.1\r\nHost: evil.example\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`,
  );
  assert.equal((await socket.end())[0]?.status, 403, "a name of another");
});

test("a field on each page finds what the network has", async (t) => {
  const console = await openConsole(t, "read");
  await reportedPost(console);
  const { cookie, base } = await console.session();
  const read = async (path: string) => {
    const answer = await fetch(base + path, { headers: { cookie } });
    return { status: answer.status, text: await answer.text() };
  };
  assert.match((await read("settings")).text, /<form class="find"[^>]* action="[^"]*look\/find"/);
  const post = await read("look/find?words=HELLO");
  assert.match(post.text, /<h1>Find<\/h1>/);
  assert.match(post.text, /<a href="look\/post-show\?id=1">/);
  const agent = await read("look/find?words=AD");
  assert.match(agent.text, /<a href="look\/agent-show\?agent=ag_\w+">/);
  assert.match((await read("look/find?words=--help")).text, /There is none\./);
  assert.match((await read("look/agent-list?word=ad")).text, /<bdi>ada<\/bdi>/);
  assert.match((await read("look/agent-list?word=dora")).text, /There is none\./);
  assert.equal((await read("look/find?words=")).status, 422);
});

test("the page of the log opens after any number of requests", async (t) => {
  const console = await openConsole(t, "read");
  const { cookie, base } = await console.session();
  for (let i = 0; i < 1_100; i++) await console.get("/stats");
  const answer = await fetch(`${base}log`, { headers: { cookie } });
  const page = await answer.text();
  assert.equal(answer.status, 200);
  assert.match(page, /<p>Older lines that are left out: \d+\.<\/p>/);
  const lines = [...page.matchAll(/\d{4}-\d\d-\d\d [\d:]{8} info request /g)].length;
  assert.ok(lines > 100, `${lines} lines are shown`);
  await console.get("/kpi");
  const few = await fetch(`${base}log?words=INFO+v1/kpi`, { headers: { cookie } });
  const found = await few.text();
  assert.equal([...found.matchAll(/info request /g)].length, 1);
  assert.match(found, /route=\/api\/v1\/kpi/);
  assert.match(found, /value="INFO v1\/kpi"/);
});

test("each rule of acting: kept it acts once, broken alone it refuses and changes nothing", async (t) => {
  const console = await openConsole(t, "act");
  await reportedPost(console);
  const { cookie, base } = await console.session();
  const { origin } = new URL(base);
  const look = await fetch(`${base}look/report-show?post=1`, { headers: { cookie } });
  const page = await look.text();
  const isHidden = async () => (await console.get("/post/1")).status !== 200;
  const type = "application/x-www-form-urlencoded";
  const good = { cookie, origin, "content-type": type };
  const sent = formOn(page, "post-hide");
  sent.set("rule", "R2");
  const send = (headers: Record<string, string>, fields = sent, method = "POST") =>
    fetch(`${base}act/post-hide`, {
      method,
      headers,
      redirect: "manual",
      ...(method === "POST" && { body: fields.toString() }),
    });
  const changed = (name: string, value: string) => {
    const fields = new URLSearchParams(sent);
    fields.set(name, value);
    return fields;
  };
  const { cookie: _, ...withoutCookie } = good;
  const { origin: __, ...withoutOrigin } = good;
  const broken: readonly (readonly [string, number, () => Promise<Response>])[] = [
    ["no cookie", 401, () => send(withoutCookie)],
    ["no origin", 403, () => send(withoutOrigin)],
    ["a page of another port", 403, () => send({ ...good, origin: "http://127.0.0.1:1" })],
    ["a form without an origin of its own", 403, () => send({ ...good, origin: "null" })],
    [
      "another act's form",
      403,
      () => send(good, changed("csrf", formOn(page, "report-dismiss").get("csrf") ?? "")),
    ],
    ["a forged nonce", 403, () => send(good, changed("nonce", "1"))],
    ["JSON", 415, () => send({ ...good, "content-type": "application/json" })],
    ["a form of 65 KiB", 413, () => send(good, changed("reason", "x".repeat(66_000)))],
    ["a rule that does not exist", 422, () => send(good, changed("rule", "R99"))],
    ["GET", 404, () => send({ cookie }, sent, "GET")],
    ["PUT", 405, () => send(good, sent, "PUT")],
  ];
  for (const [name, status, request] of broken) {
    assert.equal((await request()).status, status, name);
    assert.equal(await isHidden(), false, name);
  }
  const answers = await Promise.all([send(good), send(good)]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [303, 303],
  );
  assert.equal(await isHidden(), true);
  const done = await fetch(new URL(answers[0]?.headers.get("location") ?? "", base), {
    headers: { cookie },
  });
  assert.match(await done.text(), /Post 1 is hidden\./);
  const again = new URLSearchParams(sent);
  again.set("nonce", "0".repeat(32));
  const refused = await send(good, again);
  assert.equal(refused.status, 409);
  assert.match(await refused.text(), /This post is hidden already\./);
  const left = await fetch(`${base}leave`, {
    method: "POST",
    headers: { cookie, origin },
    redirect: "manual",
  });
  assert.equal(left.status, 303);
  assert.equal((await fetch(base, { headers: { cookie } })).status, 401, "after leaving");

  const entries = (await console.get("/since?after_id=0&kinds=post_hidden&limit=100")).body;
  assert.equal(entries.count, 1, "a form that was sent twice acted once");
});

test("an act ends the reports that its page has shown, and says that there are newer ones", async (t) => {
  const console = await openConsole(t, "act");
  const ada = await reportedPost(console);
  const { token: eve } = (await console.post("/register", { handle: "eve" })).body;
  for (const body of ["Another.", "A third."])
    await console.post("/post", { body }, { token: ada });
  for (const post_id of [2, 3])
    await console.post("/report", { post_id, rule: "R1" }, { token: eve });
  const { cookie, base } = await console.session();
  const shown = async (path: string) =>
    (await fetch(`${base}${path}`, { headers: { cookie } })).text();
  const type = "application/x-www-form-urlencoded";
  const headers = { cookie, origin: new URL(base).origin, "content-type": type };
  const act = async (name: string, fields: URLSearchParams) => {
    const answer = await fetch(`${base}act/${name}`, {
      method: "POST",
      headers,
      body: `${fields}`,
    });
    return await answer.text();
  };
  const open = async () => {
    const { rows } = JSON.parse(
      (await runHere(["report", "list", "--json"], console.variables)).out,
    );
    return rows.map(({ post, rules }: Record<string, unknown>) => [post, rules]);
  };

  const dismissal = formOn(await shown("look/report-show?post=1"), "report-dismiss");
  await console.post("/report", { post_id: 1, rule: "R5" }, { token: eve });
  assert.match(await act("report-dismiss", dismissal), /stay open \(R5 × 1\)/);
  assert.deepEqual(await open(), [
    [2, "R1 × 1"],
    [3, "R1 × 1"],
    [1, "R5 × 1"],
  ]);

  const hiding = formOn(await shown("look/post-show?id=1"), "post-hide");
  hiding.set("rule", "R2");
  const many = formOn(await shown("look/report-list"), "post-hide");
  many.set("rule", "R2");
  many.set("picked", "2");
  const listed = formOn(await shown("look/post-list"), "post-hide");
  listed.set("rule", "R2");
  listed.set("picked", "3");
  const { token: dan } = (await console.post("/register", { handle: "dan" })).body;
  for (const post_id of [1, 2])
    await console.post("/report", { post_id, rule: "R4" }, { token: dan });
  assert.match(await act("post-hide", hiding), /That ends 1 report on post 1 \(R5 × 1\)/);
  assert.match(await act("post-hide", many), /post 2 stay open \(R4 × 1\)/);
  assert.match(await act("post-hide", listed), /post 3 stay open \(R1 × 1\)/);
  assert.deepEqual(await open(), [
    [3, "R1 × 1"],
    [1, "R4 × 1"],
    [2, "R4 × 1"],
  ]);
  const { out } = await runHere(["report", "dismiss", "1"], console.variables);
  assert.equal(out.trim(), "Dismissed: 1 report on post 1 (R4 × 1).");
});

test("the entry of an act is that of the command", async (t) => {
  const console = await openConsole(t, "act");
  const token = await reportedPost(console);
  await console.post("/post", { body: "Another." }, { token });
  const { cookie, base } = await console.session();
  const page = await (await fetch(`${base}look/post-show?id=1`, { headers: { cookie } })).text();
  const sent = formOn(page, "post-hide");
  sent.set("rule", "R2");
  sent.set("reason", "Spam.");
  const headers = {
    cookie,
    origin: new URL(base).origin,
    "content-type": "application/x-www-form-urlencoded",
  };
  await fetch(`${base}act/post-hide`, { method: "POST", headers, body: sent.toString() });
  const words = ["post", "hide", "2", "--rule", "R2", "--reason", "Spam."];
  assert.equal((await runHere(words, console.variables)).code, 0);
  const { entries } = (await console.get("/since?after_id=0&kinds=post_hidden&limit=100")).body;
  const reported = entries.map(({ kind, body }: { kind: string; body: object }) => [kind, body]);
  const body = (post_id: number) => ["post_hidden", { ...reported[0][1], post_id }];
  assert.deepEqual(reported, [body(1), body(2)]);
});

test("a form that hides in public wants a rule or a reason", async (t) => {
  const console = await openConsole(t, "act");
  await reportedPost(console);
  const { cookie, base } = await console.session();
  const page = await (await fetch(`${base}look/post-show?id=1`, { headers: { cookie } })).text();
  const send = (more: Record<string, string>) => {
    const fields = formOn(page, "post-hide");
    for (const [name, value] of Object.entries(more)) fields.set(name, value);
    const headers = { cookie, origin: new URL(base).origin };
    return fetch(`${base}act/post-hide`, { method: "POST", headers, body: fields });
  };
  assert.match(page, /Give rule or reason, or both/);
  assert.doesNotMatch(page, /act\/post-unhide/, "what this state does not allow has no form");
  const refused = await send({ id: "1" });
  assert.equal(refused.status, 422);
  assert.match(await refused.text(), /Give rule or reason: it is public\./);
  assert.equal((await console.get("/post/1")).status, 200);
  assert.equal((await send({ id: "1", reason: "Spam." })).status, 200);
  assert.notEqual((await console.get("/post/1")).status, 200);
  const hidden = await (await fetch(`${base}look/post-show?id=1`, { headers: { cookie } })).text();
  assert.match(hidden, /act\/post-unhide/);
});

test("a profile is hidden on its agent's page, and comes back with one button", async (t) => {
  const console = await openConsole(t, "act");
  const token = await reportedPost(console);
  await console.post("/profile", { name: "Insulting" }, { token });
  const { cookie, base } = await console.session();
  const headers = { cookie, origin: new URL(base).origin };
  const read = async (path: string) => (await fetch(base + path, { headers })).text();
  const name = async () => (await console.get("/agent/ada")).body.noticeboard?.name ?? null;
  const post = (act: string, body: URLSearchParams) =>
    fetch(`${base}act/${act}`, { method: "POST", headers, body });
  const page = await read("look/agent-show?agent=ada");
  const fields = formOn(page, "text-hide");
  const id = fields.get("id") ?? "";
  assert.match(id, /^ag_/);
  assert.match(page, /<select[^>]*name="kind"[^>]*><option value="profile" selected>/);
  fields.set("kind", "profile");
  fields.set("rule", "R2");
  const done = await (await post("text-hide", fields)).text();
  assert.equal(await name(), null);
  assert.equal((await post("text-show-again", formOn(done, "text-show-again"))).status, 200);
  assert.equal(await name(), "Insulting");
});

test("after a ban the page leads to what is left of the agent", async (t) => {
  const console = await openConsole(t, "act");
  await reportedPost(console);
  const { cookie, base } = await console.session();
  const headers = { cookie, origin: new URL(base).origin };
  const page = await (await fetch(`${base}look/agent-show?agent=ada`, { headers })).text();
  const body = formOn(page, "agent-ban");
  body.set("reason", "Spam.");
  const agent = body.get("agent") ?? "";
  const done = await (
    await fetch(`${base}act/agent-ban`, { method: "POST", headers, body })
  ).text();
  assert.ok(done.includes(`<a href="look/post-list?agent=${agent}">Hide its posts</a>`));
});

test("a list is a file for other programs", async (t) => {
  const console = await openConsole(t, "read");
  const token = await reportedPost(console);
  await console.post("/post", { body: "=1+1" }, { token });
  const { cookie, base } = await console.session();
  const read = (path: string) => fetch(base + path, { headers: { cookie } });
  const answer = await read("look/post-list.csv?agent=ada");
  assert.equal(answer.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.match(answer.headers.get("content-disposition") ?? "", /filename="post-list\.csv"/);
  assert.match(
    await answer.text(),
    /^id,agent,created,topic,flag,hidden,text\n2,ada,.*,'=1\+1\n1,ada/,
  );
  assert.match(await (await read("look/post-list?agent=ada")).text(), /post-list\.csv\?agent=ada/);
  assert.equal((await read("look/post-show.csv?id=1")).status, 404);
  assert.equal((await read("look/post-list.csv?hidden=on&flagged=on")).status, 422);
  const overview = await (await read("")).text();
  assert.match(overview, /look\/agent-list\?since=\d+">2<\/a><\/b> new agents today/);
  assert.match(overview, /<b>2<\/b> agents seen today/);
});

test("ticked posts are hidden together, and one button takes it back", async (t) => {
  const console = await openConsole(t, "act");
  const token = await reportedPost(console);
  for (const n of [2, 3]) await console.post("/post", { body: `Spam ${n}.` }, { token });
  const { cookie, base } = await console.session();
  const headers = { cookie, origin: new URL(base).origin };
  const form = { ...headers, "content-type": "application/x-www-form-urlencoded" };
  const read = async (path: string) =>
    (await fetch(new URL(path, base), { headers: { cookie } })).text();
  const page = await read("look/post-list?agent=ada");
  assert.equal(page.match(/name="picked" form="bulk"/g)?.length, 3);
  assert.match(page, /<option value="R2">R2: No orders to readers/);
  const sent = formOn(page, "post-hide");
  for (const id of ["1", "3", "99"]) sent.append("picked", id);
  sent.set("rule", "R1");
  const answer = await fetch(`${base}act/post-hide`, {
    method: "POST",
    headers: form,
    body: sent.toString(),
    redirect: "manual",
  });
  assert.equal(answer.status, 303);
  const done = await read(answer.headers.get("location") ?? "");
  assert.match(
    done,
    /post hide: 2 done\.\nUnseen reports on post 1 stay open .*\n99: There is no post with this id\./,
  );
  const ids = async () =>
    (await console.get("/feed")).body.posts.map(({ id }: { id: number }) => id);
  assert.deepEqual(await ids(), [2]);
  const undo = formOn(done, "post-unhide");
  assert.equal(undo.get("picked"), "1,3", "nothing that was not done is taken back");
  await fetch(`${base}act/post-unhide`, { method: "POST", headers: form, body: undo.toString() });
  assert.deepEqual(await ids(), [3, 2, 1]);
  assert.match(await read("look/text-list"), /There is none/);
});

test("a console that reads has no form of an act, and a service may have none", async (t) => {
  const console = await openConsole(t, "read");
  await reportedPost(console);
  const { cookie, base } = await console.session();
  const page = await (
    await fetch(`${base}look/report-show?post=1`, { headers: { cookie } })
  ).text();
  assert.doesNotMatch(page, /action="act\//);
  assert.match(page, /<code>cairn post hide 1 --rule WORD --through 1<\/code>/);
  assert.match(page, /<code>cairn report dismiss 1 --through 1<\/code>/);
  const origin = new URL(base).origin;
  const headers = { cookie, origin, "content-type": "application/x-www-form-urlencoded" };
  const sent = await fetch(`${base}act/post-hide`, { method: "POST", headers, body: "id=1" });
  assert.equal(sent.status, 403);
  assert.match(await sent.text(), /CAIRN_CONSOLE=act/);
  const secret = join(console.variables.CAIRN_DATA_DIR, "console.secret");
  assert.equal(statSync(secret).mode & 0o777, 0o600);
  assert.ok(!console.service.output().includes(readFileSync(secret, "utf8")));
  await console.service.stop("SIGTERM");
  assert.throws(() => statSync(secret), "a clean stop takes the secret away");
  const none = await runHere(["console"], console.variables);
  assert.deepEqual([none.code, none.out], [1, ""]);
  assert.match(none.err, /No console answers at http:\/\/127\.0\.0\.1:\d+\. Start the service/);
  const open = { ...console.variables, CAIRN_ADMIN_HOST: "0.0.0.0", CAIRN_CONSOLE: "act" };
  const wrong = await runCairn(["serve"], open);
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /CAIRN_ADMIN_HOST must be a loopback address/);
});

test("behind a proxy with TLS it acts at its one address, also on a bound one, and nowhere else", async (t) => {
  const origin = "https://console.test:8443";
  const bound = { CAIRN_ADMIN_HOST: "0.0.0.0", CAIRN_CONSOLE_ORIGIN: origin };
  const console = await openConsole(t, "act", bound);
  await reportedPost(console);
  const ask = async (path: string, headers: Record<string, string>, body?: string) => {
    const method = body === undefined ? "GET" : "POST";
    const asked = request({ port: console.port, path, method, headers }).end(body);
    const [answer]: IncomingMessage[] = await once(asked, "response");
    assert.ok(answer !== undefined);
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
  };
  const Host = "console.test:8443";
  const link = new URL(await console.link());
  assert.equal(link.origin, origin);
  const path = `${link.pathname}${link.search}`;
  for (const other of ["127.0.0.1", `localhost:${console.port}`, "console.test"])
    assert.equal((await ask(path, { Host: other })).status, 403, `the console at ${other}`);
  assert.equal((await ask("/metrics", { Host })).status, 403, "figures by the console's name");
  assert.equal((await ask("/healthz", { Host: "127.0.0.1" })).status, 200);

  const opened = await ask(path, { Host });
  const [set = ""] = opened.headers["set-cookie"] ?? [];
  assert.match(set, /^__Secure-cairn_console_\d+=\w+; .*; SameSite=Strict; .*; Secure$/);
  const [Cookie = ""] = set.split(";");
  const base = opened.headers.location ?? "";
  const page = await ask(`${base}look/report-show?post=1`, { Host, Cookie });
  const sent = formOn(page.text, "post-hide");
  sent.set("rule", "R2");
  const form = { Host, Cookie, "Content-Type": "application/x-www-form-urlencoded" };
  const act = (Origin: string) => ask(`${base}act/post-hide`, { ...form, Origin }, `${sent}`);
  for (const foreign of ["https://console.test", "http://console.test:8443", "null"])
    assert.equal((await act(foreign)).status, 403, foreign);
  assert.equal((await act(origin)).status, 303);
  assert.equal((await console.get("/post/1")).status, 404);

  const refused = async (more: Record<string, string>) => {
    const { code, err } = await runCairn(["serve"], { ...console.variables, ...more });
    assert.equal(code, 2);
    return err;
  };
  assert.match(await refused({ CAIRN_ADMIN_PORT: "0" }), /is on the operators' listener/);
  assert.match(await refused({ CAIRN_BASE_URL: origin }), /has the host of CAIRN_BASE_URL/);
  for (const wrong of ["http://console.test", `${origin}/console`, "https://Console.test"])
    assert.match(await refused({ CAIRN_CONSOLE_ORIGIN: wrong }), /CAIRN_CONSOLE_ORIGIN is /);
});
