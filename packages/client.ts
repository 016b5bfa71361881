import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { writeDeclarations } from "./declarations.ts";
import { licencesOf } from "./licences.ts";
import { CLIENT_ENTRIES } from "./manifests.ts";
import { wireTypes } from "./types.ts";

const ROOT = join(import.meta.dirname, "..");

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
  const entries = CLIENT_ENTRIES.map((name) => `client/${name}`);
  writeDeclarations(entries, join(folder, "types"), { "client/wire": wireTypes() });
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
