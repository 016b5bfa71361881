import type { BoundOperation } from "../dispatch/registry.ts";
import type { Document } from "../routing/routes.ts";

const MARKDOWN = "text/markdown";
const JSON_MIME = "application/json";
const PARAMETER = /\{(\w+)\}/;

/** Texts that are resources and no operations, by URI. */
export type TextResources = ReadonlyMap<
  string,
  { readonly name: string; readonly mimeType: string; readonly text: () => string }
>;

/** The documents that are markdown: `/WHITEPAPER.md` is `cairn://whitepaper.md`. */
export const textResourcesOf = (documents: readonly Document[]): TextResources =>
  new Map(
    documents.flatMap((document) => {
      if (!("answer" in document) || !document.contentType.startsWith(MARKDOWN)) return [];
      const name = document.path.slice(document.path.lastIndexOf("/") + 1).toLowerCase();
      const text = () => document.answer(null);
      return [[`cairn://${name}`, { name, mimeType: MARKDOWN, text }] as const];
    }),
  );

/** Everything with an address of its own: the texts and the documents. */
export const resourcesOf = (
  texts: TextResources,
  documents: ReadonlyMap<string, BoundOperation>,
) => [
  ...[...documents].map(([name, { summary }]) => ({
    uri: documentUri(name),
    name,
    description: summary,
    mimeType: JSON_MIME,
  })),
  ...[...texts].map(([uri, { name, mimeType }]) => ({ uri, name, mimeType })),
];

export const documentUri = (name: string): string => `cairn://document/${name}`;

/** Things that have an id, read by the operation that shows one of them. */
export interface Template {
  readonly operation: BoundOperation;
  readonly shown: {
    readonly uriTemplate: string;
    readonly name: string;
    readonly description: string;
    readonly mimeType: string;
  };
  /** The URI before the id. */
  readonly prefix: string;
  readonly parameter: string;
}

/** `repo_get` at `/repo/{id}` makes `cairn://repo/{id}`. */
export const templatesOf = (registry: readonly BoundOperation[]): readonly Template[] =>
  registry.flatMap((operation) => {
    const { tool, item, method, auth, path, summary } = operation;
    const id = tool ?? item ?? "";
    const parameter = PARAMETER.exec(path)?.[1];
    if (method !== "GET" || auth !== "none" || parameter === undefined || !id.endsWith("_get"))
      return [];
    const name = id.slice(0, -"_get".length);
    const prefix = `cairn://${name}/`;
    const uriTemplate = `${prefix}{${parameter}}`;
    const shown = { uriTemplate, name, description: summary, mimeType: JSON_MIME };
    return [{ operation, shown, prefix, parameter }];
  });

/** The operation that reads one thing, and its arguments; null when no template has this form. */
export function instanceOf(templates: readonly Template[], uri: string) {
  const found = templates.find(({ prefix }) => uri.startsWith(prefix));
  const value = found && uri.slice(found.prefix.length);
  if (!value || !/^[\w-]+$/.test(value)) return null;
  return { operation: found.operation, args: { [found.parameter]: value } };
}
