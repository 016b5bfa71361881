import { spawnSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join, posix } from "node:path";

const ROOT = join(import.meta.dirname, "..");

/** One instruction of a Dockerfile: its word, and the rest of its line. */
type Instruction = readonly [word: string, rest: string];

/** What an image says to the program that runs it. Paths are those within the image. */
export interface Image {
  /** Where its root is on this machine. */
  readonly folder: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string | null;
  readonly volumes: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

/** The instructions of each stage, by its name or number, without comments and line breaks. */
export function stagesOf(dockerfile: string): Map<string, readonly Instruction[]> {
  const lines = dockerfile
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter(Boolean);
  const stages = new Map<string, Instruction[]>();
  for (const line of lines) {
    const [, word = "", rest = ""] = /^(\w+) +(.+)$/.exec(line) ?? [];
    const own = [...stages.values()].at(-1);
    if (word === "FROM") stages.set(/ AS (\w+)$/.exec(rest)?.[1] ?? `${stages.size}`, []);
    else if (own === undefined) throw new Error(`Before FROM: ${line}`);
    else own.push([word, rest]);
  }
  return stages;
}

/** The names that `.dockerignore` lets into the context: all others are ignored. */
function contextNames(): readonly string[] {
  const [first, ...rest] = readFileSync(join(ROOT, ".dockerignore"), "utf8").trim().split("\n");
  const isPlain = first === "*" && rest.every((line) => /^![\w.-]+$/.test(line));
  if (!isPlain) throw new Error(".dockerignore is not a list of exceptions.");
  return rest.map((line) => line.slice(1));
}

/**
 * Builds a stage in an empty folder, as Docker would, without Docker: `RUN` starts Node and npm only,
 * `npm ci` is given what is installed here, and `USER` is noted. Throws at anything else.
 */
export function buildStage(
  instructions: readonly Instruction[],
  folder: string,
  from: Readonly<Record<string, string>> = {},
): Image {
  let workdir = "/";
  let user: string | null = null;
  let command: readonly string[] = [];
  let healthcheck: readonly string[] = [];
  const env: Record<string, string> = {};
  const volumes: string[] = [];
  const inside = (path: string) => join(folder, posix.resolve(workdir, path));
  const steps: Readonly<Record<string, (rest: string) => void>> = {
    WORKDIR(path) {
      workdir = posix.resolve(workdir, path);
      mkdirSync(inside("."), { recursive: true });
    },
    COPY: (rest) => copy(rest, inside, from),
    RUN: (rest) => run(wordsOf(rest), inside, environmentOf(env, folder)),
    ENV(rest) {
      for (const pair of rest.split(" ")) env[pair.replace(/=.*/, "")] = pair.replace(/^\w+=/, "");
    },
    USER(name) {
      user = name;
    },
    VOLUME: (path) => void volumes.push(path),
    EXPOSE() {},
    HEALTHCHECK(rest) {
      healthcheck = wordsOf(rest.replace(/^.*?CMD /, ""));
    },
    CMD(rest) {
      command = wordsOf(rest);
    },
  };
  for (const [word, rest] of instructions) {
    const step = steps[word];
    if (step === undefined) throw new Error(`${word} is not known here.`);
    step(rest);
  }
  return { folder, workdir, env, user, volumes, command, healthcheck };
}

const wordsOf = (text: string): readonly string[] =>
  text.startsWith("[") ? JSON.parse(text) : text.split(" ");

/** Variables that name a path name it below the folder. */
export const environmentOf = (env: Image["env"], folder: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      value.startsWith("/") ? join(folder, value) : value,
    ]),
  );

type Inside = (path: string) => string;

/** A folder that is copied gives its contents, and not itself. */
function copy(text: string, inside: Inside, from: Readonly<Record<string, string>>): void {
  const words = text.split(" ");
  const [, stage] = /^--from=(\w+)$/.exec(words[0] ?? "") ?? [];
  const paths = stage === undefined ? words : words.slice(1);
  const to = paths.at(-1) ?? "";
  for (const path of paths.slice(0, -1)) {
    const root = stage === undefined ? ROOT : from[stage];
    if (root === undefined) throw new Error(`There is no stage ${stage}.`);
    const isIgnored = stage === undefined && !contextNames().includes(path.split("/")[0] ?? "");
    if (isIgnored) throw new Error(`.dockerignore leaves out ${path}.`);
    const source = join(root, path);
    const target = lstatSync(source).isDirectory() ? inside(to) : inside(join(to, basename(path)));
    cpSync(source, target, { recursive: true });
  }
}

function run(words: readonly string[], inside: Inside, env: Record<string, string>): void {
  const [file = "", ...args] = words;
  if (file === "install" && args[0] === "-d") {
    for (const path of args.filter((each) => each.startsWith("/"))) {
      mkdirSync(inside(path), { recursive: true, mode: 0o700 });
    }
    return;
  }
  if (words.join(" ") === "npm ci --ignore-scripts") {
    if (!existsSync(inside("package-lock.json"))) throw new Error("There is no lock file.");
    symlinkSync(join(ROOT, "node_modules"), inside("node_modules"));
    return;
  }
  if (!["node", "npm"].includes(file)) throw new Error(`RUN ${words.join(" ")} needs a shell.`);
  const { PATH, HOME } = process.env;
  const options = { cwd: inside("."), env: { PATH, HOME, ...env }, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(file, args, options);
  if (status !== 0)
    throw new Error(`RUN ${words.join(" ")} ended with ${status}: ${stdout}${stderr}`);
}
