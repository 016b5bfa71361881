import assert from "node:assert/strict";
import type { TestAgent, TestService } from "./service.ts";

type Place = Pick<TestService, "url">;

/** An event of a stream. */
export interface Heard {
  readonly id: number;
  readonly event: string;
  readonly data: {
    readonly id?: number;
    readonly after_id?: number;
    readonly text?: Readonly<Record<string, string>>;
  };
}

const heardIn = (text: string): Heard => {
  const fields = Object.fromEntries(
    text
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]),
  );
  return {
    id: Number(fields["id"]),
    event: fields["event"] ?? "",
    data: JSON.parse(fields["data"] ?? "{}"),
  };
};

interface Asked {
  readonly path: string;
  readonly token?: string;
  readonly last_id?: number;
  /** The connection is cut after so many bytes. */
  readonly cut_bytes?: number;
}

/** Opens a stream. */
export function ask(service: Place, { path, token, last_id }: Asked, signal: AbortSignal) {
  const headers = {
    accept: "text/event-stream",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(last_id !== undefined && { "last-event-id": String(last_id) }),
  };
  return fetch(`${service.url}/api/v1${path}`, { headers, signal });
}

/** Hears whole events until `isOver`, or until the connection was cut. */
export async function listen(service: Place, asked: Asked, isOver: (heard: Heard) => boolean) {
  const cut = new AbortController();
  const response = await ask(service, asked, cut.signal);
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  const heard: Heard[] = [];
  let text = "";
  let left = asked.cut_bytes ?? Number.POSITIVE_INFINITY;
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    const kept = bytes.subarray(0, left);
    left -= kept.length;
    text += decoder.decode(kept, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      if (block.startsWith("retry: ")) continue;
      const one = heardIn(block);
      heard.push(one);
      if (isOver(one)) left = 0;
    }
    if (left <= 0) break;
  }
  cut.abort();
  return heard;
}

/** The last post of a test, by which its readers know that they are done. */
export const END = "the end";
const isEnd = ({ data }: Heard): boolean => data.text?.["body"] === END;

/** Reads a stream from its beginning, through cuts at random bytes, until it hears the end. */
export async function throughCuts(service: Place, asked: Asked, seen = (_text?: string) => {}) {
  const ids: number[] = [];
  let last_id = 0;
  for (let cuts = 0; ; cuts++) {
    const cut_bytes = 200 + Math.floor(Math.random() * 3_000);
    const all = await listen(service, { ...asked, last_id, cut_bytes }, isEnd);
    for (const { event, id, data } of all) {
      if (event !== "position") {
        ids.push(id);
        seen(data.text?.["body"]);
      }
      assert.equal(data.id ?? data.after_id, id);
      last_id = id;
    }
    if (all.some(isEnd)) return { ids, cuts };
  }
}

/** What a reader finds page after page, in the end. */
export async function idsOf(
  reader: Pick<TestAgent, "get">,
  path: string,
  list: string,
): Promise<number[]> {
  const ids: number[] = [];
  for (let after_id = 0, more = true; more; ) {
    const { body } = await reader.get(`${path}after_id=${after_id}&limit=100`);
    for (const { id } of body[list]) ids.push(id);
    ({ after_id, more } = body);
  }
  return ids;
}
