import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import root from "../package.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "..");

/** The file that the service serves; it is committed, so that a checkout needs no build. */
export const VERIFIER = join(ROOT, "packages/verify/verify.mjs");

const BANNER = `#!/usr/bin/env node
// cairn-verify ${root.version}, protocol 1. Made from src/verify of Cairn by packages/verifier.ts.`;

/** The verifier as one file without imports. Same source, same bytes. */
export async function verifierText(minified: BuildOptions["minify"]): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["src/verify/program.ts"],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    external: ["node:*"], // Behind a condition: a page never asks for them.
    minify: minified ?? false,
    legalComments: "eof",
    preserveSymlinks: true,
    banner: { js: BANNER },
    logLevel: "warning",
  });
  return outputFiles.map(({ text }) => text).join("");
}

if (import.meta.main) writeFileSync(VERIFIER, await verifierText(true));
