import * as z from "zod";
import type { Agent } from "../../platform/context.ts";
import type { Invocation } from "../../platform/kernel/contract/operation.ts";
import { type Dispatcher, invoke } from "../dispatch/invoke.ts";
import type { BoundOperation } from "../dispatch/registry.ts";

/** One block of a stream: `text` as it is written. */
interface LiveEvent {
  readonly id: number;
  readonly text: string;
  readonly bytes: number;
  /** The word by which it may be left out; empty where nothing is. */
  readonly word: string;
}

/** What one look found, ready to be written. */
export interface LivePage {
  readonly events: readonly LiveEvent[];
  readonly after_id: number;
  /** Of an inbox; 0 elsewhere. */
  readonly after_message_id: number;
  readonly more: boolean;
  /** What a position says beside `after_id`. */
  readonly news: object;
}

type Input = Readonly<Record<string, unknown>>;

type ReadPage = (
  operation: BoundOperation,
  invocation: Invocation<Agent | null>,
  input: Input,
) => Promise<LivePage>;

export interface LivePages {
  /** The page at any position. */
  readonly read: ReadPage;
  /**
   * The page of a stream that had seen everything. Streams that are woken together share one reading,
   * whatever kinds they ask for: each leaves out what its filter does.
   */
  readonly readNews: ReadPage;
}

/** What every operation with streams answers; a record says under which name its list is. */
const answered = z.looseObject({
  after_id: z.int(),
  more: z.boolean(),
  after_message_id: z.int().optional(),
  unread_messages: z.int().optional(),
  epoch: z.int().optional(),
});
const placed = z.array(z.looseObject({ id: z.int() }));

/** A block of a stream (HTML standard, 9.2.5). JSON has no line ends, so the data are one line. */
export const block = (id: number, event: string, data: object): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Reads pages. Public ones that are asked for at one position and filter at a time are read once. */
export function livePages(dispatcher: Dispatcher): LivePages {
  const shared = new Map<string, Promise<LivePage>>();

  async function readOne(
    ...[operation, invocation, input]: Parameters<ReadPage>
  ): Promise<LivePage> {
    const output = await invoke(operation, dispatcher, invocation, input);
    const { after_id, more, after_message_id, unread_messages, epoch } = answered.parse(output);
    const { list = "", event = "", filter } = operation.live ?? {};
    const events = placed.parse(Reflect.get(output, list)).map((item) => {
      const text = block(item.id, event, item);
      const word = filter === undefined ? "" : String(item[filter.by]);
      return { id: item.id, text, bytes: Buffer.byteLength(text), word };
    });
    const own = after_message_id === undefined ? {} : { after_message_id, unread_messages };
    const news = epoch === undefined ? own : { epoch, ...own };
    return { events, after_id, after_message_id: after_message_id ?? 0, more, news };
  }

  function read(...[operation, invocation, input]: Parameters<ReadPage>): Promise<LivePage> {
    if (operation.auth !== "none") return readOne(operation, invocation, input);
    const name = `${operation.name} ${JSON.stringify(input)}`;
    const known = shared.get(name);
    if (known !== undefined) return known;
    const reading = readOne(operation, FOR_ALL, input);
    shared.set(name, reading);
    const forget = () => void shared.delete(name);
    reading.then(forget, forget);
    return reading;
  }

  async function readNews(
    ...[operation, invocation, input]: Parameters<ReadPage>
  ): Promise<LivePage> {
    const field = operation.live?.filter?.field ?? "";
    const { [field]: words, ...unfiltered } = input;
    if (typeof words !== "string") return read(operation, invocation, input);
    const page = await read(operation, invocation, unfiltered);
    // After a burst the index finds what is asked for among what is not.
    if (page.more) return read(operation, invocation, input);
    const wanted = new Set(words.split(","));
    return { ...page, events: page.events.filter(({ word }) => wanted.has(word)) };
  }

  return { read, readNews };
}

const FOR_ALL = { agent: null, afterAnswer: () => {} };
