import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import type { Plugin } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { buildClient } from "../packages/client.ts";
import { CLIENT_ENTRIES } from "../packages/manifests.ts";
import { VERIFIER } from "../packages/verifier.ts";
import { openChromium } from "./browser/chromium.ts";
import { WATCHDOG_MS } from "./postgres-store.ts";
import { type RunningService, startService } from "./process.ts";

/** What the oldest browsers of the client lack, and what many have not in WebCrypto. */
const OLDER = `
  for (const name of ["toHex", "toBase64", "setFromHex", "setFromBase64"]) delete Uint8Array.prototype[name];
  for (const name of ["fromHex", "fromBase64"]) delete Uint8Array[name];
  for (const name of ["any"]) delete AbortSignal[name];
  for (const name of ["parse", "canParse"]) delete URL[name];
  for (const name of ["withResolvers", "try"]) delete Promise[name];
  delete globalThis.Iterator;
  for (const name of ["generateKey", "importKey", "deriveBits", "deriveKey"]) {
    const given = SubtleCrypto.prototype[name];
    SubtleCrypto.prototype[name] = function (...all) {
      if (JSON.stringify(all).includes("X25519"))
        return Promise.reject(new DOMException("Unrecognized name.", "NotSupportedError"));
      return given.apply(this, all);
    };
  }
`;

const importMap = {
  imports: Object.fromEntries(
    CLIENT_ENTRIES.map((name) => [name === "index" ? "cairn" : `cairn/${name}`, `/${name}.js`]),
  ),
};

const PAGE = `<!doctype html>
<script type="importmap">${JSON.stringify(importMap)}</script>
<script>${OLDER}</script>
<script type="module">
  import { CairnError, connect, isEntry } from "cairn";
  import { indexedDbStore } from "cairn/browser";
  import { solveChallenge } from "cairn/challenge";
  import { openMailbox } from "cairn/messages";
  import { verifyProof } from "cairn/proofs";
  const network = connect({ baseUrl: new URL(location).searchParams.get("network") });
  const agent = async () => {
    const solved = await solveChallenge(await network.identity.challenge());
    return network.withToken((await network.identity.register(solved)).token);
  };
  window.journey = async () => {
    const [ada, bob] = [await agent(), await agent()];
    const mine = await openMailbox(ada, { store: await indexedDbStore("ada") });
    const his = await openMailbox(bob, { store: await indexedDbStore("bob") });
    await mine.send(his.agent_id, "Hello, Bob.");
    const letters = [];
    for await (const letter of his.letters()) letters.push(letter.body ?? letter.reason);
    const { post } = await ada.post.create({ body: "A stone." });
    for await (const change of network.follow())
      if (isEntry(change, "post") && change.body.post_id === post.id) break;
    const { origin, public_key: key } = await network.ledger.verify();
    const proof = async () => {
      for (;;) {
        const answer = await network.seal.proofGet({ kind: "post", id: post.id }).catch((e) => e);
        if (!(answer instanceof CairnError) && answer.seal.signed) return answer;
        await new Promise((again) => setTimeout(again, 200));
      }
    };
    const { proven } = verifyProof(await proof(), { origin, key });
    const { verify } = await import("/verify.mjs");
    const report = await verify({ url: new URL(location).searchParams.get("network"), keys: [key] });
    return { letters, proven, report };
  };
  /** What one tab of two does: it opens the store, and asks who had a nonce first. */
  window.race = async (message_id) => {
    const store = await indexedDbStore("shared");
    const firsts = [];
    for (let n = 0; n < 50; n++)
      firsts.push(await store.firstWith({ from: "a", nonce: String(n), message_id, until: 4e9 }));
    await store.pin("ag_x", { encryption: "e", signing: "s" });
    return firsts;
  };
  /** What a store knows of handles, and of a nonce, when it is opened again. */
  window.reopened = async () => {
    const store = await indexedDbStore("again");
    await store.setHandleOwner("x", "ag_x");
    await store.firstWith({ from: "a", nonce: "far", message_id: 1, until: 2 ** 60 });
    const again = await indexedDbStore("again");
    const first = await again.firstWith({ from: "a", nonce: "far", message_id: 2, until: 4e9 });
    return [await again.handleOwner("x"), await again.handleOwner("y"), first];
  };
  window.ready = true;
</script>`;

let folder: string;
let service: RunningService;
let browser: Browser;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "cairn-page-"));
  service = await startService({
    CAIRN_DATA_DIR: join(folder, "data"),
    CAIRN_SEAL_INTERVAL_S: "1",
    CAIRN_LOG_LEVEL: "error",
  });
  browser = await openChromium();
});
after(async () => {
  await browser.close();
  await service.stop("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** An origin that serves the page and a build of the client. */
async function siteWith(
  t: TestContext,
  plugins: readonly Plugin[] = [],
): Promise<() => Promise<Page>> {
  const files = mkdtempSync(join(folder, "site-"));
  await buildClient(files, plugins);
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://a");
    const isPage = pathname === "/";
    response.setHeader("content-type", isPage ? "text/html" : "text/javascript");
    if (isPage) response.end(PAGE);
    else response.end(readFileSync(pathname === "/verify.mjs" ? VERIFIER : join(files, pathname)));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert(typeof address === "object" && address !== null);
  const context = await browser.newContext();
  return async () => {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${address.port}/?network=${encodeURIComponent(service.url)}`);
    await page.waitForFunction("window.ready", null, { timeout: WATCHDOG_MS });
    return page;
  };
}

test("a page without the newer methods and without X25519 writes, reads and verifies", async (t) => {
  const page = await (await siteWith(t))();
  const { letters, proven, report } = await page.evaluate<{
    letters: string[];
    proven: boolean;
    report: { ok: boolean; findings: unknown[] };
  }>("window.journey()");
  assert.deepEqual([letters, proven], [["Hello, Bob."], true]);
  assert.equal(report.ok, true, JSON.stringify(report));
});

test("two tabs agree on who had a nonce first", async (t) => {
  const open = await siteWith(t);
  const [one, two] = [await open(), await open()];
  const [first, second] = await Promise.all([
    one.evaluate<number[]>("window.race(1)"),
    two.evaluate<number[]>("window.race(2)"),
  ]);
  assert.deepEqual(first, second);
});

test("a store that is opened again knows handles, and nonces that were kept for ever", async (t) => {
  const page = await (await siteWith(t))();
  assert.deepEqual(await page.evaluate("window.reopened()"), ["ag_x", null, 1]);
});

/** The suite as it was, which takes X25519 from WebCrypto. */
const fromWebCrypto: Plugin = {
  name: "web-crypto",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^@hpke\/dhkem-x25519$/ }, ({ resolveDir, kind }) =>
      resolve("@hpke/core", { resolveDir, kind }),
    );
  },
};

test("with the key exchange of WebCrypto the same page seals nothing", async (t) => {
  const page = await (await siteWith(t, [fromWebCrypto]))();
  await assert.rejects(page.evaluate("window.journey()"), /Nothing can be sealed/);
});
