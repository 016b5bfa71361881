import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { isNothingAt } from "../../main/running/trusted-file.ts";
import { isOpenToOthers, signerFiles } from "../../main/service/operator-key.ts";
import { databaseFile } from "../../main/storage/database.ts";
import { demandOpenFiles } from "../../main/storage/open-files.ts";
import { spaceAt } from "../../platform/db/sqlite/disk.ts";
import { messageOf } from "../command/stop.ts";
import type { Finding, Patient } from "./finding.ts";

const MIB = 1024 * 1024;

/** Whether the files can be used, by their owner and by nobody else, and whether there is room. */
export async function checkFiles({ configuration }: Patient): Promise<Finding[]> {
  const { dataDir, databaseUrl } = configuration;
  if (isNothingAt(dataDir)) {
    const text = `The data folder ${dataDir} is not there yet; the first start makes it.`;
    return [{ about: "files", state: "ok", text }];
  }
  const { keyFile, memoryFile } = signerFiles(configuration);
  const own = [keyFile, memoryFile, ...(databaseUrl === null ? [databaseFile(configuration)] : [])];
  const findings = [
    ...writable(dataDir),
    ...replaced(configuration),
    ...closed(dataDir, "0700", "warning"),
    ...own.flatMap((file) =>
      file === keyFile ? closedKey(file) : closed(file, "0600", "warning"),
    ),
  ];
  const text = `Folder, database, key and memory in ${dataDir} belong to their owner alone.`;
  const files: Finding[] = findings.length > 0 ? findings : [{ about: "files", state: "ok", text }];
  return [...files, diskFinding(configuration)];
}

function writable(folder: string): Finding[] {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    const text = `The folder ${folder} cannot be written: ${messageOf(error)}.`;
    const advice = "Give it to the user that the service runs as.";
    return [{ about: "files", state: "fault", text, advice }];
  }
}

/** A service that runs has lost a file of its database. */
function replaced(configuration: Patient["configuration"]): Finding[] {
  try {
    demandOpenFiles(configuration);
    return [];
  } catch (error) {
    const advice = "Then keep other programs from cairn.db-wal and cairn.db-shm.";
    return [{ about: "files", state: "fault", text: messageOf(error), advice }];
  }
}

const closedKey = (file: string): Finding[] =>
  !isNothingAt(file) && isOpenToOthers(statSync(file)) ? closed(file, "0600", "fault") : [];

/** Nobody but the owner has any right. */
function closed(path: string, mode: string, state: Finding["state"]): Finding[] {
  if (isNothingAt(path) || (statSync(path).mode & 0o077) === 0) return [];
  const text = `${path} can be used by others than its owner.`;
  return [{ about: "files", state, text, advice: `chmod ${mode} ${path}` }];
}

/** How full it gets is a condition with an alert. */
function diskFinding({ dataDir, databaseUrl }: Patient["configuration"]): Finding {
  const about = "disk";
  const { free_bytes, floor_bytes, large_floor_bytes } = spaceAt(dataDir);
  const mib = (bytes: number) => `${Math.floor(bytes / MIB).toLocaleString("en")} MiB`;
  const free = `${mib(free_bytes)} are free`;
  if (databaseUrl !== null) {
    const text = `${free} for the files here. The disk of the PostgreSQL server is not measured.`;
    return { about, state: "ok", text };
  }
  const text = `${free}; below ${mib(large_floor_bytes)} no large write begins, below ${mib(floor_bytes)} none.`;
  if (free_bytes >= floor_bytes) return { about, state: "ok", text };
  return { about, state: "fault", text, advice: `Make room where ${dirname(dataDir)} is.` };
}
