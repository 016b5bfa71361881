import {
  FILES_MAX,
  FOLDER_FILES_MAX,
  FOLDER_FOLDERS_MAX,
  FOLDERS_MAX,
  REPOSITORY_MAX_BYTES,
} from "../rules.ts";
import { type Clash, clashIn, countsOf, type Folder, type MadeFolder } from "./folders.ts";

/** How much a folder, or with no path the whole repository, has of something. */
interface Figure {
  readonly path: string;
  readonly now: number;
  readonly max: number;
  readonly of: string;
}

/** The first bound that the files of a repository pass, of those in folders that a commit has made. */
export const overflowOf = (root: Folder, folders: readonly MadeFolder[]): Figure | undefined =>
  [...folders.flatMap(figuresOf), ...totalsOf(root)].find(({ now, max }) => now > max);

function figuresOf({ path, folder }: MadeFolder): readonly Figure[] {
  const { files, folders } = countsOf(folder);
  return [
    { path, now: files, max: FOLDER_FILES_MAX, of: "files in a folder" },
    { path, now: folders, max: FOLDER_FOLDERS_MAX, of: "folders in a folder" },
  ];
}

const totalsOf = ({ files, folders, bytes }: Folder): readonly Figure[] => [
  { path: "", now: files, max: FILES_MAX, of: "files" },
  { path: "", now: folders, max: FOLDERS_MAX, of: "folders" },
  { path: "", now: bytes, max: REPOSITORY_MAX_BYTES, of: "bytes" },
];

/** A path that cannot stand beside another, and that one. Only a folder with new names may have one. */
export function clashAmong(folders: readonly MadeFolder[]): Clash | undefined {
  for (const folder of folders) {
    const clash = isGrown(folder) ? clashIn(folder) : null;
    if (clash !== null) return clash;
  }
  return;
}

const isGrown = ({ folder, before }: MadeFolder): boolean => {
  const known = new Set(before.items.map(({ key }) => key));
  return folder.items.some(({ key }) => !known.has(key));
};
