import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Packages of tests alone, each folder with a lock of its own: the gate needs them, `npm ci` does not. */
type Folder = "runtimes" | "frameworks";

const placeOf = (folder: Folder): string => join(import.meta.dirname, folder);

/** A file of an installed package. */
export const fileIn = (folder: Folder, path: string): string =>
  join(placeOf(folder), "node_modules", path);

/** Loads an installed package. */
export const loadFrom = (folder: Folder, name: string): unknown =>
  createRequire(fileIn(folder, "x.js"))(name);

/** For the option `skip` of a test: false, or why it is skipped and what to do about that. The gate skips none. */
export function without(folder: Folder): string | false {
  const { dependencies } = JSON.parse(readFileSync(join(placeOf(folder), "package.json"), "utf8"));
  if (Object.keys(dependencies).every((name) => existsSync(fileIn(folder, name)))) return false;
  const install = `npm ci --prefix test/${folder}`;
  if (process.env["TEST_BESIDE"] === "required")
    throw new Error(`The gate needs what this installs: ${install}`);
  return `They are missing: ${install}`;
}
