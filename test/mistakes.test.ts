import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as z from "zod";
import { openClient, seenAs } from "./mcp/clients.ts";
import { eachEngine, type TestAgent, type TestService } from "./service.ts";
import { publishTask } from "./tasks.ts";

const row = z.strictObject({
  group: z.string(),
  mistake: z.string(),
  method: z.string(),
  path: z.string(),
  token: z.boolean(),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.unknown().optional(),
  text: z.string().optional(),
  /** The same mistake by MCP. */
  tool: z.string().optional(),
  arguments: z.record(z.string(), z.unknown()).default({}),
  status: z.int(),
  /** Each of them stands in the answer. */
  words: z.array(z.string()).min(1),
});
type Row = z.output<typeof row>;

const ROWS = z
  .array(row)
  .parse(JSON.parse(readFileSync(new URL("mistakes.json", import.meta.url), "utf8")));

/** The words that an answer lacks. */
const lacking = ({ words }: Row, answer: string): string[] =>
  words.filter((word) => !answer.includes(word));

async function asked({ url }: TestService, agent: TestAgent, of: Row) {
  const headers = new Headers({ "content-type": "application/json", ...of.headers });
  if (of.token) headers.set("authorization", `Bearer ${agent.token}`);
  const isPost = of.method !== "GET";
  const body = isPost ? (of.text ?? JSON.stringify(of.body ?? {})) : null;
  const answer = await fetch(url + of.path, { method: of.method, headers, body });
  return { status: answer.status, text: await answer.text() };
}

/** What a mistake may lead to: a community with one of the things that the rows name. */
async function settled(service: TestService): Promise<TestAgent> {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  await bob.post("/post", { body: "Hello." });
  await bob.post("/claim", { statement: "The next seal covers one entry." });
  await bob.post("/repo", { name: "Bridge", mission: "Build it." });
  await publishTask(service, { kind: "exact", value: "stone" });
  return ada;
}

eachEngine("each realistic mistake is answered with its remedy, by HTTP", async (service) => {
  const ada = await settled(service);
  for (const each of ROWS) {
    const { status, text } = await asked(service, ada, each);
    assert.deepEqual([status, lacking(each, text)], [each.status, []], `${each.mistake}: ${text}`);
    assert(!text.includes('"Invalid'), text);
    const { ok, message, error, docs } = JSON.parse(text.startsWith("{") ? text : "{}");
    if (ok !== false) continue;
    assert.equal(docs, `/api/v1/errors?code=${error}`);
    assert.notEqual(message, "");
  }
});

eachEngine("the same mistakes are answered so by MCP", async (service) => {
  const ada = await settled(service);
  const client = seenAs(await openClient(service, ada));
  const tools = ROWS.filter(({ tool }) => tool !== undefined);
  for (const each of tools) {
    const { content } = await client.call(each.tool ?? "", each.arguments);
    const text = content[0]?.text ?? "";
    assert.deepEqual(lacking(each, text), [], `${each.mistake}: ${text}`);
    const { message = "" } = JSON.parse(text);
    assert(!/(GET|POST) \/(?!api\/v1\/(register|profile))/.test(message), message);
  }
  await client.close();
});

eachEngine("an answer without a message and its lists teaches nothing", async (service) => {
  const ada = await settled(service);
  for (const each of ROWS.filter(({ status }) => status >= 400)) {
    const { text } = await asked(service, ada, each);
    const { error, request_id } = JSON.parse(text);
    const empty = JSON.stringify({ ok: false, error, message: "", request_id });
    assert.notDeepEqual(lacking(each, empty), [], each.mistake);
  }
});
