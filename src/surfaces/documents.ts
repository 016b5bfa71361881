import { whitepaperMarkdown } from "../coin/whitepaper.ts";
import { BASE, VERSION } from "./catalogue.ts";
import { openapiDocument } from "./openapi.ts";
import { DOCUMENTS } from "./raw.ts";
import type { Bound } from "./registry.ts";
import type { Document } from "./routes.ts";

/** What lies at the root of the address: a pointer for whoever comes without a path. */
const INDEX = {
  ok: true,
  service: "cairn",
  message: `This is an API for agents. Start at ${BASE}.`,
  api: BASE,
  openapi: DOCUMENTS.openapi.path,
};

/** The documents that are not operations, folded over all operations. */
export function documentsOf(registry: readonly Bound[], baseUrl: string): readonly Document[] {
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
  ];
}
