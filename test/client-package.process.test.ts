import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type BuildResult, build, type Plugin } from "esbuild";
import { buildPackages } from "../packages/build.ts";
import { buildClient } from "../packages/client.ts";
import { CLIENT_ENTRIES, NAMES } from "../packages/manifests.ts";
import { install, pack, packagesIn } from "./packed.ts";
import { type RunningService, startService } from "./process.ts";
import { PROGRAMS, RUNTIMES, withoutRuntimes } from "./runtimes.ts";

const ROOT = join(import.meta.dirname, "..");
const JOURNEY = join(import.meta.dirname, "client-journey.mjs");
/** With gzip. */
const CAPS: Readonly<Record<(typeof CLIENT_ENTRIES)[number], number>> = {
  index: 4_096,
  challenge: 5 * 1_024,
  proofs: 20 * 1_024,
  messages: 36 * 1_024,
  acts: 24 * 1_024,
  criterion: 140 * 1_024,
  node: 4_096,
  browser: 4_096,
};
const INSTANTIATIONS_MAX = 40_000;

let folder: string;
let tarball: string;
/** Where npm has installed it. */
let home: string;
const emptyFolder = () => mkdtempSync(join(folder, "empty-"));
const built = () => join(folder, "client");
const nameOf = (entry: string) => NAMES.client + (entry === "index" ? "" : `/${entry}`);

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "cairn-client-"));
  await buildPackages(folder, ["client"]);
  tarball = pack(built(), folder);
  home = emptyFolder();
  install("npm", tarball, home);
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("npm installs one package, without commands", () => {
  assert.deepEqual(packagesIn(join(home, "node_modules")), [NAMES.client]);
  assert.equal(readdirSync(join(home, "node_modules")).includes(".bin"), false);
  const manifest = JSON.parse(readFileSync(join(built(), "package.json"), "utf8"));
  for (const word of ["dependencies", "scripts", "bin"])
    assert.equal(word in manifest, false, word);
});

for (const by of ["pnpm", "Bun"] as const)
  test(`${by} installs one package`, { skip: withoutRuntimes }, () => {
    const place = emptyFolder();
    install(by, tarball, place);
    assert.deepEqual(packagesIn(join(place, "node_modules")), [NAMES.client]);
  });

