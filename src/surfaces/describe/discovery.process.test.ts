import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { openTestService } from "../../../test/service.ts";
import { DAY_S } from "../../kernel/time.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { namespaceOf } from "./server-card.ts";

const BASE_URL = "http://127.0.0.1:8080";
const KIB = 1_024;

const run = promisify(execFile);
let service: Awaited<ReturnType<typeof openTestService>>;

before(async () => {
  service = await openTestService("sqlite", "discovery");
});
after(() => service.close());

const fetched = async (path: string, init?: RequestInit) => {
  const answer = await fetch(service.url + path, init);
  const { status, headers } = answer;
  return { status, headers, text: await answer.text() };
};

/** The lines of all shell blocks of a markdown text. */
const commandsIn = (markdown: string): string[] =>
  [...markdown.matchAll(/^ *```sh\n([\s\S]*?)\n *```$/gm)].flatMap(([, block = ""]) =>
    block.split("\n").map((line) => line.trim()),
  );

test("every command of skill.md works as it stands, from the registration on", async () => {
  const { text } = await fetched("/api/v1/skill.md");
  const [register = "", ...others] = commandsIn(text);
  const say = async (command: string, variables: Record<string, string>) => {
    const here = command.replaceAll(BASE_URL, service.url);
    const { PATH = "" } = process.env;
    const { stdout } = await run("sh", ["-c", here], { env: { PATH, ...variables } });
    const answer = JSON.parse(stdout);
    assert.equal(answer.ok, true, `${command}\n${stdout}`);
    return answer;
  };
  const { token } = await say(register, {});
  assert.match(token, /^sk_/);
  assert.equal(others.length, 10);
  for (const command of others) await say(command, { TOKEN: token });
});

test("skill.md begins with what a model has to know, and asks for nothing that it should refuse", async () => {
  const { text } = await fetched("/api/v1/skill.md");
  const [, head = "", rest = ""] =
    /^---\n([\s\S]*?)\n---\n\n# Cairn\n\n([\s\S]*)$/.exec(text) ?? [];
  assert.match(head, /^name: cairn\nversion: "\d+\.\d+\.\d+"\ndescription: [^\n]+\.\nhomepage: /);
  assert(head.endsWith(`  api_base: ${BASE_URL}/api/v1\n  protocol_version: 1`));
  assert(rest.startsWith(INSTRUCTIONS));
  assert.doesNotMatch(
    text,
    /\| *(?:ba)?sh\b|\bnp[mx]\b|\binstall|\bdownload|\bcron\b|\bforever\b/i,
  );
});

test("every address in skill.md and llms.txt is a route", async () => {
  const { routes } = JSON.parse((await fetched("/api/v1")).text);
  const paths = new Set(routes.map(({ path }: { path: string }) => path));
  for (const name of ["skill.md", "llms.txt"]) {
    const { text } = await fetched(`/api/v1/${name}`);
    const named = [...text.matchAll(/(?:\/api\/v1|\/\.well-known|\/WHITEPAPER)[\w/.-]*/g)];
    const unknown = named.map(([path]) => path).filter((path) => !paths.has(path));
    assert(named.length > 10);
    assert.deepEqual(unknown, [], name);
  }
});

test("every link of llms.txt is absolute and leads to something", async () => {
  const { text } = await fetched("/api/v1/llms.txt");
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
  assert.deepEqual(headings, ["Cairn", "Start", "API", "Protocols", "Verify"]);
  for (const [, url = ""] of text.matchAll(/\]\(([^)]+)\)/g)) {
    assert(url.startsWith(BASE_URL), url);
    const { status } = await fetched(url.slice(BASE_URL.length));
    assert.equal(status, url.endsWith("/mcp") ? 405 : 200, url);
  }
});

const KINDS = {
  "/api/v1/skill.md": ["text/markdown; charset=utf-8", 60, 8 * KIB],
  "/api/v1/llms.txt": ["text/plain; charset=utf-8", 60, 4 * KIB],
  "/api/v1/mcp/server-card": ["application/mcp-server-card+json", 300, 4 * KIB],
} as const;

test("the documents have their types and bounds, and may be kept", async () => {
  for (const [path, [type, maxAge_s, max_bytes]] of Object.entries(KINDS)) {
    const { headers, text } = await fetched(path);
    assert.equal(headers.get("content-type"), type);
    assert.equal(headers.get("cache-control"), `public, max-age=${maxAge_s}`);
    assert.equal(headers.get("access-control-allow-origin"), "*");
    assert(Buffer.byteLength(text) <= max_bytes, path);
    const etag = headers.get("etag") ?? "";
    assert.equal((await fetched(path, { headers: { "if-none-match": etag } })).status, 304);
    const head = await fetched(path, { method: "HEAD" });
    assert.deepEqual([head.status, head.text, head.headers.get("etag")], [200, "", etag]);
  }
});

test("the root leads to everything", async () => {
  const { ok, service, message, ...paths } = JSON.parse((await fetched("/")).text);
  assert.deepEqual(
    [ok, service, message],
    [true, "cairn", "This is an API for agents. Start at /api/v1."],
  );
  assert.deepEqual(paths, {
    api: "/api/v1",
    skill: "/api/v1/skill.md",
    openapi: "/api/v1/openapi.json",
    mcp: "/api/v1/mcp",
    agent_card: "/.well-known/agent-card.json",
  });
  for (const path of Object.values<string>(paths))
    assert.equal((await fetched(path)).status, path.endsWith("/mcp") ? 405 : 200, path);
});

test("the server card names the service after its host, which an address is not", async () => {
  assert.equal(namespaceOf("example.org"), "org.example");
  assert.equal(namespaceOf("cairn.example.org"), "org.example.cairn");
  for (const host of ["localhost", "127.0.0.1", "[::1]"])
    assert.equal(namespaceOf(host), "local.cairn");
  const card = JSON.parse((await fetched("/api/v1/mcp/server-card")).text);
  assert.equal(card.name, "local.cairn/cairn");
  assert(card.description.length <= 100);
  assert.equal(card.remotes[0].url, `${BASE_URL}/api/v1/mcp`);
  assert.equal("ok" in card || "tools" in card, false);
});

test("security.txt is there when a contact is set, and expires 180 days after today", async (t) => {
  const paths = ["/.well-known/security.txt", "/security.txt"];
  for (const path of paths) assert.equal((await fetched(path)).status, 404, path);

  const contact = "mailto:security@example.org";
  const set = await openTestService("sqlite", "security", { CAIRN_SECURITY_CONTACT: contact });
  t.after(set.close);
  const textAt = async (path: string) => {
    const answer = await fetch(set.url + path);
    assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
    return answer.text();
  };
  const expected = (expires: string) =>
    [
      `Contact: ${contact}`,
      `Expires: ${expires}T00:00:00Z`,
      ...paths.map((path) => `Canonical: ${BASE_URL}${path}`),
      "",
    ].join("\n");
  for (const path of paths) assert.equal(await textAt(path), expected("2027-07-14"));
  assert.equal(await textAt(paths[0] ?? ""), expected("2027-07-14"), "it is kept by now");
  set.pass(DAY_S);
  for (const path of paths) assert.equal(await textAt(path), expected("2027-07-15"));
});
