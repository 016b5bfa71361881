import { anyLiveToken, authenticator } from "../../domains/identity/tokens.ts";
import { delegated } from "../../domains/requests/contract.ts";
import { delegatedHandlers } from "../../domains/requests/handlers.ts";
import type { Context } from "../../platform/context.ts";
import { printedInput } from "../../platform/kernel/contract/printed-default.ts";
import { isoOf } from "../../platform/kernel/iso-time.ts";
import { cardKeys, cardSignatures } from "../../platform/ledger/seals/card-signatures.ts";
import { a2aGates } from "../../surfaces/a2a/gate.ts";
import { discovery, discoveryHandlers } from "../../surfaces/describe/catalogue.ts";
import { documentsOf } from "../../surfaces/describe/documents.ts";
import { original, originalHandlers } from "../../surfaces/describe/original.ts";
import { READ_SLOTS, type ReadLimiter, readLimiter } from "../../surfaces/dispatch/read-limiter.ts";
import {
  type BoundOperation,
  bind,
  bindOne,
  registryOf,
} from "../../surfaces/dispatch/registry.ts";
import { gitOf } from "../../surfaces/git/git-document.ts";
import { sandboxesOf, sandboxHeaders } from "../../surfaces/hosted/hosted.ts";
import { createListener, type HttpParts, type Listener } from "../../surfaces/http.ts";
import { streamSlots } from "../../surfaces/live/slots.ts";
import { logDocument } from "../../surfaces/log/log-document.ts";
import { witnessDocument, witnessGate } from "../../surfaces/log/witness-routes.ts";
import { mcpGates } from "../../surfaces/mcp/gate.ts";
import { textResourcesOf } from "../../surfaces/mcp/resources.ts";
import { sharedReads } from "../../surfaces/mcp/shared-reads.ts";
import { oauthGates } from "../../surfaces/oauth/gate.ts";
import {
  type AdminParts,
  createAdminListener,
  OPERATOR_HEADERS,
} from "../../surfaces/operator/admin.ts";
import { routeWording } from "../../surfaces/routing/base-path.ts";
import {
  besideReplica,
  type PublicReadsParts,
  publicReads,
  type ReadPublic,
  unlessMissing,
} from "../../surfaces/routing/public-reads.ts";
import { type HttpServer, TIMEOUTS, type Timeouts } from "../../surfaces/server.ts";
import {
  answersOf,
  type HeaderList,
  type Observer,
  publicHeaders,
} from "../../surfaces/wire/answer.ts";
import { inFlightLimit } from "../../surfaces/wire/in-flight-limit.ts";
import { originsOf } from "../../surfaces/wire/origins.ts";
import type { Service } from "../service/open-service.ts";
import { readMessages, readPythonClient, readVerifier } from "../service/served-files.ts";
import type { Configuration } from "../settings/settings.ts";
import { PACKAGE_VERSION } from "../version.ts";
import type { OpenConsole } from "./console.ts";
import { type Sockets, socketsOf } from "./sockets.ts";

/** Half of a request id: 8 hex characters. */
const PROCESS_ID_BYTES = 4;

/** What the listeners of the network and of hosted applications share. */
type SharedParts = Omit<HttpParts, "registry" | "documents" | "gates" | "answers" | "readPublic"> &
  Pick<PublicReadsParts, "now">;

/** The network's listener. */
export interface Serving extends Sockets {
  /**
   * Makes, a second later, what the first requests of their kind would make all others wait for: the schemas of inputs,
   * in turns of the event loop, and the Model Context Protocol.
   */
  prepare(): void;
}

/** By then the first callers after the start have their answers, and a test that serves for a moment has ended. */
const PREPARED_AFTER_MS = 1_000;

