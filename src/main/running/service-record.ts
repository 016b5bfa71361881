import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import * as z from "zod";
import { writeAnew } from "../../platform/db/folder.ts";
import type { Configuration } from "../settings/settings.ts";
import { PACKAGE_VERSION } from "../version.ts";
import { readTrusted } from "./trusted-file.ts";

const OWNER_ONLY = { file: 0o600, folder: 0o700 };

const serviceRecord = z.object({
  pid: z.int().positive(),
  /** When its process started, in the words of the system: a later process may have the same pid. */
  started: z.string(),
  version: z.string(),
  origin: z.string(),
  data_dir: z.string(),
  /** Null where it has no operators' listener. */
  admin_url: z.string().nullable(),
  /** What it was told, by variable; paths are absolute. Only in the folder of running services, which no backup has. */
  settings: z.record(z.string().regex(/^CAIRN_[A-Z0-9_]+$/), z.string()).optional(),
});

/** What a running service says of itself to the commands of its machine. */
export type ServiceRecord = z.output<typeof serviceRecord>;

type Environment = Readonly<Record<string, string | undefined>>;

export const inDataFolder = (dataDir: string): string => join(dataDir, "service.json");

/** A record is named by its process. */
const RECORD = /^[1-9][0-9]*\.json$/;

/** Where a service of this environment leaves its record for others to find; null where the system has no such place. */
function ownFolder({ RUNTIME_DIRECTORY, XDG_RUNTIME_DIR }: Environment): string | null {
  const [given] = (RUNTIME_DIRECTORY ?? "").split(delimiter);
  if (given) return given;
  return XDG_RUNTIME_DIR ? join(XDG_RUNTIME_DIR, "cairn") : null;
}

interface Facts {
  readonly configuration: Pick<Configuration, "dataDir" | "adminPort">;
  readonly origin: string;
  readonly adminUrl: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly environment: Environment;
}

/** Tells commands of this machine what runs here. Returns how to take that back; throws where a folder takes no file. */
export function announceService({ configuration, ...facts }: Facts): () => void {
  const { dataDir, adminPort } = configuration;
  const { settings, environment, origin, adminUrl } = facts;
  const record: ServiceRecord = {
    pid: process.pid,
    started: startOf(process.pid) ?? "",
    version: PACKAGE_VERSION,
    origin,
    data_dir: dataDir,
    admin_url: adminPort === 0 ? null : adminUrl,
  };
  const written = [inDataFolder(dataDir)];
  put(inDataFolder(dataDir), record);
  const folder = ownFolder(environment);
  if (folder !== null) {
    const file = join(folder, `${process.pid}.json`);
    written.push(file);
    mkdirSync(folder, { recursive: true, mode: OWNER_ONLY.folder });
    for (const { path } of recordsIn(folder)) if (runningAt(path, ownUid()) === null) rmSync(path);
    put(file, { ...record, settings });
  }
  return () => {
    for (const path of written) rmSync(path, { force: true });
  };
}

/** Nobody reads half of it. */
function put(path: string, record: ServiceRecord): void {
  const part = `${path}.new`;
  writeAnew(part, `${JSON.stringify(record)}\n`, OWNER_ONLY.file);
  renameSync(part, path);
}

/** The user of this process; no user has this number where the system has none. */
export const ownUid = (): number => process.geteuid?.() ?? -1;

/** The service that runs on a data folder, which is named already; null when none does that this user may know of. */
export function serviceOn(dataDir: string): ServiceRecord | null {
  const found = runningAt(inDataFolder(dataDir), ownUid(), "file");
  return found === null || found === "denied" ? null : found.record;
}

/** A running service, and the user whose word its record is. */
export interface RunningService {
  readonly record: ServiceRecord;
  readonly asUid: number;
}

/** The services that have left a record in a folder, and the records that this user may not read. */
export function servicesIn(folder: string, caller: number) {
  const found: RunningService[] = [];
  const denied: string[] = [];
  for (const { path } of recordsIn(folder)) {
    const service = runningAt(path, caller);
    if (service === "denied") denied.push(path);
    else if (service !== null) found.push(service);
  }
  return { found, denied };
}

function recordsIn(folder: string): readonly { readonly path: string }[] {
  try {
    const names = readdirSync(folder).filter((name) => RECORD.test(name));
    return names.map((name) => ({ path: join(folder, name) }));
  } catch {
    return [];
  }
}

/** Null where there is no record that counts, or its service has ended. */
function runningAt(
  path: string,
  caller: number,
  reach: "file" | "folders" = "folders",
): RunningService | "denied" | null {
  const read = readTrusted(path, caller, reach);
  if (typeof read === "string") return read === "denied" ? read : null;
  const record = parsed(read.text);
  if (record === null || record.started !== startOf(record.pid)) return null;
  return { record, asUid: read.asUid };
}

function parsed(text: string): ServiceRecord | null {
  try {
    return serviceRecord.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The words of `/proc/<pid>/stat` after the name of the program, and that which says when it started. */
const START_WORD = 19;

/** When a process started, in the words of the system; null when there is none. */
function startOf(pid: number): string | null {
  if (process.platform !== "linux") {
    const { status, stdout } = spawnSync("ps", ["-o", "lstart=", "-p", `${pid}`], {
      encoding: "utf8",
    });
    return status === 0 ? stdout.trim() : null;
  }
  try {
    const words = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ");
    return words?.[START_WORD] ?? null;
  } catch {
    return null;
  }
}
