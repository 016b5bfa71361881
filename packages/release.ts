import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";

const GOLDEN = join(import.meta.dirname, "../test/golden");
const WIRE = ["catalogue.json", "openapi.json", "tools.json", "entries.json"];

/** Keeps the wire of today as that of a release, against which breaking changes are named. */
function keepWire(): void {
  mkdirSync(join(GOLDEN, "released"), { recursive: true });
  for (const name of WIRE) cpSync(join(GOLDEN, name), join(GOLDEN, "released", name));
}

keepWire();
