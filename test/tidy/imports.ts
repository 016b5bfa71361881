import { posix } from "node:path";
import { type Checker, folderOf, isProduct, type Source } from "./source.ts";

/**
 * The allowed imports, from the table in ARCHITECTURE.md: the number of the floor by each name in
 * backquotes of the second column. A file sees its own folder and lower floors.
 */
const floorsIn = (files: readonly Source[]): ReadonlyMap<string, number> => {
  const text = files.find(({ path }) => path === "ARCHITECTURE.md")?.source ?? "";
  const rows = text.matchAll(/^\| (\d+) \|([^|]*)\|/gm);
  return new Map(
    rows.flatMap(([, floor, names = ""]) =>
      names.matchAll(/`([\w.]+)`/g).map(([, name = ""]) => [name, Number(floor)] as const),
    ),
  );
};

/** Files that ship to browsers: they see each other and nothing else. */
const PORTABLE =
  /^src\/(?:client\/.+|verify\/.+|platform\/(?:kernel\/.+|ledger\/(?:transition|replay|acts|entry-names|before-text))|domains\/(?:contracts|entries|transitions|identity\/keys\/(?:act-rule|ledger)|claims\/weeks|market\/(?:amounts|steps\/.+)|tasks\/criterion[\w-]*)|(?:platform|domains)\/[^/]+\/(?:(?:own-)?(?:contract|shapes)|entries|rules|ledger))\.ts$/;
/** Files that ask for Node's modules: those of the verifier where these are, and the client's store in a folder. */
const ON_NODE = /^src\/(?:verify\/(?:platform|program)|client\/node)\.ts$/;
const PORTABLE_PACKAGES =
  /^(?:zod|canonicalize|re2js|ajv(?:\/.+)?|@hpke\/.+|@noble\/(?:curves|hashes)\/.+)$/;
const KERNEL_PACKAGES = /^(?:zod|canonicalize|@noble\/hashes\/utils\.js)$/;

interface Import {
  readonly from: string;
  /** As written. */
  readonly specifier: string;
  /** The path within the project, or null for a package. */
  readonly file: string | null;
  readonly typeOnly: boolean;
}

