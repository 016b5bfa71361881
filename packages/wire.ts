import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import root from "../package.json" with { type: "json" };

const GOLDEN = join(import.meta.dirname, "../test/golden");
const WIRE = ["catalogue.json", "openapi.json", "tools.json", "entries.json"];

// Keeps today's wire as that of this version, against which breaking changes are named.
const released = join(GOLDEN, "released");
mkdirSync(released, { recursive: true });
for (const name of WIRE) cpSync(join(GOLDEN, name), join(released, name));
writeFileSync(join(released, "VERSION"), `${root.version}\n`);
