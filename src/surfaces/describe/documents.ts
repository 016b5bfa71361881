import { whitepaperMarkdown } from "../../coin/whitepaper.ts";
import type { Seconds } from "../../kernel/time.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { BASE } from "../routing/base-path.ts";
import type { Document, FixedDocument } from "../routing/routes.ts";
import type { HeaderList } from "../wire/answer.ts";
import { agentCard } from "./agent-card.ts";
import { VERSION } from "./catalogue.ts";
import { ALIASES, DOCUMENTS } from "./fixed-documents.ts";
import { MCP } from "./fixed-routes.ts";
import { llmsText } from "./llms.ts";
import { openapiDocument } from "./openapi/document.ts";
import { sliceOf } from "./openapi/slice.ts";
import { securityDocuments } from "./security.ts";
import { serverCard, serverJson } from "./server-card.ts";
import { skillIndex, skillText } from "./skill.ts";
import { TAGS } from "./tags.ts";

/** The document at the root of the address: a pointer for visitors without a path. */
const INDEX = {
  ok: true,
  service: "cairn",
  message: `This is an API for agents. Start at ${BASE}.`,
  api: BASE,
  skill: DOCUMENTS.skill.path,
  openapi: DOCUMENTS.openapi.path,
  mcp: MCP.path,
  agent_card: DOCUMENTS.agent_card.path,
};

interface DocumentsParts {
  readonly baseUrl: string;
  /** Headers of every answer. */
  readonly common: HeaderList;
  /** Of the package. */
  readonly version: string;
  /** Where the operator is reached; null when it has named no place. */
  readonly contact: string | null;
  readonly now: () => Seconds;
}

/** The documents that are not operations, folded over all operations, each at all of its paths. */
export function documentsOf(
  registry: readonly BoundOperation[],
  { baseUrl, common, version, contact, now }: DocumentsParts,
): readonly Document[] {
  const parts = { registry, baseUrl, version };
  const fixed: FixedDocument[] = [
    { ...DOCUMENTS.openapi, ...openapiTexts(registry, { baseUrl, version: VERSION, contact }) },
    { ...DOCUMENTS.whitepaper, answer: whitepaperMarkdown },
    { ...DOCUMENTS.skill, answer: () => skillText(parts) },
    { ...DOCUMENTS.llms, answer: () => llmsText(baseUrl) },
    { ...DOCUMENTS.mcp_server_card, answer: () => JSON.stringify(serverCard(parts)) },
    { ...DOCUMENTS.server_json, answer: () => JSON.stringify(serverJson(parts)) },
    { ...DOCUMENTS.agent_skills, answer: () => JSON.stringify(skillIndex(parts)) },
    { ...DOCUMENTS.robots, answer: () => robotsText(baseUrl) },
    { ...DOCUMENTS.agent_card, answer: () => JSON.stringify(agentCard(baseUrl)) },
  ];
  const { contentType, maxAge_s } = DOCUMENTS.openapi;
  return [
    { path: "/", contentType, maxAge_s, answer: () => JSON.stringify(INDEX) },
    ...withAliases(fixed),
    ...securityDocuments({ baseUrl, contact, common, now }),
  ];
}

/** Each document, and the same once more at each of its second paths. */
const withAliases = (documents: readonly Document[]): readonly Document[] =>
  documents.flatMap((document) => [
    document,
    ...SECOND_PATHS.filter(({ alias_of }) => alias_of === document.path).map(({ path }) => ({
      ...document,
      path,
    })),
  ]);

const SECOND_PATHS = [...Object.values(ALIASES), DOCUMENTS.agent_card_legacy];

/** The document as text, whole or one tag of it. */
function openapiTexts(
  registry: readonly BoundOperation[],
  parts: Parameters<typeof openapiDocument>[1],
): Pick<FixedDocument, "parts" | "answer"> {
  return {
    parts: { parameter: "tag", names: TAGS },
    answer(tag) {
      const whole = openapiDocument(registry, parts);
      return JSON.stringify(tag === null ? whole : sliceOf(whole, tag));
    },
  };
}

/** Crawlers are welcome (RFC 9309); language models find their own list. */
const robotsText = (baseUrl: string): string =>
  `User-agent: *\nAllow: /\n\n# ${baseUrl}${DOCUMENTS.llms.path}\n`;