const STATIC = /^(?:import|export)\s(type\s)?(?:[^"';]*?\sfrom\s)?"([^"]+)"/gm;
const DYNAMIC = /\bimport\("([^"]+)"\)|\bnew URL\("(\.[^"]+\.ts)", import\.meta\.url\)/g;

function importsOf({ path, source }: Source): Import[] {
  const found = (specifier: string, typeOnly: boolean): Import => ({
    from: path,
    specifier,
    file: specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : null,
    typeOnly,
  });
  return [
    ...source.matchAll(STATIC).map((m) => found(m[2] ?? "", m[1] !== undefined)),
    ...source.matchAll(DYNAMIC).map((m) => found(m[1] ?? m[2] ?? "", false)),
  ];
}

const importsOfProduct = (files: readonly Source[]): Import[] =>
  files.filter(({ path }) => isProduct(path)).flatMap(importsOf);

/** The records of the ledger's kinds, which every folder but the kernel may name. */
const VOCABULARY = /^src\/(?:platform|domains)\/(?:[a-z]+\/)?entries\.ts$/;
const VOCABULARY_SEES =
  /^src\/(?:platform|domains)\/(?:kernel\/.+|(?:[a-z]+\/)?entries|[a-z]+\/rules)\.ts$/;

/** Its folder of `platform` or `domains`, or of `src`: the name that the table has. */
const placeOf = (path: string): string =>
  /^src\/(?:(?:platform|domains)\/)?([^/]+)/.exec(path)?.[1] ?? path;

/** `platform/db/tables.ts` names the row types of all domains, and no value of theirs. */
const isTableList = ({ from, file, typeOnly }: Import): boolean =>
  from === "src/platform/db/tables.ts" && typeOnly && file !== null && /\/tables\.ts$/.test(file);

export const importsGoDown: Checker = (files) => {
  const floors = floorsIn(files);
  const floorOf = (path: string) => floors.get(placeOf(path)) ?? -1;
  return importsOfProduct(files).flatMap((link) => {
    const { from, file, specifier } = link;
    if (file === null || isTableList(link)) return [];
    if (file === "package.json") return []; // The only place of the version.
    if (!file.startsWith("src/")) return [`${from} leaves src: ${specifier}`];
    if (VOCABULARY.test(from))
      return VOCABULARY_SEES.test(file) ? [] : [`${from} imports ${specifier}: it is vocabulary`];
    if (VOCABULARY.test(file) && placeOf(from) !== "kernel") return [];
    if (floorOf(from) < 0) return [`${placeOf(from)} has no floor`];
    if (placeOf(from) === placeOf(file) || floorOf(file) < floorOf(from)) return [];
    return [`${from} imports ${specifier}, which is not below it`];
  });
};

export const portableFilesStayPortable: Checker = (files) =>
  importsOfProduct(files).flatMap(({ from, file, specifier }) => {
    if (!PORTABLE.test(from)) return [];
    const packages = from.startsWith("src/platform/kernel/") ? KERNEL_PACKAGES : PORTABLE_PACKAGES;
    if (ON_NODE.test(from) && specifier.startsWith("node:")) return []; // Behind a condition.
    const fine = file === null ? packages.test(specifier) : PORTABLE.test(file);
    return fine ? [] : [`${from} must run in a browser, but imports ${specifier}`];
  });

/** A door speaks a protocol of its own, and every write of it is an operation that `invoke` runs. */
const DOOR = /^src\/surfaces\/(?:a2a|mcp)\//;
/** What `invoke` does around a write. */
const AROUND_WRITES =
  /^src\/surfaces\/dispatch\/(?:acts|charging|repeats|retries|trying)\.ts$|^src\/platform\/ledger\/append\.ts$/;
const WRITES = /\b(?:write|append|enact|enactSurely)\(/;

export const doorsWriteByInvoke: Checker = (files) => {
  const sources = new Map(files.map(({ path, source }) => [path, source]));
  const isWriter = (file: string) =>
    AROUND_WRITES.test(file) ||
    (!/^src\/(?:platform\/kernel|surfaces)\//.test(file) && WRITES.test(sources.get(file) ?? ""));
  return importsOfProduct(files).flatMap(({ from, file, typeOnly }) =>
    DOOR.test(from) && !typeOnly && file !== null && isWriter(file)
      ? [`${from} imports ${file}: only invoke may write`]
      : [],
  );
};

export const importsNameTheirFile: Checker = (files) =>
  files
    .filter(({ path }) => path.endsWith(".ts"))
    .flatMap(importsOf)
    .filter(({ file }) => file !== null && !/\.(?:ts|json)$/.test(file))
    .map(({ from, specifier }) => `${from} imports ${specifier} without its extension`);

/** Types count: a cycle of types is still two files that cannot be read one after the other. */
export const importsHaveNoCycle: Checker = (files) =>
  cyclesIn(importsOfProduct(files).map(({ from, file }) => [from, file]));

/**
 * The two subfolders of one folder, at any depth, that an import leads between; null when it leads
 * within one of them, from or to a file beside them, or from one folder of `src` to another, which
 * goes down.
 */
function subfoldersOf(from: string, to: string): Link | null {
  const [own, other] = [from.split("/"), to.split("/")];
  const fork = own.findIndex((name, i) => name !== other[i]);
  const areFolders =
    fork >= folderOf(from).split("/").length && fork < Math.min(own.length, other.length) - 1;
  const upTo = (path: readonly string[]) => path.slice(0, fork + 1).join("/");
  return areFolders ? [upTo(own), upTo(other)] : null;
}

export const subfoldersHaveNoCycle: Checker = (files) =>
  cyclesIn(
    importsOfProduct(files).flatMap(({ from, file }) => {
      const link = file === null ? null : subfoldersOf(from, file);
      return link === null ? [] : [link];
    }),
  );

type Link = readonly [from: string, to: string | null];

/** Each circle with its members in order, as it is met first. */
function cyclesIn(links: readonly Link[]): string[] {
  const targets = Map.groupBy(links, ([from]) => from);
  const done = new Set<string>();
  const faults: string[] = [];
  const visit = (name: string, trail: readonly string[]): void => {
    const met = trail.indexOf(name);
    if (met >= 0) faults.push([...trail.slice(met), name].join(" → "));
    if (met >= 0 || done.has(name)) return;
    for (const to of new Set(targets.get(name)?.map(([, target]) => target)))
      if (to !== null) visit(to, [...trail, name]);
    done.add(name);
  };
  for (const name of targets.keys()) visit(name, []);
  return faults;
}
