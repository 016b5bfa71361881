import type { BoundOperation } from "../dispatch/registry.ts";
import { BASE } from "../routing/base-path.ts";
import type { Document } from "../routing/routes.ts";

const MARKDOWN = "text/markdown";
const JSON_MIME = "application/json";
const PARAMETER = /\{(\w+)\}/;

/** Everything that happened; it can be listened to. */
export const SINCE_URI = "cairn://since";
/** What concerns an agent: its own can be read and listened to. */
export const inboxUri = (agent_id: string): string => `cairn://agent/${agent_id}/inbox`;

/** Texts that are resources and no operations, by URI. */
export type TextResources = ReadonlyMap<
  string,
  {
    readonly name: string;
    readonly mimeType: string;
    readonly text: () => string | Promise<string>;
  }
>;

/** The documents that are markdown: `/WHITEPAPER.md` is `cairn://whitepaper.md`, `/recipes/earn` as `cairn://recipes/earn`. */
export const textResourcesOf = (documents: readonly Document[]): TextResources =>
  new Map(
    documents.flatMap((document) => {
      if (!("answer" in document) || !document.contentType.startsWith(MARKDOWN)) return [];
      const name = document.path.replace(BASE, "").slice(1).toLowerCase();
      const text = () => document.answer(null);
      return [[`cairn://${name}`, { name, mimeType: MARKDOWN, text }] as const];
    }),
  );

/** The operations behind the resources with news. */
export function newsOf(registry: readonly BoundOperation[]) {
  const byAuth = (wanted: BoundOperation["auth"]) => {
    const found = registry.find(({ live, auth }) => live !== undefined && auth === wanted);
    if (found === undefined) throw new Error("An operation with streams is missing.");
    return found;
  };
  return { since: byAuth("none"), inbox: byAuth("required") };
}

/** Everything with an address of its own: the texts, the documents, and all that happened. */
export const resourcesOf = (
  texts: TextResources,
  documents: ReadonlyMap<string, BoundOperation>,
  { since }: ReturnType<typeof newsOf>,
) => [
  ...[...documents].map(([name, { summary }]) => ({
    uri: documentUri(name),
    name,
    description: summary,
    mimeType: JSON_MIME,
  })),
  ...[...texts].map(([uri, { name, mimeType }]) => ({ uri, name, mimeType })),
  { uri: SINCE_URI, name: "since", description: since.summary, mimeType: JSON_MIME },
];

export const inboxTemplate = ({ inbox }: ReturnType<typeof newsOf>) => ({
  uriTemplate: inboxUri("{agent_id}"),
  name: "inbox",
  description: `${inbox.summary} Your own alone.`,
  mimeType: JSON_MIME,
});

const documentUri = (name: string): string => `cairn://document/${name}`;

/** Things that have an id, read by the operation that shows one of them. */
interface Template {
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
    const parameter = path.endsWith("}") ? PARAMETER.exec(path)?.[1] : undefined;
    if (method !== "GET" || auth !== "none" || parameter === undefined || !id.endsWith("_get"))
      return [];
    const name = id.slice(0, -"_get".length);
    const prefix = `cairn://${name}/`;
    const uriTemplate = `${prefix}{${parameter}}`;
    const shown = { uriTemplate, name, description: summary, mimeType: JSON_MIME };
    return [{ operation, shown, prefix, parameter }];
  });

interface Places {
  readonly documents: ReadonlyMap<string, BoundOperation>;
  readonly templates: readonly Template[];
  readonly news: ReturnType<typeof newsOf>;
}

/** The operation behind a resource, and its arguments; null when there is none for this agent. */
export function operationAt(
  { documents, templates, news }: Places,
  uri: string,
  agent_id: string | null,
) {
  if (uri === SINCE_URI) return { operation: news.since, args: {} };
  if (agent_id !== null && uri === inboxUri(agent_id)) return { operation: news.inbox, args: {} };
  const document = [...documents].find(([name]) => documentUri(name) === uri)?.[1];
  return document ? { operation: document, args: {} } : instanceOf(templates, uri);
}

/** The operation that reads one thing, and its arguments; null when no template has this form. */
function instanceOf(templates: readonly Template[], uri: string) {
  const found = templates.find(({ prefix }) => uri.startsWith(prefix));
  const value = found && uri.slice(found.prefix.length);
  if (!value || !/^[\w-]+$/.test(value)) return null;
  return { operation: found.operation, args: { [found.parameter]: value } };
}
