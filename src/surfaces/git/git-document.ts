import { packFile, packNames, packsOf, tipOf } from "../../domains/repositories/files/history.ts";
import { repositoryAt } from "../../domains/repositories/repositories.ts";
import { reject } from "../../platform/kernel/contract/errors.ts";
import type { ReadLimiter } from "../dispatch/read-limiter.ts";
import { type CachedAnswer, encode } from "../routing/response-cache.ts";
import type { StoredDocument } from "../routing/routes.ts";
import type { HeaderList } from "../wire/answer.ts";
import {
  ADVERTISED,
  advertised,
  PUSH_REFUSED,
  PUSH_TYPE,
  type UploadParts,
  uploadPackGate,
} from "./upload-pack.ts";

const TEXT: HeaderList = ["Content-Type", "text/plain; charset=utf-8"];
const PACK: HeaderList = ["Content-Type", "application/x-git-packed-objects"];
const INDEX: HeaderList = ["Content-Type", "application/x-git-packed-objects-toc"];
const FRESH: HeaderList = ["Cache-Control", "no-cache"];
/** A pack never changes; after a purge its name is another, and no copy lives for long. */
const KEPT: HeaderList = ["Cache-Control", "public, max-age=3600"];

/** The queries with which clients ask for the refs in git's smart protocol, to fetch and to push. */
const FETCH = "service=git-upload-pack";
const PUSH = "service=git-receive-pack";
const SMART: ReadonlySet<string> = new Set([FETCH, PUSH]);

const BRANCH = "refs/heads/main";
const PLACE = /^\/git\/([1-9]\d{0,15})\.git\/(.+)$/;
const PACK_FILE = /^objects\/pack\/pack-([0-9a-f]{40})\.(pack|idx)$/;

interface GitParts extends Omit<UploadParts, "packs"> {
  readonly reads: ReadLimiter;
  /** Headers of every answer. */
  readonly common: HeaderList;
}

/** All that git asks for. */
export function gitOf(parts: GitParts) {
  const packs = packsOf();
  return {
    documents: [gitDocument({ ...parts, packs })],
    gates: [uploadPackGate({ ...parts, packs })],
  };
}

/**
 * The files of repositories for `git clone`: refs, and for git's dumb protocol (gitprotocol-http) packs with their
 * indexes. Nobody can write here, and nothing is ever a page.
 */
function gitDocument({ read, packs, reads, common }: GitParts & UploadParts): StoredDocument {
  const answer = (body: Buffer | string, kept: HeaderList, type: HeaderList) =>
    encode(body, [...common, ...kept], type);

  async function refs(id: number, service: string | undefined): Promise<CachedAnswer> {
    const tip = await tipOf(read, id);
    if (tip === null && (await repositoryAt(read, id)) === undefined) return nothing();
    if (service === PUSH) return answer(PUSH_REFUSED, FRESH, PUSH_TYPE);
    if (service === FETCH) return answer(advertised(tip, BRANCH), FRESH, ADVERTISED);
    return answer(tip === null ? "" : `${tip}\t${BRANCH}\n`, FRESH, TEXT);
  }

  async function list(id: number): Promise<CachedAnswer> {
    const names = await packNames(read, id);
    return answer(`${names.map((name) => `P pack-${name}.pack\n`).join("")}\n`, FRESH, TEXT);
  }

  async function file(repository: number, name: string, kind: string): Promise<CachedAnswer> {
    const isPack = kind === "pack";
    const of = { repository, name, kind: isPack ? "pack" : "idx" } as const;
    const found = await packFile(packs, read, of);
    return found === null ? nothing() : answer(found, KEPT, isPack ? PACK : INDEX);
  }

  return {
    path: "/git/*",
    nameIn: ({ target: { path, query } }) => (SMART.has(query) ? `${path}?${query}` : path),
    async find(name) {
      const [path = "", service] = name.split("?");
      const [, number, place = ""] = PLACE.exec(path) ?? [];
      const id = Number(number);
      if (number === undefined || !Number.isSafeInteger(id)) return nothing();
      if (place === "HEAD") return answer(`ref: ${BRANCH}\n`, FRESH, TEXT);
      const [, pack, kind] = PACK_FILE.exec(place) ?? [];
      if (pack !== undefined && kind !== undefined) return file(id, pack, kind);
      if (place === "info/refs") return reads.run({}, () => refs(id, service));
      return place === "objects/info/packs" ? reads.run({}, () => list(id)) : nothing();
    },
  };
}

const nothing = () =>
  reject("not_found", "Nothing is here. `git clone` reads /git/<repo_id>.git; nobody can push.");
