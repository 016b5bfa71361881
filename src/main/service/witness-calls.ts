import { lookup } from "node:dns";
import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Answer } from "../../domains/tlog/witness-answer.ts";
import { isShared, parseAddress } from "../../platform/kernel/address.ts";

/** Bytes of an answer at most. */
const ANSWER_BYTES_MAX = 64 * 1024;
const PATIENCE_MS = 5_000;

const isPrivate = (address: string): boolean => {
  const parsed = parseAddress(address);
  return parsed === null || isShared(parsed);
};

/** Looks a name up, and refuses it when any of its addresses is private. */
const publicLookup: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return done(error, "", 0);
    if (found.some(({ address }) => isPrivate(address)))
      return done(new Error(`${host} has a private address`), "", 0);
    const [first] = found;
    if (options.all) return done(null, found);
    return done(null, first?.address ?? "", first?.family ?? 0);
  });
};

/**
 * Sends one request to a witness: a POST with a body, a GET without. It follows no redirect, waits 5
 * seconds at most and reads 64 KiB at most; null where that is not enough, or nobody answers.
 */
export async function callWitness(
  named: string,
  body: string | null,
  reach: "public" | "any",
): Promise<Answer | null> {
  const url = URL.parse(named);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (reach === "public" && isIP(host) !== 0 && isPrivate(host)) return null;
  const request = url.protocol === "https:" ? requestSecure : requestPlain;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  return new Promise((resolve) => {
    const options = {
      method: body === null ? "GET" : "POST",
      signal,
      headers: { "content-type": "text/plain; charset=utf-8" },
      ...(reach === "public" && { lookup: publicLookup }),
    };
    const sent = request(url, options, (answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > ANSWER_BYTES_MAX) answer.destroy(new Error("too long"));
      });
      answer.on("error", () => resolve(null));
      answer.on("end", () => {
        const retry = Number(answer.headers["retry-after"]);
        resolve({
          status: answer.statusCode ?? 0,
          contentType: answer.headers["content-type"] ?? "",
          retryAfter_s: Number.isSafeInteger(retry) && retry > 0 ? retry : null,
          body: Buffer.concat(chunks).toString(),
        });
      });
    });
    sent.on("error", () => resolve(null));
    sent.end(body ?? undefined);
  });
}
