import { authenticate, isLiveToken } from "../identity/tokens.ts";
import { type AdminParts, createAdminListener, OPERATOR_HEADERS } from "../surfaces/admin.ts";
import { type Answers, answersOf, type Observer, publicHeaders } from "../surfaces/answer.ts";
import { discovery, discoveryHandlers } from "../surfaces/catalogue.ts";
import { documentsOf } from "../surfaces/documents.ts";
import { createListener } from "../surfaces/http.ts";
import { rateLimitOf } from "../surfaces/rate-limit.ts";
import { bind, registryOf } from "../surfaces/registry.ts";
import { type HttpServer, httpServer, TIMEOUTS, type Timeouts } from "../surfaces/server.ts";
import type { Configuration } from "./settings.ts";
import type { World } from "./world.ts";

/** Half of a request id: 8 hex characters. */
const PROCESS_ID_BYTES = 4;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());

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
  const listener = createListener({
    registry,
    documents: documentsOf(registry, baseUrl),
    answers,
    road: { context, isLiveToken: (token) => isLiveToken(context.read, token) },
    callers: {
      authenticate: (token) => authenticate(context.read, token),
      seen: (agent) => presence.seen(agent, context.clock.now()),
    },
    generation: generationOf(world, store.generation),
    edgeRule: configuration.edgeUaRule,
    rateLimit: limitOf(configuration, world, observer),
  });
  return httpServer({ listener, answers, timeouts, sleep });
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

/** Ends with the data's generation, and with the second: some answers tell the time. */
function generationOf({ clock }: World, ofData: () => number): () => number {
  let data = Number.NaN;
  let second = Number.NaN;
  let generation = 0;
  return () => {
    const [newData, newSecond] = [ofData(), clock.now()];
    if (newData !== data || newSecond !== second) generation++;
    data = newData;
    second = newSecond;
    return generation;
  };
}

function limitOf({ rateLimitPerMinute }: Configuration, { context }: World, observer: Observer) {
  if (rateLimitPerMinute === 0) return null;
  const { random } = context;
  return rateLimitOf({ perMinute: rateLimitPerMinute, now_ms: observer.now_ms, random });
}
