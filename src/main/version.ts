import { readFileSync } from "node:fs";
import * as z from "zod";

const manifest = new URL("../../package.json", import.meta.url);

/** The release that runs, as the package names it. */
export const PACKAGE_VERSION: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(manifest, "utf8"))).version;
