import type { Answered } from "../surfaces/wire/answer.ts";
import { type LogWriter, logWriter } from "./log-writer.ts";

const LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
type Level = (typeof LEVELS)[number];

export interface LogParts {
  readonly level: Level;
  readonly format: "json" | "pretty";
  /** A file descriptor. */
  readonly to: number;
}

/** One line for each event. No fact may be an address, URL, query, body, header, token or agent. */
export interface Log extends Pick<LogWriter, "dropped" | "fault" | "flush"> {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
  /** The line of a request. */
  answered(answer: Answered): void;
  /** The line of a request that failed by a fault of ours. */
  failed(answer: Answered, cause: unknown): void;
  /** The line of a job that has failed so often and will run again; the first has the stack. */
  jobFailed(job: string, cause: unknown, failures: number): void;
  /** The line of a job that has run after so many failures. */
  jobWorks(job: string, failures: number): void;
  /** The last lines of this process, the oldest first. */
  tail(): Tail;
}

interface Tail {
  /** Warnings and errors. */
  readonly warnings: readonly string[];
  readonly others: readonly string[];
}

/** Lines that are remembered, each up to `TAIL_LENGTH` characters. */
const WARNINGS_KEPT = 500;
const OTHERS_KEPT = 1_000;
const TAIL_LENGTH = 300;

/** The process's log: one JSON object a line, or the same for eyes. */
export function openLog({ level, format, to }: LogParts): Log {
  const warnings = ringOf(WARNINGS_KEPT);
  const others = ringOf(OTHERS_KEPT);
  const shown = format === "json" ? (text: string) => text : pretty;
  const { write, flush, dropped, fault } = logWriter(to, (lines) =>
    shown(factLine("warn", { lines }, "log lines were dropped")),
  );
  const line = (text: string, ring: Ring) => {
    ring.add(text);
    write(shown(text));
  };
  const isTold = (of: Level) => LEVELS.indexOf(of) >= LEVELS.indexOf(level);
  const teller = (of: Level) =>
    isTold(of)
      ? (facts: object, msg: string) =>
          line(factLine(of, facts, msg), of === "warn" || of === "error" ? warnings : others)
      : () => {};
  const logger = {
    debug: teller("debug"),
    info: teller("info"),
    warn: teller("warn"),
    error: teller("error"),
  };
  const tellsRequests = isTold("info");
  return {
    ...logger,
    flush,
    dropped,
    fault,
    tail: () => ({ warnings: warnings.lines(), others: others.lines() }),
    answered: (answer) => {
      if (tellsRequests) line(requestLine(answer), others);
    },
    failed: ({ request_id, route }, cause) =>
      logger.error({ request_id, route, cause: causeOf(cause) }, "a request failed"),
    jobFailed: (job, cause, failures) => {
      const shown = failures === 1 ? causeOf(cause) : String(cause);
      logger.error({ job, failures, cause: shown }, "a job failed");
    },
    jobWorks: (job, failures) => logger.warn({ job, failures }, "a job works again"),
  };
}

/** The last so many lines. */
interface Ring {
  add(line: string): void;
  lines(): readonly string[];
}

function ringOf(kept: number): Ring {
  const lines: string[] = [];
  let next = 0;
  return {
    add(line) {
      // This also makes one string of its pieces, which the collector would move one by one.
      lines[next] = line.trimEnd();
      next = (next + 1) % kept;
    },
    lines: () =>
      [...lines.slice(next), ...lines.slice(0, next)].map((line) => line.slice(0, TAIL_LENGTH)),
  };
}

const factLine = (level: Level, facts: object, msg: string): string =>
  `${JSON.stringify({ level, time: Date.now(), ...facts, msg })}\n`;

/** Put together by hand: no value needs escaping, and there is one for each request. */
function requestLine(answer: Answered): string {
  const { request_id, method, route, status, bytes, began_ms, ended_ms } = answer;
  const duration_ms = Math.round((ended_ms - began_ms) * 1_000) / 1_000;
  return `{"level":"info","time":${Date.now()},"request_id":"${request_id}","method":"${method}","route":"${route}","status":${status},"duration_ms":${duration_ms},"bytes":${bytes},"msg":"request"}\n`;
}

/** What a developer needs of an error. Its other members may hold values of a query. */
function causeOf(cause: unknown): object {
  if (!(cause instanceof Error)) return { type: typeof cause };
  const { name, message, stack } = cause;
  return {
    name,
    message,
    stack,
    ...(cause.cause !== undefined && { cause: causeOf(cause.cause) }),
  };
}

/** The same for eyes: `12:15:35.123 info request method=GET route=/api/v1/feed status=200 …`. */
function pretty(text: string): string {
  const { time, level, msg, ...facts } = JSON.parse(text);
  const clock = new Date(time).toISOString().slice(11, 23);
  const fields = Object.entries(facts).map(([name, value]) =>
    typeof value === "object"
      ? `\n  ${name}: ${JSON.stringify(value, null, 2)}`
      : ` ${name}=${value}`,
  );
  return `${clock} ${level} ${msg}${fields.join("")}\n`;
}
