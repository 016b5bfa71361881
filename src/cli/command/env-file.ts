import { readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import { SETTINGS } from "../../main/settings/settings.ts";
import type { Environment } from "./command.ts";
import { messageOf, REFUSED, Stop, USAGE } from "./stop.ts";

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const isWhite = (c: string) => " \t\n\r".includes(c);
const isEnd = (c: string) => "\n\r".includes(c);
/** Between double quotes a backslash goes away before these alone. */
const ESCAPED_IN_QUOTES = '"\\`$';

type State =
  | "line"
  | "name"
  | "begin"
  | "value"
  | "escaped"
  | "single"
  | "double"
  | "escape"
  | "comment";

interface Reading {
  readonly found: Record<string, string>;
  readonly path: string;
  name: string;
  value: string;
  /** The length of the value without the white space at its end. */
  kept: number;
  before: string;
}

/** The value ends here: a plain one without the white space behind it. */
function end(reading: Reading, length: number): State {
  const name = reading.name.trimEnd();
  if (NAME.test(name)) reading.found[name] = reading.value.slice(0, length);
  return "line";
}

function add(reading: Reading, text: string): void {
  reading.value += text;
  reading.kept = reading.value.length;
}

const UNCLEAR =
  "a comment ends with a backslash, and releases of systemd differ in whether the next line belongs to it.";

/** What a character does in a state of the reader; these are the states of systemd's own. */
const STEPS: Readonly<Record<State, (char: string, reading: Reading) => State>> = {
  line(char, reading) {
    Object.assign(reading, { name: char, value: "", kept: 0 });
    if (isWhite(char)) return "line";
    return "#;".includes(char) ? "comment" : "name";
  },
  name(char, reading) {
    if (isEnd(char)) return "line"; // No assignment: left out.
    if (char === "=") return "begin";
    reading.name += char;
    return "name";
  },
  begin(char, reading) {
    if (isEnd(char)) return end(reading, reading.value.length);
    if (char === "'") return "single";
    if (char === '"') return "double";
    if (char === "\\") return "escaped";
    if (isWhite(char)) return "begin";
    add(reading, char);
    return "value";
  },
  value(char, reading) {
    if (isEnd(char)) return end(reading, reading.kept);
    if (char === "\\") return "escaped";
    if (isWhite(char)) reading.value += char;
    else add(reading, char);
    return "value";
  },
  escaped(char, reading) {
    add(reading, isEnd(char) ? "" : char);
    return "value";
  },
  single(char, reading) {
    if (char === "'") return "begin";
    add(reading, char);
    return "single";
  },
  double(char, reading) {
    if (char === '"') return "begin";
    if (char === "\\") return "escape";
    add(reading, char);
    return "double";
  },
  escape(char, reading) {
    if (ESCAPED_IN_QUOTES.includes(char)) add(reading, char);
    else if (char !== "\n") add(reading, `\\${char}`);
    return "double";
  },
  comment(char, { before, path }) {
    if (!isEnd(char)) return "comment";
    if (before === "\\") throw new Stop(USAGE, `${path}: ${UNCLEAR}`);
    return "line";
  },
};

/**
 * The variables of an environment file as systemd reads it (systemd.exec(5), EnvironmentFile=): values may be quoted,
 * a backslash at the end of a line continues it, and nothing is expanded. A Stop where releases of systemd differ.
 */
export function envFileOf(text: string, path: string): Readonly<Record<string, string>> {
  const reading: Reading = { found: {}, path, name: "", value: "", kept: 0, before: "" };
  let state: State = "line";
  for (const char of text) {
    state = STEPS[state](char, reading);
    reading.before = char;
  }
  if (state === "value") end(reading, reading.kept);
  else if (state !== "line" && state !== "name" && state !== "comment")
    end(reading, reading.value.length);
  return reading.found;
}

/** The settings in an environment file of a service. A Stop where a path in it begins nowhere. */
export const serviceSettings = (text: string, path: string): Readonly<Record<string, string>> =>
  placedIn(settingsOf(envFileOf(text, path)), path);

const settingsOf = (variables: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith("CAIRN_")));

/** A path that begins nowhere would be another one in each folder that a command is typed in. */
function placedIn(settings: Record<string, string>, path: string): Record<string, string> {
  const relative = SETTINGS.find(({ isPath, variable }) => {
    const text = settings[variable] ?? "";
    return isPath && (text === "" ? variable === "CAIRN_DATA_DIR" : !isAbsolute(text));
  });
  if (relative === undefined) return settings;
  throw new Stop(
    USAGE,
    `${path} must give ${relative.variable} as an absolute path, for commands.`,
  );
}

/** Names the file of a service's settings, for ops/cairn: its variables stand below those of the environment. */
const ENV_FILE = "CAIRN_ENV_FILE";

/** The environment with what the file that it names says. A Stop when that cannot be read. */
export function withEnvFile({ [ENV_FILE]: path, ...environment }: Environment): Environment {
  if (!path) return environment;
  try {
    return { ...serviceSettings(readFileSync(path, "utf8"), path), ...environment };
  } catch (error) {
    if (error instanceof Stop) throw error;
    throw new Stop(
      REFUSED,
      `${path} cannot be read: ${messageOf(error)}. Run the command as root or as the user of the service.`,
      error,
    );
  }
}
