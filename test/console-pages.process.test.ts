import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { test } from "node:test";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { openChromium } from "./browser/chromium.ts";
import { openConsole, reportedPost } from "./console-service.ts";
import { matchesGoldenJson } from "./golden.ts";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";
import { runHere } from "./process.ts";

const PATHS = [
  "",
  "look/agent-list",
  "look/agent-show?agent=ada",
  "look/agent-list?by=reports",
  "look/agent-storage",
  "look/report-list",
  "look/report-groups?by=agent",
  "look/report-show?post=1",
  "look/post-show?id=1",
  "look/text-list",
  "look/file-list",
  "look/file-show?sha256=SHA256",
  "look/post-list",
  "look/post-list?flagged=on",
  "look/app-list",
  "look/offer-list",
  "market",
  "market?chain=on",
  "look/order-list",
  "treasury",
  "look/transfer-list",
  "?span=all",
  "ledger",
  "look/task-list",
  "look/entry-show?kind=post&id=1",
  "look/entry-list",
  "look/journal",
  "look/quest-list",
  "look/quest-show?id=1",
  "look/find?words=hello",
  "performance",
  "settings",
  "log",
];

/** Of a telephone, a tablet, a notebook and a large screen. */
const WIDTHS = [390, 768, 1_280, 1_920];

/** Pages with tables that stand there only under some load. */
const BY_LOAD = new Set(["performance"]);

/** `npm run golden` asks only for the outlines; the rest tries pages for people. */
const IS_GOLDEN = process.env["TEST_GOLDEN"] === "write";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The faults of a page, for people, at the width that it has and in its scheme. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  const overflow = await overflowOf(page);
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>("axe.run()");
  const found = violations.map(({ id }) => id);
  return overflow > 0 ? ["overflow", ...found] : found;
}

const overflowOf = (page: Page) =>
  page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");

/** The widths at which a page is wider than its window. */
async function tooWide(page: Page): Promise<readonly number[]> {
  const found: number[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    if ((await overflowOf(page)) > 0) found.push(width);
  }
  return found;
}

const STOPS =
  "[...document.querySelectorAll(\"a[href],button,input:not([type=hidden]),select,textarea,[tabindex='0']\")].filter((each) => !each.disabled)";

/** Controls that the keyboard does not reach in the order of the page, or that do not show that it is there. */
async function keyboardFaults(page: Page): Promise<readonly string[]> {
  const count = await page.evaluate<number>(`(window.stops = ${STOPS}).length`);
  await page.evaluate("document.activeElement?.blur(); scrollTo(0, 0)");
  const faults: string[] = [];
  for (let i = 0; i < count; i++) {
    await page.keyboard.press("Tab");
    const fault = await page.evaluate<string | null>(`(() => {
      const [own, meant] = [document.activeElement, window.stops[${i}]];
      const { outlineStyle, outlineWidth } = getComputedStyle(own);
      if (own !== meant) return "stop ${i}: " + meant.outerHTML.slice(0, 80);
      return outlineStyle === "none" || outlineWidth === "0px" ? "unseen: " + own.outerHTML.slice(0, 80) : null;
    })()`);
    if (fault !== null) faults.push(fault);
    if (faults.length > 2) return faults;
  }
  return faults;
}

/** The words that give a part of a page its structure, in their order. */
const outlineOf = (page: Page, part: string) =>
  page.evaluate<string[]>(
    `[...document.querySelector("${part}").querySelectorAll("a[aria-current], h1, h2, h3, th, dt, label, button")]
      .map((each) => each.localName + " " + each.textContent.trim())`,
  );

/** Something for each page to show; resolves to the name of a file's content. */
async function furnished(console: Awaited<ReturnType<typeof openConsole>>): Promise<string> {
  const token = await reportedPost(console);
  const { post, variables } = console;
  await post("/repo", { name: "Bridge", mission: "Carry." }, { token });
  const files = [{ path: "a/long/path/to/README.md", text: "A bridge.\n" }];
  const { body } = await post("/repo/commit", { repo_id: 1, summary: "First.", files }, { token });
  const words = ["--title", "Draw it", "--description", "As it will be.", "--days", "2", "--yes"];
  const { code, err } = await runHere(["quest", "add", ...words], variables);
  assert.equal(code, 0, err);
  return body.files[0].sha256;
}

