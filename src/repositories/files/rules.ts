/** Of one commit. */
export const COMMIT_FILES_MAX = 100;
export const COMMIT_FILES_MAX_BYTES = 512 * 1024;
/** Of its body: all files in base64, or as text with escapes, and the rest. */
export const COMMIT_BODY_MAX_BYTES = 1024 * 1024;

/** Of one repository, at its newest commit. */
export const FILES_MAX = 2_000;
export const FOLDER_FILES_MAX = 500;
export const REPOSITORY_MAX_BYTES = 16 * 1024 * 1024;
export const WRITERS_MAX = 100;

/** Of one path: names of at most 200 bytes of UTF-8, at most 10 deep. */
export const COMPONENT_MAX_BYTES = 200;
export const DEPTH_MAX = 10;
/** Characters of a path: all names and the slashes between them. */
export const PATH_LENGTH_MAX = COMPONENT_MAX_BYTES * DEPTH_MAX + DEPTH_MAX - 1;

/** A pack is closed by so many commits, or as soon as its files and folders come to so many bytes. */
export const PACK_COMMITS_MAX = 256;
export const PACK_BYTES_MAX = 2 * 1024 * 1024;

/** Stands in the place of a content that the operator has removed. */
export const REMOVED_TEXT = "The operator has removed this content.\n";

/** Packs that a process keeps in memory, so that an index and its pack are made once. */
export const PACKS_KEPT_MAX_BYTES = 16 * 1024 * 1024;
