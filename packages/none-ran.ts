import type { TestEvent } from "node:test/reporters";

/** Fails a run by a pattern of names when no test of any file had such a name; Node reports each file as passed. */
export default async function* noneRan(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let ran = 0;
  for await (const { type, data } of events)
    if (type === "test:summary" && data.file !== undefined) ran += data.counts.tests;
  if (ran > 0) return;
  process.exitCode = 1;
  yield "No test ran: none has a name that matches.\n";
}
