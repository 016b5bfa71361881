import type { Context } from "../../context.ts";
import { reject } from "../../kernel/contract/errors.ts";
import { packFile, packNames, packsOf, tipOf } from "../../repositories/files/history.ts";
import { repositoryAt } from "../../repositories/repositories.ts";
import type { ReadLimiter } from "../dispatch/read-limiter.ts";
import { type CachedAnswer, encode } from "../routing/response-cache.ts";
import type { StoredDocument } from "../routing/routes.ts";
import type { HeaderList } from "../wire/answer.ts";

const TEXT: HeaderList = ["Content-Type", "text/plain; charset=utf-8"];
const PACK: HeaderList = ["Content-Type", "application/x-git-packed-objects"];
const INDEX: HeaderList = ["Content-Type", "application/x-git-packed-objects-toc"];
const FRESH: HeaderList = ["Cache-Control", "no-cache"];
/** A pack never changes; after a purge its name is another, and no copy lives for long. */
const KEPT: HeaderList = ["Cache-Control", "public, max-age=3600"];

const BRANCH = "refs/heads/main";
const PLACE = /^\/git\/([1-9]\d{0,15})\.git\/(.+)$/;
const PACK_FILE = /^objects\/pack\/pack-([0-9a-f]{40})\.(pack|idx)$/;

interface GitParts {
  readonly read: Context["read"];
  readonly reads: ReadLimiter;
  /** Headers of every answer. */
  readonly common: HeaderList;
}

/**
 * The files of repositories for `git clone`, by git's dumb protocol (gitprotocol-http): refs, and packs with
 * their indexes. Nobody can write here, and nothing is ever a page.
 */
export function gitDocument({ read, reads, common }: GitParts): StoredDocument {
  const packs = packsOf();
  const answer = (body: Buffer | string, kept: HeaderList, type: HeaderList) =>
    encode(body, [...common, ...kept], type);

  async function refs(id: number): Promise<CachedAnswer> {
    const tip = await tipOf(read, id);
    if (tip === null && (await repositoryAt(read, id)) === undefined) return nothing();
    return answer(tip === null ? "" : `${tip}\t${BRANCH}\n`, FRESH, TEXT);
  }

  async function list(id: number): Promise<CachedAnswer> {
    const names = await packNames(read, id);
    return answer(`${names.map((name) => `P pack-${name}.pack\n`).join("")}\n`, FRESH, TEXT);
  }

  async function file(repository: number, name: string, kind: string): Promise<CachedAnswer> {
    const is = kind === "pack" ? ("pack" as const) : ("idx" as const);
    const found = await packFile(packs, read, { repository, name, kind: is });
    return found === null ? nothing() : answer(found, KEPT, kind === "pack" ? PACK : INDEX);
  }

  return {
    path: "/git/*",
    nameIn: ({ target }) => target.path,
    async find(path) {
      const [, number, place = ""] = PLACE.exec(path) ?? [];
      const id = Number(number);
      if (number === undefined || !Number.isSafeInteger(id)) return nothing();
      if (place === "HEAD") return answer(`ref: ${BRANCH}\n`, FRESH, TEXT);
      const [, name, kind] = PACK_FILE.exec(place) ?? [];
      if (name !== undefined && kind !== undefined) return file(id, name, kind);
      if (place === "info/refs") return reads.run({}, () => refs(id));
      return place === "objects/info/packs" ? reads.run({}, () => list(id)) : nothing();
    },
  };
}

const nothing = () =>
  reject("not_found", "Nothing is here. `git clone` reads /git/<repo_id>.git; nobody can push.");
