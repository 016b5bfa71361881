import { type Checker, folderOf, isProduct } from "./source.ts";

const CURSOR = /\b(?:namedCursorOf|pathCursor|cursorOf)\(\s*"(\w+)"/g;

/** Two lists each that are on the wire with one beginning. */
const ON_THE_WIRE: readonly (readonly [prefix: string, lists: number])[] = [
  ["b", 2],
  ["f", 2],
];

/** A cursor of one list is none of another, so each list has its own letters before the first dot. */
export const cursorsBeginDifferently: Checker = (files) => {
  const found = files
    .filter(({ path }) => isProduct(path))
    .flatMap(({ path, source }) =>
      [...source.matchAll(CURSOR)].map(([, prefix = ""]) => ({ path, prefix })),
    );
  const taken = new Set(found.map(({ prefix }) => prefix));
  return [...Map.groupBy(found, ({ prefix }) => prefix)].flatMap(([prefix, lists]) => {
    const most = new Map(ON_THE_WIRE).get(prefix) ?? 1;
    if (lists.length <= most) return [];
    const places = lists.map(({ path }) => path).join(", ");
    return [
      `${lists.length} lists have cursors that begin with "${prefix}" (${places}); a free beginning is "${freeOne(lists.at(-1)?.path ?? "", taken)}". Those that are released stay`,
    ];
  });
};

/** The first letters of the folder's name that no cursor begins with. */
function freeOne(path: string, taken: ReadonlySet<string>): string {
  const folder = folderOf(path).split("/").at(-1) ?? "";
  const lengths = Array.from(folder, (_, i) => folder.slice(0, i + 1));
  return lengths.find((name) => name.length > 1 && !taken.has(name)) ?? `${folder}_`;
}
