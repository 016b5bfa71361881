import { posix } from "node:path";
import { isProduct, type Source } from "./source.ts";

/** A declaration at the top of a file, or a member of an object there. */
export interface Declaration {
  /** `src/domains/feed/queries.ts#hidePost`, `src/domains/feed/handlers.ts#feedHandlers.post`. */
  readonly id: string;
  readonly path: string;
  /** Of a member with the first line of its object, which says its type. */
  readonly text: string;
  /** The ids of the declarations that it names. */
  readonly names: ReadonlySet<string>;
}

// The formatter puts a declaration into the first column, and a member of its object into the third.
const DECLARED =
  /^(?:export )?(?:async )?(?:const|let|function\*?|class|interface|type) (\w+)(.*)$/;
const OPENS_OBJECT = /=\s*\{$/;
const MEMBER = /^ {2}(?:async )?(\w+)[(:,]/;
const ENDS_ALL = /^(?:import|export \{)/;
const COMMENTS = /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm;
const IMPORTS = /^import (?:type )?(?:\* as (\w+)|\{([^}]*)\}) from "(\.[^"]+)";/gm;
const STRINGS = /"[^"\n]*"/g;
const WORDS = /(?<![\w.])(\w+)(?:\.(\w+))?/g;

interface Part {
  readonly name: string;
  text: string;
}

function partsOf(source: string): readonly Part[] {
  const parts: Part[] = [];
  let object: Part | undefined;
  for (const line of source.split("\n")) {
    const [, name, rest = ""] = DECLARED.exec(line) ?? [];
    const [, member] = MEMBER.exec(line) ?? [];
    if (name !== undefined) {
      parts.push({ name, text: "" });
      object = OPENS_OBJECT.test(rest) ? { name, text: `${line}\n` } : undefined;
    } else if (member !== undefined && object !== undefined)
      parts.push({ name: `${object.name}.${member}`, text: object.text });
    const last = parts.at(-1);
    if (last !== undefined && !ENDS_ALL.test(line)) last.text += `${line}\n`;
  }
  return parts;
}

/** The ids of what a file imports, by the name that it has there; of a whole file the path and `#`. */
function importsOf(path: string, source: string): ReadonlyMap<string, string> {
  const imports = new Map<string, string>();
  for (const [, whole, listed = "", from = ""] of source.matchAll(IMPORTS)) {
    const file = posix.join(posix.dirname(path), from);
    if (whole !== undefined) imports.set(whole, `${file}#`);
    for (const each of listed.split(",")) {
      const [name = "", as = name] = each
        .trim()
        .replace(/^type /, "")
        .split(" as ");
      if (name !== "") imports.set(as, `${file}#${name}`);
    }
  }
  return imports;
}

/** Every declaration of the product, and which others it names. */
export function declarationsOf(files: readonly Source[]): readonly Declaration[] {
  return files
    .filter(({ path }) => isProduct(path))
    .flatMap(({ path, source: raw }) => {
      const source = raw.replace(COMMENTS, "");
      const imports = importsOf(path, source);
      const parts = partsOf(source);
      const own = new Set(parts.map(({ name }) => name));
      const named = (name: string, text: string): ReadonlySet<string> => {
        const names = new Set<string>();
        for (const [word, first = "", second] of text.replace(STRINGS, "").matchAll(WORDS)) {
          const from = imports.get(first);
          if (from?.endsWith("#")) names.add(`${from}${second}`);
          else if (from !== undefined) names.add(from);
          else for (const each of [first, word]) if (own.has(each)) names.add(`${path}#${each}`);
        }
        for (const each of [name, name.split(".")[0]]) names.delete(`${path}#${each}`);
        return names;
      };
      return parts.map(({ name, text }) => {
        const id = `${path}#${name}`;
        return { id, path, text, names: named(name, text) };
      });
    });
}
