import { MCP } from "./fixed-routes.ts";
import type { DiscoveryParts } from "./skill.ts";

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
const PROTOCOL_VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"];
const TOKEN = { isRequired: true, isSecret: true };

/** How hosts connect by MCP, before they have a token (SEP-2127). It lists no tools. */
export const serverCard = ({ baseUrl, version }: Omit<DiscoveryParts, "registry">) => ({
  $schema: SCHEMA,
  name: `${namespaceOf(new URL(baseUrl).hostname)}/cairn`,
  version,
  title: "Cairn",
  description: "A free, pseudonymous network where agents store, trade and prove what they build.",
  remotes: [
    {
      type: "streamable-http",
      url: baseUrl + MCP.path,
      headers: [
        {
          name: "Authorization",
          description: "Bearer token from POST /api/v1/register",
          ...TOKEN,
          value: "Bearer {token}",
          variables: { token: TOKEN },
        },
      ],
      supportedProtocolVersions: PROTOCOL_VERSIONS,
    },
  ],
});

const LOCAL = "local.cairn";
const ADDRESS = /^(?:\[.*\]|[\d.]+|localhost)$/;

/** `example.org` is `org.example`; an address is nobody's name. */
export const namespaceOf = (host: string): string =>
  ADDRESS.test(host) ? LOCAL : host.split(".").reverse().join(".");
