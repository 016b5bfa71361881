import { sharedJobs } from "../src/main/jobs/shared.ts";
import { openService, type Service } from "../src/main/service/open-service.ts";
import { readConfiguration } from "../src/main/settings/settings.ts";
import { append } from "../src/platform/ledger/append.ts";
import { heartbeat } from "../src/platform/ledger/entries.ts";
import { ledgerHead } from "../src/platform/ledger/queries.ts";

/**
 * One life of a service with a log, for `log-kills.process.test.ts`: it writes, seals, signs and asks its
 * witnesses. At the step that DYING_AT names it is killed, as by the system; without one it prints how
 * many steps there were. A step is each boundary of a write, of the log's memory and of a request.
 */

/** Enough that each life makes nodes of the tree. */
const ENTRIES = 300;

const { DYING_AT = "", DYING_NOW = "" } = process.env;
const now = Number(DYING_NOW);
let steps = 0;

function step(): void {
  steps++;
  if (steps === Number(DYING_AT)) process.kill(process.pid, "SIGKILL");
}

async function between<T>(work: () => Promise<T>): Promise<T> {
  step();
  const result = await work();
  step();
  return result;
}

const opened = await openService(readConfiguration(process.env), {
  baseUrl: "http://127.0.0.1:8080",
  alarm: (what, facts) => console.log(`alarm ${what} ${JSON.stringify(facts)}`),
  clock: { now: () => now, monotonic_s: () => now },
});
const { upkeep, logSigner, witnesses, store, context } = opened;
const service: Service = {
  ...opened,
  upkeep: { ...upkeep, write: (work) => between(() => upkeep.write(work)) },
  logSigner: {
    ...logSigner,
    remember(memory) {
      step();
      logSigner.remember(memory);
      step();
    },
  },
  witnesses: { ...witnesses, send: (url, body) => between(() => witnesses.send(url, body)) },
};

const head = await ledgerHead.first(context.read, {});
const first = head?.last_id ?? 0;
await context.write(async (tx) => {
  for (let n = first; n < first + ENTRIES; n++) append(tx, heartbeat, { after_id: n });
});
while ((await store.sequence()) > 0);
const { jobs, seal } = sharedJobs(service);
await seal();
await jobs.find(({ name }) => name === "witnesses")?.run();
console.log(`steps ${steps}`);
await opened.close();
