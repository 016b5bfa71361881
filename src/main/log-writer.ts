import { constants, fstatSync, openSync, write as writeBehind, writeSync } from "node:fs";
import { isatty } from "node:tty";

/** Writes the lines of a log. It never throws, never ends the process and never makes it wait for long. */
export interface LogWriter {
  write(text: string): void;
  /** Writes what waits at once; for the end of the process. */
  flush(): void;
  /** Lines that were dropped since the start. */
  dropped(): number;
  /** Why lines are dropped now; null while they are written. */
  fault(): string | null;
}

const { O_NOCTTY, O_NONBLOCK, O_WRONLY } = constants;
const NEWLINE = 0x0a;

/** Lines are written together: once there are so many characters, at the latest after this time. */
const BATCH_LENGTH = 65_536;
const BATCH_MS = 100;

/** The characters that wait while their reader is slow; lines beyond them are dropped. */
const WAITING_LENGTH_MAX = 4_194_304;

/** After an error lines are dropped, and after this time a line is tried. */
const RETRY_MS = 1_000;

/** A reader that has taken nothing for so long is not waited for at the end. */
const STALLED_MS = 1_000;

/** The fault of a pipe or terminal whose reader may come back. */
const SLOW = "its reader is too slow";

/**
 * Gathers lines, and writes them without making the event loop wait for their reader. `resumed` is the
 * line that says how many were dropped, once they are written again.
 */
export function logWriter(given: number, resumed: (dropped: number) => string): LogWriter {
  const to = unblocked(given);
  let waiting = "";
  /** On its way to the descriptor, and when its reader last took some. */
  let sending: Buffer | null = null;
  let progressed_ms = 0;
  let pause_ms = 1; // Twice as long each time that it is full.
  let isBlocked = false; // `sending` is here, and no thread has it.
  let failure: string | null = null;
  let endsLine = true; // The last byte that was written does.
  let dropped = 0;
  let untold = 0;
  let telling = 0;

  const drop = (text: string | Buffer) => {
    const lines = String(text).split("\n").length - 1;
    dropped += lines;
    untold += lines;
  };
  function failed({ code = "error" }: NodeJS.ErrnoException, rest: Buffer): void {
    if (failure === null) drop(rest);
    failure = code;
    sending = null;
    drop(waiting);
    waiting = "";
    setTimeout(retry, RETRY_MS).unref();
  }
  const retry = () => {
    telling = untold;
    send(Buffer.from(`${endsLine ? "" : "\n"}${resumed(untold)}`));
  };
  function send(rest: Buffer): void {
    sending = rest;
    isBlocked = false;
    writeBehind(to, rest, (error, written) => {
      if (error?.code === "EAGAIN") {
        isBlocked = true;
        setTimeout(() => sending === rest && send(rest), pause_ms).unref();
        pause_ms = Math.min(2 * pause_ms, BATCH_MS);
        return;
      }
      if (error !== null) return failed(error, rest);
      endsLine = rest[written - 1] === NEWLINE;
      progressed_ms = performance.now();
      pause_ms = 1;
      if (written < rest.length) send(rest.subarray(written));
      else sent();
    });
  }
  function sent(): void {
    sending = null;
    failure = null;
    untold -= telling;
    telling = 0;
    if (untold > 0) {
      waiting += resumed(untold);
      untold = 0;
    }
    if (waiting !== "") pass();
  }
  function pass(): void {
    if (sending !== null || waiting === "") return;
    progressed_ms = performance.now();
    const text = waiting;
    waiting = "";
    send(Buffer.from(text));
  }
  return {
    dropped: () => dropped,
    fault: () => failure ?? (untold > 0 ? SLOW : null),
    write(text) {
      if (failure !== null || waiting.length + text.length > WAITING_LENGTH_MAX) return drop(text);
      if (waiting === "") setTimeout(pass, BATCH_MS).unref();
      waiting += text;
      if (waiting.length >= BATCH_LENGTH) pass();
    },
    flush() {
      const isStalled = sending !== null && performance.now() - progressed_ms > STALLED_MS;
      const held = isBlocked ? sending : null;
      const left = Buffer.concat([held ?? Buffer.alloc(0), Buffer.from(waiting)]);
      if (held !== null) sending = null;
      waiting = "";
      if (failure !== null || isStalled || !writeNow(to, left)) drop(left);
    },
  };
}

/**
 * The same pipe or terminal, opened so that a write never waits: a thread that waits for a reader keeps
 * the process from ending. Any other destination is as it was given.
 */
function unblocked(given: number): number {
  try {
    if (!fstatSync(given).isFIFO() && !isatty(given)) return given;
    return openSync(`/proc/self/fd/${given}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return given;
  }
}

/** For how long a reader that takes nothing is waited for. */
const ATTEMPTS = 10;
const PAUSE_MS = 20;

/** Whether all of it was written. */
function writeNow(to: number, bytes: Buffer): boolean {
  let [done, attempts] = [0, 0];
  while (done < bytes.length)
    try {
      done += writeSync(to, bytes, done);
      attempts = 0;
    } catch (error) {
      const isFull = error instanceof Error && "code" in error && error.code === "EAGAIN";
      if (!isFull || ++attempts > ATTEMPTS) return false;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  return true;
}