test("pages: readable by everybody, small, without a stranger's markup or request", async (t) => {
  const console = await openConsole(t, "act");
  const sha256 = await furnished(console);
  const browser = await openChromium();
  t.after(() => browser.close());
  const context = await browser.newContext({ bypassCSP: true }); // For axe; what is loaded is watched.
  const page = await context.newPage();
  const reported: string[] = [];
  const origin = `http://127.0.0.1:${console.port}/`;
  page.on("console", (message) => reported.push(message.text()));
  page.on("pageerror", (error) => reported.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(origin)) reported.push(request.url());
  });
  await page.goto(await console.link());
  const base = page.url();
  const outlines: Record<string, readonly string[]> = {};
  const views = [
    ["light", 1_280],
    ["dark", 420],
  ] as const;
  for (const [colorScheme, width] of IS_GOLDEN ? views.slice(1) : views) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    for (const path of PATHS) {
      await page.setViewportSize({ width, height: 900 });
      const answer = await page.goto(base + path.replace("SHA256", sha256));
      assert.equal(answer?.status(), 200, path);
      if (!BY_LOAD.has(path))
        outlines[path] = [await outlineOf(page, "nav"), await outlineOf(page, "main")].flat();
      if (IS_GOLDEN) continue;
      const bytes = Buffer.byteLength((await answer?.text()) ?? "");
      assert.ok(bytes <= 256 * 1_024, path);
      assert.deepEqual(await faultsOf(page), [], `${path}, ${colorScheme}, ${width}`);
      assert.equal(await page.locator("h1").count(), 1, path);
      const skip = await page.evaluate<string>("document.querySelector('a.skip').href");
      assert.equal(skip, `${page.url()}#main`, "the first stop of the keyboard stays on the page");
      if (width === 1_280) assert.deepEqual(await keyboardFaults(page), [], path);
      else assert.deepEqual(await tooWide(page), [], path);
    }
  }
  assert.deepEqual(reported, []);
  matchesGoldenJson("console.json", outlines);
  if (IS_GOLDEN) return;
  await page.goto(`${base}look/post-show?id=1`);
  assert.match(
    (await page.textContent("main")) ?? "",
    /Hello <img src=x onerror=alert\(1\)> ⟨U\+202E⟩world/,
  );

  const faulty: readonly (readonly [string, string])[] = [
    ["color-contrast", '<p style="color:#999;background:#aaa">grey</p>'],
    ["label", '<input type="text">'],
    ["overflow", '<div style="width:3000px">wide</div>'],
  ];
  for (const [fault, markup] of faulty) {
    await page.goto(base);
    const add = `document.querySelector("main").insertAdjacentHTML("beforeend", ${JSON.stringify(markup)})`;
    await page.evaluate(add);
    assert.deepEqual(await faultsOf(page), [fault], "the control is found");
    if (fault === "overflow") assert.deepEqual(await tooWide(page), WIDTHS);
  }
  const unseen = '<a href="/" style="outline:none!important">no outline</a>';
  await page.evaluate(`document.querySelector("h1").insertAdjacentHTML("afterend", '${unseen}')`);
  assert.match((await keyboardFaults(page)).join(), /^unseen: <a href="\/"/);
});

test("an operator finds a report and hides the post, without script; another port's page reads nothing", {
  skip: IS_GOLDEN,
}, async (t) => {
  const console = await openConsole(t, "act");
  await reportedPost(console);
  const browser = await openChromium();
  t.after(() => browser.close());
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(await console.link());
  const base = page.url();
  await page.getByRole("link", { name: "post is reported" }).click();
  await page.getByRole("region").getByRole("link", { name: "1", exact: true }).click();
  const form = page.locator('form[action="act/post-hide"]');
  await form.getByLabel("rule").selectOption("R2");
  await form.getByLabel("reason").fill("Spam.");
  await form.getByRole("button").click();
  assert.match(
    (await page.getByRole("status").textContent()) ?? "",
    /^Post 1 is hidden\. That ends 1 report on post 1 \(R2 × 1\)\.$/,
  );
  assert.notEqual((await console.get("/post/1")).status, 200);
  await page.getByRole("link", { name: "Overview" }).click();
  assert.match((await page.textContent("main")) ?? "", /Nothing waits for you\./);

  const other = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end("<p>Another port of this machine.</p>");
  });
  const port = await freePort();
  await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
  t.after(() => other.close());
  const scripted = await browser.newContext();
  await scripted.addCookies(await context.cookies());
  const attacker = await scripted.newPage();
  await attacker.goto(`http://127.0.0.1:${port}/`);
  const read = await attacker.evaluate<string>(
    `fetch(${JSON.stringify(base)}, { credentials: "include", mode: "no-cors" }).then((a) => a.text(), () => "")`,
  );
  assert.equal(read, "");
  await attacker.setContent(`<form method="post" action="${base}leave"><button>Go</button></form>`);
  await attacker.getByRole("button").click();
  await attacker.waitForURL(`${base}leave`);
  assert.match((await attacker.textContent("main")) ?? "", /did not come from a page/);
  assert.equal((await page.goto(base))?.status(), 200, "the session is still open");
});

test("an audit begun on the page Ledger leaves a report that runs nothing, also where the console only reads", {
  skip: IS_GOLDEN,
}, async (t) => {
  const console = await openConsole(t, "read");
  await reportedPost(console);
  const browser = await openChromium();
  t.after(() => browser.close());
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  await page.goto(await console.link());
  const ledger = `${page.url()}ledger`;
  for (const [button, name] of [
    ["Audit now", "audit"],
    ["Run doctor", "doctor"],
  ] as const) {
    await page.goto(ledger);
    await page.getByRole("button", { name: button }).click();
    await eventually(async () => {
      await page.goto(ledger);
      return (await page.getByRole("link", { name, exact: true }).count()) > 0;
    });
  }
  const href = await page.getByRole("link", { name: "audit", exact: true }).getAttribute("href");
  const answer = await page.goto(new URL(href ?? "", ledger).href);
  assert.match(answer?.headers()["content-security-policy"] ?? "", /default-src 'none'.*sandbox/);
  assert.match((await page.textContent("h1")) ?? "", /^Audit of /);
  assert.match((await page.textContent("main")) ?? "", /Nobody, not even the operator/);
  for (const [colorScheme, width] of [
    ["light", 1_280],
    ["dark", 420],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    assert.deepEqual(await faultsOf(page), [], `${colorScheme}, ${width}`);
  }
  const forged = await fetch(`${ledger.replace(/ledger$/, "run/audit")}`, {
    method: "POST",
    headers: { cookie: cookieOf(await context.cookies()), origin: new URL(ledger).origin },
    body: new URLSearchParams({ csrf: "0".repeat(64) }),
  });
  assert.equal(forged.status, 403, "only a form of the page starts one");
});

const cookieOf = (cookies: readonly { readonly name: string; readonly value: string }[]): string =>
  cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
