import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { bundleClient } from "../packages/build.ts";
import { openChromium } from "./browser/chromium.ts";
import { WATCHDOG_MS } from "./postgres-store.ts";
import vectors from "./vectors/messages.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
let folder: string;
let bundle: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "cairn-client-"));
  bundle = join(folder, "client.mjs");
  await bundleClient(bundle);
});
after(() => rm(folder, { recursive: true, force: true }));

async function listening(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert(typeof address === "object" && address !== null);
  return `http://127.0.0.1:${address.port}`;
}

test("the client is made of the contracts, pure rules and the kernel alone", async () => {
  const { metafile } = await build({
    entryPoints: [join(root, "src/client/index.ts")],
    absWorkingDir: root,
    bundle: true,
    platform: "neutral",
    write: false,
    metafile: true,
  });
  const allowed =
    /^(node_modules\/(zod|canonicalize|@noble\/(hashes|curves)|@hpke\/(core|common|chacha20poly1305)|ajv|re2js|fast-deep-equal|json-schema-traverse|fast-uri)\/|src\/(client|kernel)\/|src\/contracts\.ts$|src\/[a-z]+\/(rules|(own-)?(contract|shapes))\.ts$|src\/tasks\/criterion)/;
  const foreign = Object.keys(metafile.inputs).filter((path) => !allowed.test(path));
  assert.deepEqual(foreign, []);
});

test("the bundle imports nothing, and Node loads it", async () => {
  const { metafile } = await build({
    entryPoints: [bundle],
    bundle: true,
    external: ["*"],
    write: false,
    metafile: true,
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  // HPKE asks Node for its crypto where no global one is, which no Node of today lacks.
  assert.deepEqual(
    imports.filter(({ path, kind }) => path !== "crypto" || kind !== "dynamic-import"),
    [],
  );
  const { connect } = await import(pathToFileURL(bundle).href);
  assert.equal(typeof connect({ baseUrl: "http://127.0.0.1:1" }).feed.list, "function");
});

/** A network that only knows the challenge and registration, for any origin. */
function network(request: IncomingMessage, response: ServerResponse) {
  const open = { "access-control-allow-origin": "*" };
  if (request.method === "OPTIONS") {
    const headers = { "access-control-allow-headers": "authorization, content-type" };
    return response.writeHead(204, { ...open, ...headers }).end();
  }
  const puzzle = { challenge_id: "c", words: ["oak"], pow_prefix: "0123456789abcdef", pow_bits: 8 };
  const answer = (status: number, body: object) =>
    response
      .writeHead(status, { ...open, "content-type": "application/json" })
      .end(JSON.stringify(body));
  if (request.url === "/api/v1/challenge") return answer(200, { ok: true, ...puzzle });
  let text = "";
  return request
    .on("data", (chunk) => {
      text += chunk;
    })
    .on("end", () => answer(201, { ok: true, sent: JSON.parse(text) }));
}

const PAGE = `<!doctype html><script type="module">
  import * as cairn from "/client.mjs";
  const { connect, solveChallenge, CairnError } = cairn;
  const { agents: [ada, bob], boxes: [{ box }] } = ${JSON.stringify(vectors).replaceAll("<", "\\u003c")};
  const knowing = ({ agent_id, capabilities }) =>
    ({ views: { agent: async () => ({ agent: { agent_id }, noticeboard: { capabilities } }) } });
  const mailboxOf = (own, other) =>
    ({ network: knowing(other), agent_id: own.agent_id, keys: [own], store: cairn.messageMemory() });
  const exchange = async () => {
    const [hers, his] = [mailboxOf(ada, bob), mailboxOf(bob, ada)];
    const read = (mailbox, { agent_id }, box) =>
      cairn.openMessage(mailbox, { id: box.length, from: { agent_id }, box }, 1800000000);
    const back = await cairn.sealMessage(his, { to: "ada", body: "Hello, Ada.", now: 1800000000 });
    return [(await read(his, ada, box)).body, (await read(hers, bob, back.box)).body];
  };
  const network = connect({ baseUrl: new URL(location).searchParams.get("network"), timeout_ms: 60000 });
  const report = async () => {
    const solved = solveChallenge(await network.identity.challenge());
    const { sent } = await network.identity.register({ ...solved, handle: "ada" });
    const error = await connect({ baseUrl: "http://127.0.0.1:1" }).feed.list().catch((e) => e);
    const code = error instanceof CairnError && error.code;
    return { sent, code, letters: await exchange() };
  };
  report().then((value) => { window.result = value; }, (error) => { window.result = String(error); });
</script>`;

test("a page of another origin calls the network from a real browser", async (t) => {
  const baseUrl = await listening(t, network);
  const code = await readFile(bundle, "utf8");
  const origin = await listening(t, (request, response) => {
    const isCode = request.url === "/client.mjs";
    response.setHeader("content-type", isCode ? "text/javascript" : "text/html; charset=utf-8");
    response.end(isCode ? code : PAGE);
  });
  const browser = await openChromium();
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`${origin}/?network=${encodeURIComponent(baseUrl)}`);
  await page.waitForFunction("window.result !== undefined", null, { timeout: WATCHDOG_MS });
  assert.deepEqual(await page.evaluate("window.result"), {
    sent: { challenge_id: "c", answer: "o", pow: "513", handle: "ada" },
    code: "unreachable",
    letters: ["Hello, Bob.", "Hello, Ada."],
  });
});
