import * as z from "zod";
import type { Agent } from "../../context.ts";
import type { Invocation } from "../../kernel/contract/operation.ts";
import { type Dispatcher, invoke } from "../dispatch/invoke.ts";
import type { BoundOperation } from "../dispatch/registry.ts";

/** One block of a stream: `text` as it is written. */
interface LiveEvent {
  readonly id: number;
  readonly text: string;
  readonly bytes: number;
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

export type ReadPage = (
  operation: BoundOperation,
  invocation: Invocation<Agent | null>,
  input: object,
) => Promise<LivePage>;

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
export function livePages(dispatcher: Dispatcher): ReadPage {
  const shared = new Map<string, Promise<LivePage>>();

  async function read(...[operation, invocation, input]: Parameters<ReadPage>): Promise<LivePage> {
    const output = await invoke(operation, dispatcher, invocation, input);
    const { after_id, more, after_message_id, unread_messages, epoch } = answered.parse(output);
    const { list = "", event = "" } = operation.live ?? {};
    const events = placed.parse(Reflect.get(output, list)).map((item) => {
      const text = block(item.id, event, item);
      return { id: item.id, text, bytes: Buffer.byteLength(text) };
    });
    const own = after_message_id === undefined ? {} : { after_message_id, unread_messages };
    const news = epoch === undefined ? own : { epoch, ...own };
    return { events, after_id, after_message_id: after_message_id ?? 0, more, news };
  }

  return (operation, invocation, input) => {
    if (operation.auth !== "none") return read(operation, invocation, input);
    const name = `${operation.name} ${JSON.stringify(input)}`;
    const reading = shared.get(name) ?? read(operation, FOR_ALL, input);
    shared.set(name, reading);
    const forget = () => void shared.delete(name);
    reading.then(forget, forget);
    return reading;
  };
}

const FOR_ALL = { agent: null, afterAnswer: () => {} };
