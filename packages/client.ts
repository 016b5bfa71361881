import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { licencesOf } from "./licences.ts";
import { CLIENT_ENTRIES } from "./manifests.ts";
import { wireTypes } from "./types.ts";

const ROOT = join(import.meta.dirname, "..");
const SOURCE = "src/client/wire.ts";
const IMPORTED = /(?<= from "|import\(")(\.{1,2}\/[^"]+?)\.ts(?=")/g;

/** HPKE asks Node for its crypto where there is no global one: every runtime of the client has one. */
const withoutNodeCrypto: Plugin = {
  name: "without-node-crypto",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^crypto$/ }, ({ path }) => ({ path, namespace: "none" }));
    onLoad({ filter: /./, namespace: "none" }, () => ({ contents: "" }));
  },
};

/**
 * The client as ES modules without imports of others: a file for each entry, and the chunks that they
 * share, so that all of them have one CairnError. The types name nothing outside the package.
 */
export async function client(folder: string): Promise<void> {
  const inputs = await buildClient(join(folder, "dist"));
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES"), licencesOf(ROOT, inputs));
  for (const [path, text] of declarations()) {
    const file = join(folder, "types", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** Writes the modules; the paths of everything that they hold. */
export async function buildClient(
  outdir: string,
  plugins: readonly Plugin[] = [],
): Promise<string[]> {
  const options = {
    absWorkingDir: ROOT,
    outdir,
    chunkNames: "[name]-[hash]",
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    external: ["node:*"],
    plugins: [withoutNodeCrypto, ...plugins],
    legalComments: "none",
    metafile: true as const,
    preserveSymlinks: true,
    logLevel: "warning",
  } satisfies BuildOptions;
  const path = (name: string) => `src/client/${name}.ts`;
  const sharing = CLIENT_ENTRIES.filter((name) => name !== "challenge").map(path);
  const results = [
    await build({ ...options, entryPoints: sharing, splitting: true }),
    // It throws no CairnError, and SHA-256 alone is smaller than the chunk of all hashes.
    await build({ ...options, entryPoints: [path("challenge")] }),
  ];
  return results.flatMap(({ metafile }) => Object.keys(metafile.inputs));
}

/** The declarations that the entries reach, by their paths below `types/`. Throws for one that is not ours. */
function declarations(): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "cairn-types-"));
  try {
    emitInto(folder);
    const texts = new Map<string, string>();
    const look = (path: string): void => {
      if (texts.has(path)) return;
      const text =
        `src/${path}.ts` === SOURCE
          ? wireTypes()
          : readFileSync(join(folder, `${path}.d.ts`), "utf8");
      texts.set(path, text.replaceAll(IMPORTED, "$1.js"));
      const foreign = / from "[^."].*"|import\("[^.].*?"\)/.exec(text);
      if (foreign !== null) throw new Error(`The types of ${path} need ${foreign[0]}.`);
      for (const [, imported = ""] of text.matchAll(IMPORTED)) look(join(dirname(path), imported));
    };
    for (const name of CLIENT_ENTRIES) look(`client/${name}`);
    return new Map([...texts].map(([path, text]) => [`${path}.d.ts`, text]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function emitInto(outDir: string): void {
  const config = {
    extends: join(ROOT, "tsconfig.client.json"),
    compilerOptions: {
      outDir,
      rootDir: join(ROOT, "src"),
      types: ["node"],
      typeRoots: [join(ROOT, "node_modules/@types")],
      removeComments: false,
    },
    files: CLIENT_ENTRIES.map((name) => join(ROOT, `src/client/${name}.ts`)),
  };
  const file = join(outDir, "tsconfig.json");
  writeFileSync(file, JSON.stringify(config));
  execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", file], {
    stdio: "inherit",
  });
}
