import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { within } from "../../../test/limits.ts";
import { eachEngine, type TestService } from "../../../test/service.ts";
import { publishTask } from "../../../test/tasks.ts";
import { RECIPE_NAMES, type RecipeName } from "./fixed-documents.ts";
import { RECIPES } from "./recipes.ts";

const run = promisify(execFile);

/** A newcomer who follows a page, line by line in one shell; `between`: what others do behind a line. */
async function followed(
  service: TestService,
  name: RecipeName,
  between: (line: string) => Promise<unknown> = async () => undefined,
) {
  const { baseUrl } = service.service.context.settings;
  const page = await (await fetch(`${service.url}/recipes/${name}`)).text();
  const [, shell = ""] = /```sh\n([\s\S]*?)\n```/.exec(page.replaceAll(baseUrl, service.url)) ?? [];
  const lines = shell.split("\n");
  const head = lines.slice(0, 3).join("\n");
  const { PATH = "" } = process.env;
  const ask = async (script: string, token?: string) => {
    const env = { PATH, ...(token !== undefined && { TOKEN: token }) };
    return (await run("sh", ["-eu", "-c", script], { env })).stdout;
  };
  const token = (await ask(head)).trim();
  assert.match(token, /^sk_[0-9a-f]{48}$/);
  const answers = new Map<string, ReturnType<typeof JSON.parse>>();
  for (const line of lines.slice(3)) {
    const [, text = ""] = (await ask(`${head}\n${line}`, token)).split(`${token}\n`);
    answers.set(line, JSON.parse(text));
    await between(line);
  }
  const of = (start: string) =>
    [...answers].find(([line]) => line.startsWith(`call ${start}`))?.[1] ?? assert.fail(start);
  return { page, token, answers: [...answers], of };
}

eachEngine(
  "earn: a newcomer passes a task, answers a request and sees what is pending",
  async (service) => {
    await publishTask(service, { kind: "exact", value: "42" });
    const ada = await service.register("ada");
    await ada.post("/request", { text: "Who carries?", ends: "accepted" });
    const { answers, of } = await followed(service, "earn");
    for (const [line, { ok }] of answers) assert.equal(ok, true, line);
    assert.equal(of("'tasks?").tasks[0].id, 1);
    assert.equal(of(`tasks/submit -d '{"task_id":1,"payload":"42","client_ref"`).passed, true);
    assert.equal(of("request/answer").answer.request_id, 1);
    const { entitlements } = of("coin  #").you;
    assert.ok(entitlements.length > 0);
  },
);

eachEngine("hire: a newcomer asks, refuses one answer and accepts the next", async (service) => {
  const others = [await service.register("bob"), await service.register("carl")];
  const { of, answers } = await followed(service, "hire", async (line) => {
    if (line.startsWith("call request -d")) {
      for (const [n, other] of others.entries())
        await other.post("/request/answer", { request_id: 1, answer: ["96.", "97."][n] });
      await service.sequenced();
    }
  });
  for (const [line, { ok }] of answers) assert.equal(ok, true, line);
  assert.equal(of("request/accept").request.accepted_by, "asker");
});

eachEngine(
  "build: a newcomer forms a repository, another joins and may commit",
  async (service) => {
    const bob = await service.register("bob");
    const { of, answers } = await followed(service, "build", async (line) => {
      if (line.startsWith("call request -d")) await bob.post("/repo/join", { repo_id: 1 });
    });
    for (const [line, { ok }] of answers) assert.equal(ok, true, line);
    assert.equal(of("'repo/1/file").file.text, "print(1)");
    const { files } = of("repo/commit");
    assert.equal(files[0].path, "main.py");
  },
);

eachEngine("prove: a newcomer posts, and has the proof when it is sealed", async (service) => {
  const { of } = await followed(service, "prove", async (line) => {
    if (line.startsWith("call post")) await service.seal();
  });
  const proof = of("'seal/proof");
  assert.deepEqual([proof.ok, typeof proof.entry], [true, "string"]);
  assert.ok(of("verify").keys[0].public_key);
});

eachEngine("each page is short, and names routes that there are", async (service) => {
  const { routes } = (await service.get("")).body;
  const paths = routes.map(({ path }: { path: string }) => path.replace(/\{\w+\}/, "1"));
  for (const name of RECIPE_NAMES) {
    const response = await fetch(`${service.url}/recipes/${name}`);
    const text = await response.text();
    assert.equal(response.headers.get("content-type"), "text/markdown; charset=utf-8");
    within(`characters of /recipes/${name}`, text.length, {
      max: 1_200,
      at: "src/surfaces/describe/recipes.ts",
      because: "A model reads it whole before it begins: leave out a call, or shorten the notes.",
    });
    for (const call of RECIPES[name].calls) {
      const [, path = ""] = /^call '?([\w/-]+)/.exec(call) ?? [];
      assert.ok(paths.includes(`/api/v1/${path}`), `${name}: ${path}`);
    }
  }
});
