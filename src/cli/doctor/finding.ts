import type { ServiceRecord } from "../../main/running/service-record.ts";
import type { Configuration, ShownSetting } from "../../main/settings/settings.ts";
import type { Snapshot } from "../../platform/db/table-copy.ts";
import type { SignerMemory } from "../../platform/ledger/seals/signer.ts";

/** What a look at one thing found. */
export interface Finding {
  readonly about: string;
  readonly state: "ok" | "warning" | "fault";
  readonly text: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** A command and the service beside it read their settings by themselves, and may read others. */
export const NAME_THE_FOLDER =
  "Give this command the settings of the service, such as CAIRN_DATA_DIR: see docs/operating/install.md, systemd.";

/** What there is to be looked at. */
export interface Patient {
  readonly configuration: Configuration;
  readonly settings: readonly ShownSetting[];
  /** Null where no database is yet, or none that can be read. */
  readonly snapshot: Snapshot | null;
  readonly database: "read" | "missing" | "unreadable";
  /** Read before the snapshot was taken, so the database is not behind it by chance. */
  readonly memory: SignerMemory | "unreadable" | null;
  readonly depth: "quick" | "whole";
  /** The services of this machine that this user may know of. */
  readonly running: readonly ServiceRecord[];
}
