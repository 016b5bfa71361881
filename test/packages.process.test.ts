import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import manifest from "../package.json" with { type: "json" };
import { buildPackages } from "../packages/build.ts";
import { licencesOf } from "../packages/licences.ts";
import { NAMES } from "../packages/manifests.ts";
import { install, pack, packagesIn, sizeOf } from "./packed.ts";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";
import { type Program, startService } from "./process.ts";
import { RUNTIMES, withoutRuntimes } from "./runtimes.ts";
import { clientOf, ENGINES } from "./service.ts";
import { type Site, sealed, siteFor, withoutDatabase } from "./site.ts";

const INSTALLED_MAX_BYTES = 6_000_000;

let folder: string;
let tarball: string;
/** Where npm has installed it. */
let home: string;
const built = () => join(folder, "packages/service");
const installed = (): Program => [process.execPath, join(home, "node_modules/.bin/cairn")];
const emptyFolder = () => mkdtempSync(join(folder, "empty-"));

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "cairn-packages-"));
  await buildPackages(join(folder, "packages"));
  tarball = pack(built(), folder);
  home = emptyFolder();
  install("npm", tarball, home);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** One package and one command, and the command runs. */
function assertInstalled(place: string): void {
  const modules = join(place, "node_modules");
  assert.deepEqual(packagesIn(modules), [NAMES.service]);
  assert.deepEqual(readdirSync(join(modules, ".bin")), ["cairn"]);
  assert.ok(sizeOf(join(modules, NAMES.service)) <= INSTALLED_MAX_BYTES);
  const asked = spawnSync(join(modules, ".bin/cairn"), ["--version"], { encoding: "utf8" });
  const node = process.version.slice(1);
  const reported = `cairn ${manifest.version}, protocol 1, Node ${node}\n`;
  assert.equal(asked.stderr + asked.stdout, reported);
}

test("npm installs one package with one command", () => assertInstalled(home));

for (const by of ["pnpm", "Bun"] as const)
  test(`${by} installs one package with one command`, { skip: withoutRuntimes }, () => {
    const place = emptyFolder();
    install(by, tarball, place);
    assertInstalled(place);
  });

test("a dependency would be seen: a second package", () => {
  const [place, other, copy] = [emptyFolder(), emptyFolder(), emptyFolder()];
  writeFileSync(join(other, "package.json"), '{ "name": "other", "version": "1.0.0" }');
  cpSync(built(), copy, { recursive: true });
  const own = JSON.parse(readFileSync(join(copy, "package.json"), "utf8"));
  const dependencies = { other: `file:${pack(other, other)}` };
  writeFileSync(join(copy, "package.json"), JSON.stringify({ ...own, dependencies }));
  install("npm", pack(copy, copy), place);
  assert.throws(() => assertInstalled(place), /'other'/);
});

test("publint finds nothing to say", { skip: withoutRuntimes }, () => {
  const args = [RUNTIMES.publint, "run", built(), "--strict", "--pack=false"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /All good!/);
});

test("the licence of every package in the bundle is beside it", async () => {
  const licences = readFileSync(join(built(), "THIRD-PARTY-LICENSES"), "utf8");
  const { metafile } = await build({
    absWorkingDir: join(import.meta.dirname, ".."),
    entryPoints: ["src/cli/cairn.ts", "src/main/service/criterion-worker.ts"],
    outdir: folder,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["pg-native"],
    write: false,
    metafile: true,
  });
  const held = new Set(
    Object.keys(metafile.inputs).flatMap(
      (path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
    ),
  );
  assert.ok(["zod", "pg", "@a2a-js/sdk", "@modelcontextprotocol/server"].every((x) => held.has(x)));
  for (const name of held)
    assert.match(licences, new RegExp(`^${name} \\S+ \\(.+\\)\\n\\n(.+\\n*){4}`, "m"), name);

  const root = emptyFolder();
  cpSync(join(import.meta.dirname, "../node_modules/xtend"), join(root, "node_modules/xtend"), {
    recursive: true,
  });
  const inputs = ["src/x.ts", "node_modules/xtend/mutable.js"];
  assert.match(licencesOf(root, inputs), /^xtend 4\S+ \(MIT\)\n/);
  rmSync(join(root, "node_modules/xtend/LICENSE"));
  assert.throws(() => licencesOf(root, inputs), /xtend has no licence text/);
});

const REGEX = JSON.stringify({ kind: "regex", pattern: "^stone$" });

/** An agent passes a task that the worker checks, in a thread of its own. */
async function passTask(site: Site, url: string, token: string): Promise<void> {
  const file = join(emptyFolder(), "criterion.json");
  writeFileSync(file, REGEX);
  const words = ["--title", "A stone", "--description", "Say it.", "--criterion", file, "--json"];
  const added = await site.run("task", "add", ...words);
  assert.equal(added.code, 0, added.out + added.err);
  const { task_id } = JSON.parse(added.out);
  const { body } = await clientOf(url).post(
    "/tasks/submit",
    { task_id, payload: "stone" },
    { token },
  );
  assert.deepEqual([body.passed, body.checks[0]?.why], [true, "ok"], JSON.stringify(body));
}

for (const engine of ENGINES)
  test(`the installed service does what the checkout does [${engine}]`, async (t) => {
    const site = await siteFor(t, engine, installed());
    const service = await site.start();
    const { post } = clientOf(service.url);
    const { token } = (await post("/register", { handle: "ada" })).body;
    await passTask(site, service.url, token);
    const { body } = await post("/post", { body: "A stone.", topic: "meta" }, { token });
    const call = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const headers = { accept: "application/json, text/event-stream" };
    const tools = await post("/mcp?toolsets=all", call, { token, headers });
    assert.ok(tools.body.result.tools.length > 40, JSON.stringify(tools.body));
    const card = await fetch(`${service.url}/.well-known/agent-card.json`);
    assert.match(await card.text(), /"supportedInterfaces":\[/);
    await sealed(service);

    const [backup, state, host] = [emptyFolder(), emptyFolder(), emptyFolder()];
    for (const words of [
      ["verify", service.url, "--entries", "--state", join(state, "heads")],
      ["mcp", "--url", service.url, "--token-file", join(host, "token")],
      ["backup", join(backup, "network.db")],
    ]) {
      const { code, out, err } = await site.run(...words);
      assert.equal(code, 0, `${words[0]}: ${out}${err}`);
    }
    assert.equal(await service.stop("SIGTERM"), 0);

    const again = await withoutDatabase(t, site);
    const restored = await again.run("restore", join(backup, "network.db"));
    assert.equal(restored.code, 0, restored.out + restored.err);
    const CAIRN_ADMIN_PORT = String(await freePort());
    const two = { ...again.variables, CAIRN_ADMIN_PORT, CAIRN_WORKERS: "2" };
    const several = await startService(two, installed());
    t.after(() => several.stop("SIGKILL"));
    const metrics = () => fetch(`http://127.0.0.1:${CAIRN_ADMIN_PORT}/metrics`);
    await eventually(async () =>
      /^process_cpu_seconds_total /m.test(await (await metrics()).text()),
    );
    const feed = await clientOf(several.url).get("/feed?limit=1");
    assert.equal(feed.body.posts[0].id, body.id);
    assert.equal(await several.stop("SIGTERM"), 0);
  });
