import { existsSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";

// Loaded before a service: its disk cannot flush the log any more from when a file exists.
const fs = createRequire(import.meta.url)("node:fs");
const { fdatasync } = fs;
fs.fdatasync = (log: number, done: (error: Error | null) => void) => {
  if (!existsSync(`${process.env["CAIRN_DATA_DIR"]}/broken`)) return fdatasync(log, done);
  done(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }));
};
syncBuiltinESMExports();
