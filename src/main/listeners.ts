import type { Context } from "../context.ts";
import { authenticator, isLiveToken } from "../identity/tokens.ts";
import { Rejection, STATUS_OF } from "../kernel/errors.ts";
import { a2aGates } from "../surfaces/a2a/gate.ts";
import { type AdminParts, createAdminListener, OPERATOR_HEADERS } from "../surfaces/admin.ts";
import { type Answers, answersOf, type Observer, publicHeaders } from "../surfaces/answer.ts";
import type { Callers } from "../surfaces/bearer.ts";
import { discovery, discoveryHandlers, VERSION } from "../surfaces/catalogue.ts";
import { countingWaits, crowdOf } from "../surfaces/crowd.ts";
import { documentsOf } from "../surfaces/documents.ts";
import { sandboxesOf, sandboxHeaders } from "../surfaces/hosted.ts";
import { createListener, type HttpParts, type Listener } from "../surfaces/http.ts";
import { mcpGate } from "../surfaces/mcp/gate.ts";
import { textResourcesOf } from "../surfaces/mcp/resources.ts";
import { sharedReads } from "../surfaces/mcp/shared-reads.ts";
import { PLACES, readsIn } from "../surfaces/places.ts";
import { besideReplica, type PublicReadsParts, publicReads } from "../surfaces/public-reads.ts";
import { rateLimitOf } from "../surfaces/rate-limit.ts";
import { bind, registryOf } from "../surfaces/registry.ts";
import { type HttpServer, httpServer, TIMEOUTS, type Timeouts } from "../surfaces/server.ts";
import type { Configuration } from "./settings.ts";
import { PACKAGE_VERSION } from "./version.ts";
import type { World } from "./world.ts";

/** Half of a request id: 8 hex characters. */
const PROCESS_ID_BYTES = 4;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** What the listeners of all places answer by. */
type SharedParts = Omit<HttpParts, "registry" | "documents" | "gates" | "answers" | "readPublic"> &
  Pick<PublicReadsParts, "now">;

/** The network's own listener: every operation, the catalogue and the documents. */
export function publicServer(
  world: World,
  configuration: Configuration,
  observer: Observer,
  timeouts: Timeouts = TIMEOUTS,
): HttpServer {
  const { context, presence, store } = world;
  const { baseUrl } = context.settings;
  const registry = registryOf(
    world.registry,
    bind("discovery", discovery, discoveryHandlers(world.registry)),
  );
  const answers = answersOf({
    common: publicHeaders(baseUrl),
    process_id: idOf(context.random(PROCESS_ID_BYTES)),
    observer,
  });
  const sandboxed = answersOf({
    common: sandboxHeaders(baseUrl),
    process_id: idOf(context.random(PROCESS_ID_BYTES)),
    observer,
  });
  const crowd = crowdOf();
  const road = {
    context,
    isLiveToken: (token: string) => isStopped(context, token),
    reads: readsIn(PLACES),
  };
  const shared: SharedParts = {
    crowd,
    road: countingWaits(road, crowd),
    callers: {
      authenticate: counted(context, authenticator({ ...context, generation: store.generation })),
      seen: (agent) => presence.seen(agent, context.clock.now()),
    },
    now: { generation: store.generation, second: world.clock.now },
    edgeRule: configuration.edgeUaRule,
    rateLimit: limitOf(configuration, world, observer),
  };
  const documents = documentsOf(registry, {
    baseUrl,
    common: answers.headers(),
    version: PACKAGE_VERSION,
  });
  const publicRoad = { ...shared.road, context: { ...context, ...store.replica } };
  const readOwn = publicReads({ ...shared, answers });
  const readPublic =
    store.replica === null
      ? readOwn
      : besideReplica(readOwn, publicReads({ ...shared, road: publicRoad, answers }));
  const readShared = sharedReads(registry, readOwn); // By those protocols everybody has a token.
  const texts = textResourcesOf(documents);
  const mcp = mcpGate({
    ...shared,
    registry,
    texts,
    version: VERSION,
    answers,
    baseUrl,
    readShared,
  });
  const gates = [mcp, ...a2aGates({ ...shared, answers, baseUrl })];
  const network = createListener({ ...shared, registry, documents, gates, answers, readPublic });
  const listener = besideHosted(network, { ...shared, road: publicRoad, answers: sandboxed });
  const drain = () => {
    answers.drain();
    sandboxed.drain();
  };
  return httpServer({ listener, answers: { ...answers, drain }, timeouts, sleep });
}

/** Counts whoever has no token of ours. */
function counted(
  { occurrences }: Context,
  authenticate: Callers["authenticate"],
): Callers["authenticate"] {
  return async (token) => {
    try {
      return await authenticate(token);
    } catch (error) {
      if (error instanceof Rejection && STATUS_OF[error.code] === 401)
        occurrences.count("token_refused");
      throw error;
    }
  };
}

/** Whether a text must not be published because some agent could act with it; that is counted. */
async function isStopped({ read, occurrences }: Context, token: string): Promise<boolean> {
  const isLive = await isLiveToken(read, token);
  if (isLive) occurrences.count("leak_stopped");
  return isLive;
}

/** Each place of hosted applications has a listener of its own; all else is for the network's. */
function besideHosted(
  network: Listener,
  parts: SharedParts & Pick<HttpParts, "answers">,
): Listener {
  const common = parts.answers.headers();
  const places = sandboxesOf({ ...parts.road.context, common }).map(({ covers, page }) => ({
    covers,
    listener: createListener({
      ...parts,
      registry: [],
      documents: [page],
      gates: [],
      readPublic: publicReads(parts),
    }),
  }));
  return (req, res) => (places.find(({ covers }) => covers(req))?.listener ?? network)(req, res);
}

/** The operators' listener: health, readiness, figures. */
export function adminServer(
  world: World,
  observer: Observer,
  parts: Omit<AdminParts, "answers">,
): HttpServer {
  const answers: Answers = answersOf({
    common: OPERATOR_HEADERS,
    process_id: idOf(world.context.random(PROCESS_ID_BYTES)),
    observer,
  });
  const listener = createAdminListener({ ...parts, answers });
  return httpServer({ listener, answers, timeouts: TIMEOUTS, sleep });
}

const idOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

function limitOf({ rateLimitPerMinute }: Configuration, { context }: World, observer: Observer) {
  if (rateLimitPerMinute === 0) return null;
  const { random } = context;
  return rateLimitOf({ perMinute: rateLimitPerMinute, now_ms: observer.now_ms, random });
}
