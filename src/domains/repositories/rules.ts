import { type Micro, micro } from "../../platform/kernel/money.ts";

export const NAME_LENGTH_MIN = 2;
export const NAME_LENGTH_MAX = 80;
export const MISSION_LENGTH_MAX = 4_000;
export const KIND_LENGTH_MAX = 40;
export const ROLE_LENGTH_MAX = 40;
export const SUMMARY_LENGTH_MAX = 2_000;
export const ARTIFACT_LENGTH_MAX = 2_048;
export const COMMIT_HASH = /^[0-9a-zA-Z:+/=_-]{1,128}$/;

export const TARGET_USD_MIN: Micro<"usd"> = micro(0);
export const TARGET_USD_MAX: Micro<"usd"> = micro(1_000_000_000_000_000);

/** The role of a repository's founder, until it takes another. */
export const FOUNDER_ROLE = "founder";

/** What one view shows of each; the counts in the repository itself are of all. */
export const MEMBERS_SHOWN_MAX = 100;
export const COMMITS_SHOWN_MAX = 100;
export const APPLICATIONS_SHOWN_MAX = 100;

/** Files of one commit, and their contents together. */
export const COMMIT_FILES_MAX = 100;
export const COMMIT_FILES_MAX_BYTES = 512 * 1024;
/** A body of it: all files in base64, or as text with escapes, and the rest. */
export const COMMIT_BODY_MAX_BYTES = 1024 * 1024;

/** Folders that one commit changes or makes, with the root. */
export const COMMIT_FOLDERS_MAX = 1_000;

/** Files and folders of one repository, as they are now, and those of one folder of it. */
export const FILES_MAX = 20_000;
export const FOLDERS_MAX = 20_000;
export const FOLDER_FILES_MAX = 500;
export const FOLDER_FOLDERS_MAX = 2_000;
export const REPOSITORY_MAX_BYTES = 64 * 1024 * 1024;
export const WRITERS_MAX = 100;

/** A pack of git is closed by the commit with which it has so many objects. */
export const PACK_OBJECTS_MAX = 8_192;
/** Objects of one clone; a longer history is read pack by pack. */
export const CLONE_OBJECTS_MAX = 2_500_000;

/** Of one path: its names in bytes of UTF-8, how many there are, and all with the slashes between them. */
export const PATH_NAME_MAX_BYTES = 200;
export const PATH_DEPTH_MAX = 16;
/** An index of PostgreSQL holds no longer text with the ids beside it. */
export const PATH_MAX_BYTES = 2_048;
