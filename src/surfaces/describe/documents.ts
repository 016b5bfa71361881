import { whitepaperMarkdown } from "../../coin/whitepaper.ts";
import type { Seconds } from "../../kernel/time.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { BASE } from "../routing/base-path.ts";
import type { Document } from "../routing/routes.ts";
import type { HeaderList } from "../wire/answer.ts";
import { cardDocuments } from "./agent-card.ts";
import { VERSION } from "./catalogue.ts";
import { DOCUMENTS, MCP } from "./fixed-routes.ts";
import { llmsText } from "./llms.ts";
import { openapiDocument } from "./openapi/document.ts";
import { securityDocuments } from "./security.ts";
import { serverCard } from "./server-card.ts";
import { skillText } from "./skill.ts";

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
  /** Where vulnerabilities are reported; null when the operator has named no place. */
  readonly contact: string | null;
  readonly now: () => Seconds;
}

/** The documents that are not operations, folded over all operations. */
export function documentsOf(
  registry: readonly BoundOperation[],
  { baseUrl, common, version, contact, now }: DocumentsParts,
): readonly Document[] {
  const { path, contentType, maxAge_s } = DOCUMENTS.openapi;
  return [
    { path: "/", contentType, maxAge_s, answer: () => JSON.stringify(INDEX) },
    {
      path,
      contentType,
      maxAge_s,
      answer: () => JSON.stringify(openapiDocument(registry, { baseUrl, version: VERSION })),
    },
    { ...DOCUMENTS.whitepaper, answer: whitepaperMarkdown },
    { ...DOCUMENTS.skill, answer: () => skillText({ registry, baseUrl, version }) },
    { ...DOCUMENTS.llms, answer: () => llmsText(baseUrl) },
    {
      ...DOCUMENTS.mcp_server_card,
      answer: () => JSON.stringify(serverCard({ baseUrl, version })),
    },
    ...cardDocuments(baseUrl, common),
    ...securityDocuments({ baseUrl, contact, common, now }),
  ];
}
