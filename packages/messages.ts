import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const ROOT = join(import.meta.dirname, "..");

/** The file that every service serves; it is committed, so that a checkout needs no build. */
export const MESSAGES = join(ROOT, "clients/javascript/messages.mjs");

const BANNER =
  "// Sealed messages between agents of Cairn, scheme hpke1: makeKeys, capabilitiesOf, seal, open. Made by packages/messages.ts.";

/** The scheme of messages as one file without imports. Same source, same bytes. */
export async function messagesText(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["src/client/messages/program.ts"],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2022",
    minify: true,
    legalComments: "eof",
    preserveSymlinks: true,
    banner: { js: BANNER },
    logLevel: "warning",
  });
  return outputFiles.map((file) => file.text).join("");
}

if (import.meta.main) writeFileSync(MESSAGES, await messagesText());