/** The network's own listener: every operation, the catalogue and the documents. */
export function publicServer(
  service: Service,
  configuration: Configuration,
  observer: Observer,
  timeouts: Timeouts = TIMEOUTS,
): Serving {
  const { context, presence, store } = service;
  const { baseUrl } = context.settings;
  const aliases = bind(
    { original },
    { original: originalHandlers({ registry: service.registry, baseUrl }) },
  );
  const registry = registryOf(
    service.registry,
    aliases,
    bind({ discovery }, { discovery: discoveryHandlers([...service.registry, ...aliases]) }),
  );
  const sockets = socketsOf(service, observer, service.limits.rooms.network);
  const answering = (common: HeaderList) =>
    answersOf({
      ...sockets,
      common: [...common, ...rehearsing(service)],
      process_id: idOf(context.random(PROCESS_ID_BYTES)),
      observer,
      wording: routeWording(registry),
    });
  const answers = answering(publicHeaders(baseUrl));
  const sandboxed = answering(sandboxHeaders(baseUrl, []));
  const inFlight = inFlightLimit();
  const dispatcher = {
    context,
    anyLiveToken: (tokens: readonly string[]) => isStopped(context, tokens),
    reads: readLimiter(READ_SLOTS),
    charge: service.quota.charge,
  };
  const shared: SharedParts = {
    inFlight,
    slots: streamSlots(observer.now_ms),
    dispatcher,
    callers: {
      ...authenticator({ ...context, generation: store.generation }),
      refused: () => context.occurrences.count("token_refused"),
      seen: (agent) => presence.seen(agent, context.clock.now()),
    },
    now: { generation: store.generation, second: service.clock.now },
    edgeRule: configuration.edgeUaRule,
    rateLimit: service.limits.rateLimit,
    senders: service.limits.senders,
    origins: originsOf(baseUrl),
    baseUrl,
  };
  const common = answers.headers();
  const documents = documentsFor(service, configuration, registry, common);
  const log = logFor(service, dispatcher.reads, common);
  const git = gitOf({ ...dispatcher, read: context.read, common, answers, inFlight });
  const readOwn = publicReads({ ...shared, answers });
  const readPublic = withReplica(service, { ...shared, answers }, readOwn);
  const readShared = sharedReads(registry, readOwn); // By those protocols everybody has a token.
  const mcp = mcpGates({
    ...shared,
    registry,
    texts: textResourcesOf(documents),
    version: PACKAGE_VERSION,
    answers,
    baseUrl,
    readShared,
  });
  const { oauthCallbacks: callbacks } = configuration;
  const oauth = oauthGates({ ...shared, registry, answers, baseUrl, callbacks });
  const witness = witnessing(service, { answers, inFlight, reads: dispatcher.reads });
  const operations = bindOne("requests", delegated, delegatedHandlers);
  const a2a = a2aGates({ ...shared, answers, baseUrl, operations });
  const gates = [...mcp.gates, ...oauth, ...a2a, ...witness.gates, ...git.gates];
  const network = createListener({
    ...shared,
    registry,
    documents: [...documents, log, ...git.documents, ...witness.documents],
    gates,
    answers,
    readPublic,
  });
  const listener = besideHosted(network, service, { ...shared, answers: sandboxed });
  const drain = () => {
    answers.drain();
    sandboxed.drain();
  };
  const prepareAll = async () => {
    for (const { input } of registry) {
      printedInput(input);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await mcp.prepare();
  };
  // What fails here fails again in the request that needs it, and is told there.
  const prepare = () =>
    void setTimeout(() => prepareAll().catch(() => {}), PREPARED_AFTER_MS).unref();
  const server = sockets.server(
    { listener, answers: { ...answers, drain }, timeouts },
    shared.slots,
  );
  return { ...server, prepare };
}

/** Public reads go to the replica, where there is one. */
function withReplica(
  { context, store }: Service,
  parts: Parameters<typeof publicReads>[0],
  readOwn: ReadPublic,
): ReadPublic {
  if (store.replica === null) return readOwn;
  const dispatcher = { ...parts.dispatcher, context: { ...context, ...store.replica } };
  return besideReplica(readOwn, publicReads({ ...parts, dispatcher }));
}

/** Where logs of others are cosigned, if they are. */
function witnessing(
  { context, witness }: Service,
  parts: Omit<Parameters<typeof witnessGate>[0], "context" | "cosigner">,
) {
  if (witness === null) return { gates: [], documents: [] };
  const all = { ...parts, context, cosigner: witness.cosigner };
  return { gates: [witnessGate(all)], documents: [witnessDocument(all)] };
}

/** The public log of this network. */
const logFor = ({ context, witnesses }: Service, reads: ReadLimiter, common: HeaderList) =>
  logDocument({
    reads,
    read: context.read,
    common,
    policy: witnesses.policy,
    urlOf: ({ prefix }) => context.settings.logUrl ?? `${context.settings.baseUrl}${prefix}`,
  });

/** The documents of this network. */
const documentsFor = (
  { context, clock }: Service,
  { securityContact, operatorName, operatorContact }: Configuration,
  registry: readonly BoundOperation[],
  common: HeaderList,
) =>
  documentsOf(registry, {
    baseUrl: context.settings.baseUrl,
    origin: context.settings.origin,
    operator: { name: operatorName, contact: operatorContact },
    common,
    version: PACKAGE_VERSION,
    contact: securityContact,
    files: { verifier: readVerifier().text, messages: readMessages(), python: readPythonClient() },
    now: clock.now,
    keys: {
      all: () => cardKeys(context.read),
      signaturesOf: (card_sha256) => cardSignatures(context.read, card_sha256),
    },
  });

/** Whether texts must not be published because some agent could act with one; that is counted. */
async function isStopped(
  { read, occurrences }: Context,
  tokens: readonly string[],
): Promise<boolean> {
  const isLive = await anyLiveToken(read, tokens);
  if (isLive) occurrences.count("leak_stopped");
  return isLive;
}

/** Each address of hosted applications has a listener of its own; all else is for the network's. */
function besideHosted(
  network: Listener,
  { store }: Service,
  parts: SharedParts & Pick<HttpParts, "answers">,
): Listener {
  const common = parts.answers.headers();
  const places = pagesOf(store, { ...parts.dispatcher.context, common }).map(
    ({ covers, page }) => ({
      covers,
      listener: createListener({
        ...parts,
        registry: [],
        documents: [page],
        gates: [],
        readPublic: publicReads(parts),
      }),
    }),
  );
  return (req, res) => (places.find(({ covers }) => covers(req))?.listener ?? network)(req, res);
}

/** Pages are asked of the replica, and of the database when that does not have them. */
function pagesOf(
  { read, replica }: Service["store"],
  parts: Parameters<typeof sandboxesOf>[0],
): ReturnType<typeof sandboxesOf> {
  const own = sandboxesOf({ ...parts, read });
  if (replica === null) return own;
  const theirs = sandboxesOf({ ...parts, read: replica.read });
  return own.map((place, i) => ({
    ...place,
    page: {
      ...place.page,
      find: async (name) =>
        unlessMissing(
          async () => (theirs[i] ?? place).page.find(name),
          () => place.page.find(name),
        ),
    },
  }));
}

/** The operators' listener: health, readiness, figures, console. */
export function adminServer(
  service: Service,
  observer: Observer,
  {
    console,
    ...parts
  }: Omit<AdminParts, "answers" | "console" | "consoleOrigin"> & {
    readonly console: OpenConsole | null;
  },
): HttpServer {
  const sockets = socketsOf(service, observer, service.limits.rooms.operators);
  const answering = (common: HeaderList) =>
    answersOf({
      ...sockets,
      common: [...common, ...rehearsing(service)],
      process_id: idOf(service.context.random(PROCESS_ID_BYTES)),
      observer,
      wording: routeWording(service.registry),
    });
  const answers = answering(OPERATOR_HEADERS);
  const listener = createAdminListener({
    ...parts,
    answers,
    console: console?.serve(answering) ?? null,
    consoleOrigin: console?.origin ?? null,
  });
  const slots = streamSlots(observer.now_ms); // It has no streams.
  return sockets.server({ listener, answers, timeouts: TIMEOUTS }, slots);
}

/** Each answer of a rehearsal says so, with the time of its restore. */
const rehearsing = ({ rehearsal }: Pick<Service, "rehearsal">): HeaderList =>
  rehearsal === null ? [] : ["Cairn-Rehearsal", isoOf(rehearsal.at)];

const idOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
