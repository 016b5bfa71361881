import { whitepaperMarkdown } from "../../domains/coin/whitepaper/whitepaper.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { CardSignature } from "../../platform/ledger/seals/card-signatures.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { BASE, fullPath } from "../routing/base-path.ts";
import { formsOf } from "../routing/fixed-answers.ts";
import type { Document, FixedDocument } from "../routing/routes.ts";
import type { HeaderList } from "../wire/answer.ts";
import { contentCodingFor } from "../wire/content-coding.ts";
import { agentCard } from "./agent-card.ts";
import { cardHash, keySetOf } from "./card-signature.ts";
import { startAt, VERSION } from "./catalogue.ts";
import { ALIASES, DOCUMENTS, RECIPE_NAMES } from "./fixed-documents.ts";
import { MCP } from "./fixed-routes.ts";
import { llmsText } from "./llms.ts";
import { resourceMetadata, serverMetadata } from "./oauth.ts";
import { openapiSteps } from "./openapi/document.ts";
import { sliceOf } from "./openapi/slice.ts";
import { recipeText } from "./recipes.ts";
import { securityDocuments } from "./security.ts";
import { serverCard, serverJson } from "./server-card.ts";
import { type DiscoveryParts, skillIndex, skillText } from "./skill.ts";
import { TAGS } from "./tags.ts";
import { visitorsPage } from "./visitors.ts";

/** The document at the root of the address: a pointer for visitors without a path. */
const indexOf = ({ registry, baseUrl }: Pick<DiscoveryParts, "registry" | "baseUrl">) => ({
  ok: true,
  service: "cairn",
  message: `This is an API for agents. Start at ${BASE}.`,
  start: startAt(registry, baseUrl),
  api: BASE,
  skill: DOCUMENTS.skill.path,
  openapi: DOCUMENTS.openapi.path,
  mcp: MCP.path,
  agent_card: DOCUMENTS.agent_card.path,
});

interface DocumentsParts {
  readonly baseUrl: string;
  /** The name of the ledger. */
  readonly origin: string;
  /** Its words about itself, for visitors. */
  readonly operator: { readonly name: string | null; readonly contact: string | null };
  /** Headers of every answer. */
  readonly common: HeaderList;
  /** Of the package. */
  readonly version: string;
  /** Where the operator is reached; null when it has named no place. */
  readonly contact: string | null;
  /** The texts of `verify.mjs`, `messages.mjs` and `cairn.py`. */
  readonly files: {
    readonly verifier: string;
    readonly messages: string;
    readonly python: string;
  };
  readonly now: () => Seconds;
  readonly keys: KeyReads;
}

/** What the operator's keys have to do with the documents. */
interface KeyReads {
  /** The current one first. */
  readonly all: () => Promise<readonly string[]>;
  /** Of the card with this hash; none while nobody has signed it. */
  readonly signaturesOf: (card_sha256: string) => Promise<readonly CardSignature[]>;
}

/** The documents that are not operations, folded over all operations, each at all of its paths. */
export function documentsOf(
  registry: readonly BoundOperation[],
  { baseUrl, origin, operator, common, version, contact, files, now, keys }: DocumentsParts,
): readonly Document[] {
  const parts = { registry, baseUrl, version };
  const index = indexOf(parts);
  const fixed: FixedDocument[] = [
    { ...DOCUMENTS.openapi, ...openapiTexts(registry, { baseUrl, version: VERSION, contact }) },
    { ...DOCUMENTS.whitepaper, answer: whitepaperMarkdown },
    { ...DOCUMENTS.skill, answer: () => skillText(parts) },
    ...RECIPE_NAMES.map((name) => ({
      ...DOCUMENTS[`recipe_${name}`],
      answer: () => recipeText(name, baseUrl),
    })),
    { ...DOCUMENTS.llms, answer: () => llmsText(baseUrl) },
    { ...DOCUMENTS.mcp_server_card, answer: () => JSON.stringify(serverCard(parts)) },
    { ...DOCUMENTS.server_json, answer: () => JSON.stringify(serverJson(parts)) },
    { ...DOCUMENTS.agent_skills, answer: () => JSON.stringify(skillIndex(parts)) },
    { ...DOCUMENTS.verifier, answer: () => files.verifier },
    { ...DOCUMENTS.messages, answer: () => files.messages },
    { ...DOCUMENTS.python, answer: () => files.python },
    { ...DOCUMENTS.oauth_resource, answer: () => JSON.stringify(resourceMetadata(baseUrl)) },
    { ...DOCUMENTS.oauth_server, answer: () => JSON.stringify(serverMetadata(baseUrl)) },
    { ...DOCUMENTS.robots, answer: () => robotsText(baseUrl) },
  ];
  const { contentType, maxAge_s } = DOCUMENTS.openapi;
  return [
    {
      path: "/",
      contentType,
      maxAge_s,
      answer: () => JSON.stringify(index),
      page: visitorsPage({ origin, baseUrl, index, operator }),
    },
    ...withAliases([...fixed, ...keyDocuments(parts, { common, keys })]),
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

/** The document as text, whole or one tag of it: made once for all its parts, when the first is asked for. */
function openapiTexts(
  registry: readonly BoundOperation[],
  parts: Parameters<typeof openapiSteps>[1],
): Pick<FixedDocument, "parts" | "answer"> {
  const paths = new Set(registry.map((operation) => fullPath(operation)));
  let making: Promise<string> | null = null;
  const make = async () => {
    const steps = openapiSteps(registry, parts);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return JSON.stringify(value);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    parts: { tag: TAGS, path: [...paths].sort() },
    async answer(part) {
      making ??= make();
      const whole = await making;
      return part === null ? whole : JSON.stringify(sliceOf(JSON.parse(whole), part));
    },
  };
}

/** The card, signed where the operator's key has signed this very card, and the key set. */
function keyDocuments(
  { baseUrl }: Pick<DocumentsParts, "baseUrl">,
  { common, keys }: Pick<DocumentsParts, "common" | "keys">,
): readonly Document[] {
  const card = agentCard(baseUrl);
  const card_sha256 = cardHash(card);
  return [
    storedText(DOCUMENTS.agent_card, common, async () => {
      const signatures = await keys.signaturesOf(card_sha256);
      return signatures.length === 0 ? card : { ...card, signatures };
    }),
    storedText(DOCUMENTS.jwks, common, async () => keySetOf(await keys.all())),
  ];
}

/** A document that seldom changes: its forms are kept as long as its text stays the same. */
function storedText(
  { path, contentType, maxAge_s }: StoredRoute,
  common: HeaderList,
  make: () => Promise<object>,
): Document {
  const head = [...common, "Cache-Control", `public, max-age=${maxAge_s}`];
  let text = "";
  let forms = formsOf(text, head, contentType);
  return {
    path,
    nameIn: ({ fields }) => `${path} ${contentCodingFor(fields.acceptEncoding)}`,
    async find(name) {
      const fresh = JSON.stringify(await make());
      if (fresh !== text) forms = formsOf(fresh, head, contentType);
      text = fresh;
      return forms(contentCodingFor(name.slice(path.length + 1)));
    },
  };
}

type StoredRoute = Pick<FixedDocument, "path" | "contentType" | "maxAge_s">;

/** Crawlers are welcome (RFC 9309); language models find their own list. */
const robotsText = (baseUrl: string): string =>
  `User-agent: *\nAllow: /\n\n# ${baseUrl}${DOCUMENTS.llms.path}\n`;
