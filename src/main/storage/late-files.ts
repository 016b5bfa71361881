import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spaceAt } from "../../platform/db/sqlite/disk.ts";
import { messageOf } from "../../verify/stop.ts";
import type { Log } from "../log.ts";
import { isNothingAt } from "../running/trusted-file.ts";

const OWNER_ONLY = 0o600;
const EVERY_MS = 10_000;

/** A start writes less: the index of the database's log, and small files that commands read. */
const SPARE_BYTES = 128 * 1024;

const spareFile = (dataDir: string): string => join(dataDir, "spare-room");

/** On a disk that others have filled: gives back what earlier starts have laid aside for this one. */
export function takeSpareRoom(dataDir: string): void {
  if (isFull(dataDir)) rmSync(spareFile(dataDir), { force: true });
}

/** Whether the disk under a folder has too little left for a start. */
export const isFull = (dataDir: string): boolean => spaceAt(dataDir).free_bytes < SPARE_BYTES;

function keepSpareRoom(dataDir: string): void {
  const { free_bytes, floor_bytes } = spaceAt(dataDir);
  if (free_bytes < floor_bytes || !isNothingAt(spareFile(dataDir))) return;
  // Zeros would take no room where the file system compresses.
  writeFileSync(spareFile(dataDir), randomBytes(SPARE_BYTES), { mode: OWNER_ONLY });
}

/** Files without which a service serves, too. */
export interface LateFiles {
  /** Writes a file, now or as soon as that can be. */
  put(path: string, write: () => void): void;
  /** Tries again what could not be written, and keeps room for the next start. */
  readonly job: { readonly name: "files"; readonly every_ms: number; run(): Promise<void> };
}

export function lateFiles(dataDir: string, log: Pick<Log, "warn">): LateFiles {
  const late = new Map<string, () => void>();
  return {
    put(path, write) {
      try {
        write();
      } catch (error) {
        late.set(path, write);
        log.warn({ file: path, why: messageOf(error) }, "a file is written later");
      }
    },
    job: {
      name: "files",
      every_ms: EVERY_MS,
      async run() {
        for (const [path, write] of late) {
          write();
          late.delete(path);
        }
        keepSpareRoom(dataDir);
      },
    },
  };
}
