import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import type { Fault } from "./faults.ts";

/** Loaded before a life: puts the fault of `TEST_FAULT` into the source that it names, when that is loaded. */
const fault: Fault | null = JSON.parse(process.env["TEST_FAULT"] ?? "null");
const root = fileURLToPath(new URL("../../", import.meta.url));

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (fault === null || url !== `file://${root}${fault.file}`) return loaded;
    const { file, from, to } = fault;
    const parts = String(loaded.source).split(from);
    if (parts.length !== 2)
      throw new Error(`${file} has ${JSON.stringify(from)} ${parts.length - 1} times, not once.`);
    return { ...loaded, source: parts.join(to) };
  },
});