test("publint finds nothing to say of the client", { skip: withoutRuntimes }, () => {
  const args = [RUNTIMES.publint, "run", built(), "--strict", "--pack=false"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
});

/** Bundles a program that uses the installed package. */
async function bundled(program: string): Promise<BuildResult<{ write: false; metafile: true }>> {
  return build({
    stdin: { contents: program, resolveDir: home },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    outdir: home,
    external: ["node:*"],
    write: false,
    metafile: true,
    logLevel: "silent",
  });
}

/** The program as it is loaded, without the parts that it loads with the first call that needs them. */
const loadedOf = ({ outputFiles }: Awaited<ReturnType<typeof bundled>>): Uint8Array =>
  outputFiles.find(({ path }) => path.endsWith("stdin.js"))?.contents ?? new Uint8Array();

const sizeOf = (built: Awaited<ReturnType<typeof bundled>>): number =>
  gzipSync(loadedOf(built), { level: 9 }).length;

for (const entry of CLIENT_ENTRIES)
  test(`${nameOf(entry)} is within its size, and costs nothing unused`, async () => {
    const whole = await bundled(`export * from "${nameOf(entry)}";`);
    assert.ok(sizeOf(whole) <= CAPS[entry], `${sizeOf(whole)} bytes`);
    const imports = Object.values(whole.metafile.outputs).flatMap((output) => output.imports);
    const foreign = imports.filter(({ external }) => external).map(({ path }) => path);
    assert.equal(foreign.length > 0, entry === "node", foreign.join());
    const unused = await bundled(`import "${nameOf(entry)}";`);
    assert.equal(loadedOf(unused).length, 0);
  });

test("a program that takes an entry in takes its size: the criterion in the core", async () => {
  const both = await bundled(
    `export * from "${NAMES.client}"; export * from "${NAMES.client}/criterion";`,
  );
  assert.ok(sizeOf(both) > CAPS.index);
});

const HELLO = `import { connect } from "${NAMES.client}";
const network = connect({ baseUrl: "http://127.0.0.1:8080" });
const { post } = await network.post.create({ body: "Hello." });
console.log(post.id, (await network.feed.list()).posts[0]?.body.length);
`;
const WRONG = `
// @ts-expect-error A post needs a body.
await network.post.create({});
// @ts-expect-error No such field.
await network.feed.list({ limits: 5 });
// @ts-expect-error No such field in the answer.
console.log(post.score);
`;

function compiled(text: string, ...flags: string[]): string {
  writeFileSync(join(home, "hello.mts"), text);
  const options = ["--ignoreConfig", "--noEmit", "--strict", "--module", "nodenext", ...flags];
  const args = [join(ROOT, "node_modules/typescript/bin/tsc"), ...options, "hello.mts"];
  const { stdout } = spawnSync(process.execPath, args, { cwd: home, encoding: "utf8" });
  return stdout;
}

test("the types of a first program are cheap, and refuse what is wrong", () => {
  const reported = compiled(
    HELLO,
    "--target",
    "es2022",
    "--extendedDiagnostics",
    "--skipLibCheck",
    "false",
  );
  assert.doesNotMatch(reported, /error TS/);
  const instantiations = Number(/^Instantiations:\s+(\d+)/m.exec(reported)?.[1]);
  assert.ok(
    instantiations > 0 && instantiations <= INSTANTIATIONS_MAX,
    `${instantiations} instantiations`,
  );
  assert.equal(compiled(HELLO + WRONG, "--target", "es2022"), "");
});

const SAME = ["NetworkCalls", "Retrying", "LedgerEntry", "ErrorCode", "Teaching"];

/** Whether the written types are those of the contracts; an empty text, or what differs. */
function differences(wire: string): string {
  writeFileSync(join(home, "made.d.ts"), wire);
  const assigned = SAME.map(
    (name) => `export const ${name}: Same<source.${name}, made.${name}> = true;\n`,
  );
  return compiled(
    `import type * as source from "${ROOT}/src/client/wire.ts";
import type * as made from "./made.d.ts";
type Same<A, B> = [A, B] extends [B, A] ? true : false;
${assigned.join("")}`,
    "--target",
    "esnext",
    "--skipLibCheck",
    "--allowImportingTsExtensions",
    "--exactOptionalPropertyTypes",
    "--types",
    "node",
    "--typeRoots",
    join(ROOT, "node_modules/@types"),
  );
}

test("the written types are those of the contracts, both ways", () => {
  const wire = readFileSync(join(built(), "types/client/wire.d.ts"), "utf8");
  assert.equal(differences(wire), "");
  const lacking = wire.replace('  "posts": ', '  "post": ');
  assert.match(differences(lacking), /^hello\.mts\(4,/);
});

let service: RunningService;
before(async () => {
  service = await startService({
    CAIRN_DATA_DIR: emptyFolder(),
    CAIRN_SEAL_INTERVAL_S: "1",
    CAIRN_LOG_LEVEL: "error",
  });
});
after(() => service.stop("SIGKILL"));

/** Runs the journey beside an installed client. */
function journey(place: string, [program = "", ...words]: readonly string[]) {
  cpSync(JOURNEY, join(place, "journey.mjs"));
  const args = [...words, "journey.mjs", service.url];
  const options = { cwd: place, env: { ...process.env, NO_COLOR: "1", DENO_DIR: folder } };
  return new Promise<string>((resolve) => {
    execFile(program, args, options, (_, stdout, stderr) => resolve(stdout + stderr));
  });
}

for (const [name, program = "", ...before] of PROGRAMS) {
  const skip = program === process.execPath ? false : withoutRuntimes;
  test(`the installed client goes the whole way: ${name}`, { skip }, async () => {
    assert.equal(await journey(home, [program, ...before]), "done\n");
  });
}

/** The client as it was: with the methods of Uint8Array that are newer than Node 24. */
const withNewMethods: Plugin = {
  name: "new-methods",
  setup({ onLoad }) {
    onLoad({ filter: /kernel\/bytes\.ts$/ }, ({ path }) => ({
      loader: "ts",
      contents: readFileSync(path, "utf8").replace(
        "bytesToHex(bytes)",
        "(bytes as unknown as { toHex(): string }).toHex()",
      ),
    }));
  },
};

test("a client with the newer methods fails on Node 20", { skip: withoutRuntimes }, async () => {
  const place = emptyFolder();
  install("npm", tarball, place);
  const own = join(place, "node_modules", NAMES.client, "dist");
  rmSync(own, { recursive: true });
  await buildClient(own, [withNewMethods]);
  assert.match(await journey(place, [RUNTIMES["Node 20"]]), /toHex is not a function/);
  assert.equal(await journey(place, [process.execPath]), "done\n");
});
