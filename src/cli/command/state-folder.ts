import { homedir } from "node:os";
import { join } from "node:path";

/** Where commands keep their state by default (XDG Base Directory Specification). */
export const stateFolder = (): string =>
  join(process.env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "cairn");
