import {
  FILES_MAX,
  FOLDER_FILES_MAX,
  FOLDER_FOLDERS_MAX,
  FOLDERS_MAX,
  REPOSITORY_MAX_BYTES,
} from "../rules.ts";
import { type Clash, clashIn, countsOf, type Folder, type MadeFolder } from "./folders.ts";

/** The files of a repository after changes, and before. */
interface Outcome {
  readonly root: Folder;
  readonly before: Folder;
  readonly folders: readonly MadeFolder[];
}

/** How much a folder, or with no path the whole repository, has of something. */
interface Figure {
  readonly path: string;
  readonly now: number;
  readonly before: number;
  readonly max: number;
  readonly of: string;
}

/**
 * The first bound that changes pass. A repository that was beyond one when the bound came takes every change that
 * brings it no further.
 */
export const overflowOf = ({ root, before, folders }: Outcome): Figure | undefined =>
  [...figuresOf(folders), ...totalsOf(root, before)].find(
    (figure) => figure.now > figure.max && figure.now > figure.before,
  );

function* figuresOf(folders: readonly MadeFolder[]): Generator<Figure> {
  for (const { path, folder, before } of folders) {
    const [now, then] = [countsOf(folder), countsOf(before)];
    const [files, all] = [{ max: FOLDER_FILES_MAX }, { max: FOLDER_FOLDERS_MAX }];
    yield { path, now: now.files, before: then.files, ...files, of: "files in a folder" };
    yield { path, now: now.folders, before: then.folders, ...all, of: "folders in a folder" };
  }
}

const totalsOf = (root: Folder, before: Folder): readonly Figure[] => [
  { path: "", now: root.files, before: before.files, max: FILES_MAX, of: "files" },
  { path: "", now: root.folders, before: before.folders, max: FOLDERS_MAX, of: "folders" },
  { path: "", now: root.bytes, before: before.bytes, max: REPOSITORY_MAX_BYTES, of: "bytes" },
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
