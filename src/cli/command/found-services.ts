import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  ownUid,
  type RunningService,
  type ServiceRecord,
  servicesIn,
} from "../../main/running/service-record.ts";
import { readTrusted } from "../../main/running/trusted-file.ts";
import type { Environment } from "./command.ts";
import { serviceSettings } from "./env-file.ts";

/** A service of this machine: where it is said to be, and its settings. */
export interface Candidate {
  readonly source: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly record: ServiceRecord | null;
  /** Whose word that is. */
  readonly asUid: number;
}

/** Folders and user by which services are found. */
export interface Machine {
  readonly etc: string;
  readonly run: string;
  /** Of this user. */
  readonly runtime: string | undefined;
  readonly uid: number;
}

export const machineOf = ({ XDG_RUNTIME_DIR }: Environment): Machine => ({
  etc: "/etc",
  run: "/run",
  runtime: XDG_RUNTIME_DIR || undefined,
  uid: ownUid(),
});

export interface Candidates {
  readonly found: readonly Candidate[];
  /** Files that this user may not read. */
  readonly denied: readonly string[];
}

/** The services of a machine, each once: those that run, and those whose settings are in `/etc`. */
export function candidatesOn({ etc, run, runtime, uid }: Machine): Candidates {
  const running = runningOn({ run, runtime, uid });
  const files = namesIn(etc, /^cairn(?:-[\w.-]+)?\.env$/).map((name) => join(etc, name));
  const installed = files.map((path) => installedBy(path, uid));
  const folders = new Set(running.found.map(({ record }) => record.data_dir));
  return {
    found: [
      ...running.found.map(runningCandidate),
      ...installed.flatMap((each) =>
        each === null ||
        typeof each === "string" ||
        folders.has(each.settings["CAIRN_DATA_DIR"] ?? "")
          ? []
          : [each],
      ),
    ],
    denied: [...running.denied, ...installed.filter((each) => typeof each === "string")],
  };
}

/** The services that run on this machine and that this user may know of. */
export function runningOn({ run, runtime, uid }: Omit<Machine, "etc">): {
  readonly found: readonly RunningService[];
  readonly denied: readonly string[];
} {
  const folders = namesIn(run, /^cairn(?:-[\w.-]+)?$/).map((name) => join(run, name));
  if (runtime !== undefined) folders.push(join(runtime, "cairn"));
  const read = folders.map((folder) => servicesIn(folder, uid));
  return {
    found: read.flatMap(({ found }) => found),
    denied: read.flatMap(({ denied }) => denied),
  };
}

const runningCandidate = ({ record, asUid }: RunningService): Candidate => ({
  source: `the service ${record.origin}, process ${record.pid}`,
  settings: { ...record.settings, CAIRN_DATA_DIR: record.data_dir },
  record,
  asUid,
});

/** What an environment file of `/etc` says; its path where this user may not read it, and null where nobody may trust it. */
function installedBy(path: string, uid: number): Candidate | string | null {
  const read = readTrusted(path, uid);
  if (read === "denied") return path;
  if (typeof read === "string") return null;
  const settings = serviceSettings(read.text, path);
  return { source: `the settings in ${path}`, settings, record: null, asUid: read.asUid };
}

function namesIn(folder: string, pattern: RegExp): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => pattern.test(name))
      .sort();
  } catch {
    return [];
  }
}
