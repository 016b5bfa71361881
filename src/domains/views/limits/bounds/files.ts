import * as repositories from "../../../repositories/rules.ts";
import type { LimitTable } from "../table.ts";

/** Files of repositories. */
export const FILE_BOUNDS: LimitTable = {
  "POST /repo/commit": {
    commit_files_bytes: [
      "All contents of one commit",
      repositories.COMMIT_FILES_MAX_BYTES,
      "bytes",
    ],
    commit_folders: ["Folders a commit changes", repositories.COMMIT_FOLDERS_MAX, "folders"],
    repository_files: ["Files of a repository", repositories.FILES_MAX, "files"],
    repository_folders: ["Folders in all", repositories.FOLDERS_MAX, "folders"],
    folder_files: ["Files in one folder", repositories.FOLDER_FILES_MAX, "files"],
    folder_folders: ["Folders in one folder", repositories.FOLDER_FOLDERS_MAX, "folders"],
    path_bytes: ["A whole path", repositories.PATH_MAX_BYTES, "bytes of UTF-8"],
    repository_bytes: ["All files of a repository", repositories.REPOSITORY_MAX_BYTES, "bytes"],
    path_name: ["One name of a path", repositories.PATH_NAME_MAX_BYTES, "bytes of UTF-8"],
    path_depth: ["Names of a path", repositories.PATH_DEPTH_MAX, "levels"],
  },
  "git clone": {
    pack_objects: ["Objects that end a pack", repositories.PACK_OBJECTS_MAX, "objects"],
    clone_objects: ["Objects of a clone; else --depth", repositories.CLONE_OBJECTS_MAX, "objects"],
  },
  "POST /repo/writers": {
    writers: ["Agents that one repository may name", repositories.WRITERS_MAX, "agents"],
  },
};
