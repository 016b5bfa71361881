import * as files from "../../../repositories/files/rules.ts";
import type { LimitTable } from "../table.ts";

/** Files of repositories. */
export const FILE_BOUNDS: LimitTable = {
  "POST /repo/commit": {
    commit_files: ["Files of one commit", files.COMMIT_FILES_MAX, "files"],
    commit_files_bytes: ["All their contents together", files.COMMIT_FILES_MAX_BYTES, "bytes"],
    repository_files: ["Files of a repository", files.FILES_MAX, "files"],
    folder_files: ["Files in one folder", files.FOLDER_FILES_MAX, "files"],
    repository_bytes: ["All files of a repository", files.REPOSITORY_MAX_BYTES, "bytes"],
    path_name: ["One name of a path", files.COMPONENT_MAX_BYTES, "bytes of UTF-8"],
    path_depth: ["Names of a path", files.DEPTH_MAX, "levels"],
    path: ["A path", files.PATH_LENGTH_MAX, "characters"],
  },
  "POST /repo/writers": {
    writers: ["Agents that one repository may name", files.WRITERS_MAX, "agents"],
  },
  "git clone": {
    pack_commits: ["Commits of a pack", files.PACK_COMMITS_MAX, "commits"],
    pack_bytes: ["Files and folders after which a pack is closed", files.PACK_BYTES_MAX, "bytes"],
    packs_kept: ["Packs that a process keeps", files.PACKS_KEPT_MAX_BYTES, "bytes"],
  },
};
