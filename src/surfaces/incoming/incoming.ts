import { IncomingMessage, type ServerResponse } from "node:http";
import { Rejection } from "../../platform/kernel/contract/errors.ts";

/** A body may come in so many chunks or packets, and in one more for each 32 bytes: each costs time whatever its size. */
export const PIECES_FREE = 1_024;
const PIECE_MIN_BYTES = 32;

/** Bytes that are taken before somebody asks for the body; then the connection waits. */
const UNASKED_MAX_BYTES = 64 * 1024;

/** A body that nobody wants is read and dropped up to here, so that its sender sees the answer. */
export const DROPPED_MAX_BYTES = 32 * 1024 * 1024;

const CAPACITY_MIN_BYTES = 4 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

/** Takes so many bytes more for a body. Throws `overloaded` when there is no room for them. */
export type Hold = (bytes: number) => void;

/** The bytes of a body, `excess` at the first byte too many, or null when its sender went away. */
export type Read = Buffer | "excess" | null;

/** The answer to such a request. */
export type Outgoing = ServerResponse<Incoming>;

/** Somebody who waits for the rest of a body. */
interface Reader {
  readonly max_bytes: number;
  readonly hold: Hold;
  readonly resolve: (read: Read) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A request that keeps its body in one buffer. Node would keep a Buffer for each chunk: some 400 bytes of
 * memory for a chunk of one byte, of which it holds 65,536 before it lets the sender wait. It is a class
 * because `http.createServer` takes one.
 */
export class Incoming extends IncomingMessage {
  #kept = NOTHING;
  #size_bytes = 0;
  #seen_bytes = 0;
  #pieces = 0;
  #isDropped = false;
  #isHeld = false;
  #isEnding = false;
  /** Why the body was dropped before anybody asked for it. */
  #fault: Rejection | null = null;
  #reader: Reader | null = null;

  /** Node's parser hands each piece of a body to this method; false makes the connection wait. */
  override push(piece: Buffer | null): boolean {
    if (piece === null) {
      this.#settle((reader) => reader.resolve(this.takeBody(reader.max_bytes)));
      return super.push(null);
    }
    this.#pieces++;
    this.#seen_bytes += piece.length;
    const isShredded = this.#pieces > PIECES_FREE + this.#seen_bytes / PIECE_MIN_BYTES;
    if (this.#isDropped) {
      const isTooMuch = isShredded || this.#seen_bytes > DROPPED_MAX_BYTES;
      if (isTooMuch) this.#end();
      return !isTooMuch;
    }
    if (isShredded) return this.#refuse(SHREDDED);
    return this.#keep(piece);
  }

  #keep(piece: Buffer): boolean {
    const size_bytes = this.#size_bytes + piece.length;
    const reader = this.#reader;
    if (reader !== null && size_bytes > reader.max_bytes) {
      this.discard();
      this.#settle(({ resolve }) => resolve("excess"));
      return true;
    }
    try {
      this.#reserve(size_bytes, piece);
    } catch (error) {
      this.discard();
      this.#settle(({ reject }) => reject(error));
      return true;
    }
    this.#size_bytes = size_bytes;
    return reader !== null || (!this.#isHeld && size_bytes < UNASKED_MAX_BYTES);
  }

  /** The first piece is kept as it is: most bodies have no other. */
  #reserve(size_bytes: number, piece: Buffer): void {
    const before = this.#kept;
    if (this.#size_bytes === 0) {
      this.#reader?.hold(piece.length);
      this.#kept = piece;
      return;
    }
    if (size_bytes > before.length) {
      const capacity = Math.max(CAPACITY_MIN_BYTES, 2 ** Math.ceil(Math.log2(size_bytes)));
      this.#reader?.hold(capacity - before.length);
      this.#kept = Buffer.allocUnsafeSlow(capacity);
      before.copy(this.#kept, 0, 0, this.#size_bytes);
    }
    piece.copy(this.#kept, this.#size_bytes);
  }

  #refuse(fault: Rejection): boolean {
    this.discard();
    this.#fault = fault;
    this.#settle(({ reject }) => reject(fault));
    return true;
  }

  /** A refusal that is under way still leaves; of the request nothing more is read. */
  #end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => this.socket.destroySoon());
  }

  #settle(end: (reader: Reader) => void): void {
    const reader = this.#reader;
    this.#reader = null;
    if (reader !== null) end(reader);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#kept = NOTHING;
    this.#settle(({ resolve }) => resolve(null));
    super._destroy(error, callback);
  }

  /** It waits for the answers before its own: of its body no more is read until somebody asks for it. */
  hold(): void {
    this.#isHeld = true;
  }

  /** The whole of a body that has arrived. Throws when it came in too many pieces. */
  takeBody(max_bytes: number): Buffer | "excess" {
    if (this.#fault !== null) throw this.#fault;
    const whole = this.#kept.subarray(0, this.#size_bytes);
    this.#kept = NOTHING;
    return whole.length > max_bytes ? "excess" : whole;
  }

  /**
   * Waits for the rest of a body; `hold` is called for what is here and for each growth of the buffer. The
   * event `asked` says that somebody waits.
   */
  async restOfBody(max_bytes: number, hold: Hold): Promise<Read> {
    if (this.#fault !== null) throw this.#fault;
    if (this.#size_bytes > max_bytes) {
      this.discard();
      return "excess";
    }
    hold(this.#kept.length);
    return new Promise((resolve, reject) => {
      this.#reader = { max_bytes, hold, resolve, reject };
      this.emit("asked");
      this.resume();
    });
  }

  /** The caller's wait ends with `error`, and what is here of the body is dropped. */
  giveUp(error: Rejection): void {
    this.#refuse(error);
  }

  /** Drops what has come of the body and what still comes. Beyond the bounds the connection is closed. */
  discard(): void {
    if (this.#isDropped || this.readableEnded) return;
    this.#isDropped = true;
    this.#kept = NOTHING;
    this.#size_bytes = 0;
    this.resume();
  }
}

const SHREDDED = new Rejection(
  "body_too_large",
  `Send the body in fewer chunks: at most ${PIECES_FREE}, and one more for each ${PIECE_MIN_BYTES} bytes.`,
);
