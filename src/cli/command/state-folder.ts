import { homedir } from "node:os";
import { join } from "node:path";
import { Stop, USAGE } from "./stop.ts";

/**
 * Where commands keep their state by default (XDG Base Directory Specification). A Stop where the user has no home
 * folder: `option` is what names a file instead.
 */
export const stateFolder = (option: string): string =>
  join(process.env["XDG_STATE_HOME"] || join(homeFor(option), ".local", "state"), "cairn");

function homeFor(option: string): string {
  try {
    return homedir();
  } catch (error) {
    const sentence = `This user has no home folder. Name a file with ${option}, or a folder with XDG_STATE_HOME.`;
    throw new Stop(USAGE, sentence, error);
  }
}
