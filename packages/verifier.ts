import { chmodSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import root from "../package.json" with { type: "json" };
import { writeDeclarations } from "./declarations.ts";
import { licencesOf } from "./licences.ts";

const ROOT = join(import.meta.dirname, "..");

/** The file that the service serves; it is committed, so that a checkout needs no build. */
export const VERIFIER = join(ROOT, "packages/verify/verify.mjs");

const BANNER = `#!/usr/bin/env node
// cairn-verify ${root.version}, protocol 1. Made from src/verify of Cairn by packages/verifier.ts.`;

/** The verifier as one file without imports. Same source, same bytes. */
export const verifierText = async (minified: boolean): Promise<string> =>
  (await bundled(minified)).text;

/** Leaves out of each kind's record what no rule reads: 10 of 164 kB. Properties stand two spaces from the margin. */
const rulesAlone: Plugin = {
  name: "rules-alone",
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/(?:platform|domains)\/\w+\/entries\.ts$/ }, ({ path }) => ({
      loader: "ts",
      contents: readFileSync(path, "utf8").replace(
        /^ {2}(?:when|readers): [\s\S]*?\n(?= {2}\w|\}\);)/gm,
        "",
      ),
    }));
  },
};

async function bundled(minify: boolean): Promise<{ text: string; inputs: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["src/verify/program.ts"],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    external: ["node:*"], // Behind a condition: a page never asks for them.
    minify,
    plugins: [rulesAlone],
    metafile: true,
    legalComments: "eof",
    preserveSymlinks: true,
    banner: { js: BANNER },
    logLevel: "warning",
  });
  const text = outputFiles.map((file) => file.text).join("");
  return { text, inputs: Object.keys(metafile.inputs) };
}

/** The file that every service serves, the same for readers, and its types. */
export async function verify(folder: string): Promise<void> {
  const { text, inputs } = await bundled(false);
  cpSync(VERIFIER, join(folder, "verify.mjs"));
  chmodSync(join(folder, "verify.mjs"), 0o755);
  writeFileSync(join(folder, "verify.source.mjs"), text);
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES"), licencesOf(ROOT, inputs));
  writeDeclarations(["verify/program"], join(folder, "types"));
}

if (import.meta.main) writeFileSync(VERIFIER, await verifierText(true));
