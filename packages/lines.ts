import { globSync, readFileSync } from "node:fs";

/** Prints the lines of the source without its tests. */
const files = globSync("src/**/*.ts").filter((path) => !path.endsWith(".test.ts"));
console.log(
  files.reduce((sum, path) => sum + readFileSync(path, "utf8").split("\n").length - 1, 0),
);
