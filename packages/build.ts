import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { client } from "./client.ts";
import { licencesOf } from "./licences.ts";
import { manifestOf, PACKAGES, type PackageKey } from "./manifests.ts";
import { MESSAGES } from "./messages.ts";
import { PYTHON_CLIENT } from "./python.ts";
import { VERIFIER, verify } from "./verifier.ts";

const ROOT = join(import.meta.dirname, "..");

/** Dependencies that are CommonJS ask for Node's own modules by `require`. */
const REQUIRE =
  'import { createRequire as makeRequire } from "node:module";\nconst require = makeRequire(import.meta.url);';

/** What starts the package. The rest of `bin/` is for a checkout. */
const LAUNCHER = ["bin/cairn.mjs", "bin/runtime.mjs"];

/** Fills the folder of a package with everything but its manifest and licence. */
type Builder = (folder: string) => Promise<void>;

const BUILDERS: Readonly<Record<PackageKey, Builder>> = { service, client, verify };

const ALL = Object.keys(PACKAGES) as PackageKey[];

/** Writes one folder for each package, as `npm pack` takes it. Same source, same bytes. */
export async function buildPackages(folder: string, keys = ALL): Promise<void> {
  for (const key of keys) {
    const own = join(folder, key);
    rmSync(own, { recursive: true, force: true });
    mkdirSync(own, { recursive: true });
    await BUILDERS[key](own);
    writeFileSync(join(own, "package.json"), `${JSON.stringify(manifestOf(key), null, 2)}\n`);
    cpSync(join(ROOT, "LICENSE"), join(own, "LICENSE"));
    cpSync(join(ROOT, `packages/${key}.md`), join(own, "README.md"));
  }
}

/**
 * The commands with all their dependencies, in files that share chunks, so that a command loads what
 * it needs. Identifiers stay, so that a stack names functions; syntax and white space are minified,
 * which saves a tenth of the memory.
 */
async function service(folder: string): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["src/cli/cairn.ts", "src/main/service/criterion-worker.ts"],
    outdir: join(folder, "dist"),
    entryNames: "[name]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node26",
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 120,
    metafile: true,
    preserveSymlinks: true, // The same paths, wherever the packages are.
    external: ["pg-native"], // Only with the native driver, which is never asked for.
    banner: { js: REQUIRE },
    logLevel: "warning",
  });
  const licences = licencesOf(ROOT, Object.keys(metafile.inputs));
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES"), licences);
  cpSync(join(ROOT, "src/platform/db/migrations"), join(folder, "dist/migrations"), {
    recursive: true,
  });
  cpSync(VERIFIER, join(folder, "dist/verify.mjs"));
  cpSync(PYTHON_CLIENT, join(folder, "dist/cairn.py"));
  cpSync(MESSAGES, join(folder, "dist/messages.mjs"));
  for (const file of LAUNCHER) cpSync(join(ROOT, file), join(folder, file));
}

const isKey = (word: string): word is PackageKey => word in PACKAGES;

// The packages that the words name, or everything.
if (import.meta.main) {
  const words = process.argv.slice(2);
  await buildPackages(resolve("dist/packages"), words.length > 0 ? words.filter(isKey) : ALL);
}
