import type { Part } from "../../routing/routes.ts";
import type { Json } from "./answers.ts";

const REFERENCE = /"#\/components\/(\w+)\/([^"]+)"/g;

/**
 * The document with the operations of one tag or one path alone, and the components that these refer to, directly
 * or through others.
 */
export function sliceOf(document: Json, { parameter, name }: Part): Json {
  const { paths, components, tags, ...rest } = document;
  const kept = Object.entries(Object(paths)).flatMap(([path, methods]) => {
    const ours = Object.entries(Object(methods)).filter(([, operation]) =>
      parameter === "path" ? path === name : Object(operation).tags.includes(name),
    );
    return ours.length === 0 ? [] : [[path, Object.fromEntries(ours)] as const];
  });
  const slice = {
    ...rest,
    tags: [...Object(tags)].filter((tag) => JSON.stringify(kept).includes(`"${tag.name}"`)),
    paths: Object.fromEntries(kept),
  };
  return { ...slice, components: componentsFor(slice, Object(components)) };
}

type Components = Readonly<Record<string, Json>>;

function componentsFor(slice: Json, components: Components): Json {
  const wanted = new Set<string>();
  const follow = (value: unknown): void => {
    for (const [, section = "", name = ""] of JSON.stringify(value).matchAll(REFERENCE)) {
      const key = `${section}/${name}`;
      if (wanted.has(key)) continue;
      wanted.add(key);
      follow(components[section]?.[name]);
    }
  };
  follow(slice);
  const sections = Object.entries(components).map(([section, members]) => {
    const isWanted = ([name]: [string, unknown]) =>
      section === "securitySchemes" || wanted.has(`${section}/${name}`);
    return [section, Object.fromEntries(Object.entries(members).filter(isWanted))] as const;
  });
  return Object.fromEntries(sections.filter(([, members]) => Object.keys(members).length > 0));
}
