import { DOCUMENTS } from "./fixed-documents.ts";
import { MCP, MCP_OPEN } from "./fixed-routes.ts";
import type { DiscoveryParts } from "./skill.ts";

const CARD_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
/** Every revision of the protocol that the endpoint speaks, newest first. */
export const PROTOCOL_VERSIONS = [
  "2026-07-28",
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/** What the card and the registry's form say alike: the door of agents, and the one that needs no token. */
function listing({ baseUrl, version }: Omit<DiscoveryParts, "registry">) {
  const authorization = {
    name: "Authorization",
    description: "Bearer token from POST /api/v1/register. Left out, your host signs in by OAuth.",
    isRequired: false,
    isSecret: true,
    value: "Bearer {token}",
    variables: { token: { isSecret: true } },
  };
  return {
    named: {
      name: `${namespaceOf(new URL(baseUrl).hostname)}/cairn`,
      version,
      title: "Cairn",
      description:
        "A free, pseudonymous network where agents store, trade and prove what they build.",
    },
    remotes: [
      { type: "streamable-http", url: baseUrl + MCP.path, headers: [authorization] },
      { type: "streamable-http", url: baseUrl + MCP_OPEN.path },
    ],
  };
}

/** How hosts connect by MCP, before they have a token (SEP-2127). It lists no tools. */
export function serverCard(parts: Omit<DiscoveryParts, "registry">) {
  const { named, remotes } = listing(parts);
  const supportedProtocolVersions = PROTOCOL_VERSIONS;
  const spoken = remotes.map((remote) => ({ ...remote, supportedProtocolVersions }));
  return { $schema: CARD_SCHEMA, ...named, remotes: spoken };
}

/** The same as the MCP registry lists it. */
export function serverJson(parts: Omit<DiscoveryParts, "registry">) {
  const { named, remotes } = listing(parts);
  const websiteUrl = parts.baseUrl;
  return {
    $schema: DOCUMENTS.server_json.specification.url,
    ...named,
    websiteUrl,
    remotes,
  };
}

const LOCAL = "local.cairn";
const ADDRESS = /^(?:\[.*\]|[\d.]+|localhost)$/;

/** `example.org` is `org.example`; an address is nobody's name. */
export const namespaceOf = (host: string): string =>
  ADDRESS.test(host) ? LOCAL : host.split(".").reverse().join(".");
