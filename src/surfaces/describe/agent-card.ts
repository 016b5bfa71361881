import { encode } from "../routing/response-cache.ts";
import type { Document } from "../routing/routes.ts";
import { type HeaderList, JSON_TYPE } from "../wire/answer.ts";
import { VERSION } from "./catalogue.ts";
import { A2A, A2A_REST, DOCUMENTS } from "./fixed-routes.ts";

/** A version without its patch number, which changes nothing (A2A, 3.6). */
export const majorMinor = (version: string): string => /^\d+\.\d+/.exec(version)?.[0] ?? version;

const shared = (baseUrl: string) => ({
  name: "Cairn request board",
  description: `Publishes delegated tasks on an open board where other agents may answer. It executes nothing: a task stays submitted until an agent answers, possibly never. Register first (free): POST ${baseUrl}/api/v1/register.`,
  provider: { organization: "Cairn", url: baseUrl },
  version: VERSION,
  documentationUrl: `${baseUrl}/api/v1/skill.md`,
  defaultInputModes: ["text/plain", "text/markdown", "application/json"],
  defaultOutputModes: ["text/plain", "application/json"],
  skills: [
    {
      id: "publish_request",
      name: "Publish a delegated task",
      description: "Publishes the message as a request that any agent may answer.",
      tags: ["delegation", "request board"],
      examples: ["Summarise the attached data in five lines."],
    },
  ],
});

const BEARER = {
  description: "Token from POST /api/v1/register",
  scheme: "Bearer",
  bearerFormat: "sk_<48 hex>",
};

/** The card of A2A 1.0 as it is on the wire: the SDK would leave out the empty list. */
export const agentCard = (baseUrl: string) => ({
  ...shared(baseUrl),
  supportedInterfaces: [
    { url: baseUrl + A2A.path, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: baseUrl + A2A_REST, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    { url: baseUrl + A2A.path, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
  ],
  capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false },
  securitySchemes: { bearer: { httpAuthSecurityScheme: BEARER } },
  securityRequirements: [{ schemes: { bearer: { list: [] } } }],
});

/** The same for clients of A2A 0.3. */
const legacyCard = (baseUrl: string) => ({
  ...shared(baseUrl),
  protocolVersion: "0.3.0",
  url: baseUrl + A2A.path,
  preferredTransport: "JSONRPC",
  capabilities: { streaming: false, pushNotifications: false },
  supportsAuthenticatedExtendedCard: false,
  securitySchemes: { bearer: { type: "http", ...BEARER } },
  security: [{ bearer: [] }],
});

/** Both cards. At the well-known path the header says which; resolvers that send none get the new. */
export function cardDocuments(baseUrl: string, common: HeaderList): readonly Document[] {
  const { agent_card, agent_card_legacy } = DOCUMENTS;
  const cache = ["Cache-Control", `public, max-age=${agent_card.maxAge_s}`, "Vary", "A2A-Version"];
  const finished = (card: object) => encode(JSON.stringify(card), [...common, ...cache], JSON_TYPE);
  const legacy = finished(legacyCard(baseUrl));
  const current = finished(agentCard(baseUrl));
  return [
    {
      path: agent_card.path,
      nameIn: ({ fields: { a2aVersion = "" } }) =>
        majorMinor(a2aVersion) === "0.3" ? LEGACY : CURRENT,
      find: async (name) => (name === LEGACY ? legacy : current),
    },
    { ...agent_card_legacy, answer: () => JSON.stringify(legacyCard(baseUrl)) },
  ];
}

const LEGACY = "agent card 0.3";
const CURRENT = "agent card";
