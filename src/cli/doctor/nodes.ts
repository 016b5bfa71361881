import { randomBytes } from "node:crypto";
import * as z from "zod";
import { UNRECEIVED_MAX } from "../../domains/market/payouts/waiting.ts";
import { acceptedRate } from "../../domains/transfers/queries.ts";
import { SAMPLE_AGE_MAX_S } from "../../domains/transfers/rates.ts";
import { NANO_APART_MAX_S } from "../../main/jobs/nano-time.ts";
import { isNothingAt } from "../../main/running/trusted-file.ts";
import { openServiceChain } from "../../main/service/open-chain.ts";
import { operatorsUrl } from "../../main/settings/console-mode.ts";
import { baseUrlOf } from "../../main/settings/settings.ts";
import { isFolderTaken } from "../../main/storage/folder-lock.ts";
import type { ChainAdapter } from "../../platform/chain/adapter.ts";
import { isoOf } from "../../platform/kernel/iso-time.ts";
import type { PublicKey } from "../../platform/kernel/nano.ts";
import { messageOf } from "../command/stop.ts";
import { type Finding, NAME_THE_FOLDER, type Patient } from "./finding.ts";

const PATIENCE_MS = 5_000;

/** Whether its ledger is well, and whether it takes writes. */
const PROBES = ["/healthz", "/readyz"];

const health = z.object({
  findings: z.array(
    z.object({
      sentence: z.string(),
      advice: z.string().default(""), // A service of another version may say none.
      state: z.enum(["fault", "warning"]),
      since: z.number(),
    }),
  ),
});

/** Asks a service that runs what it says of itself. */
export async function checkAnswers({ configuration, running }: Patient): Promise<Finding[]> {
  const { adminPort, dataDir } = configuration;
  if (adminPort === 0) return [];
  const about = "service";
  const url = operatorsUrl(configuration);
  const answers = await Promise.all(PROBES.map((path) => askedAt(`${url}${path}`)));
  if (answers.includes("nothing"))
    return [{ about, state: "ok", text: `No service answers at ${url}.` }];
  const said = answers.filter((each) => typeof each === "object");
  if (said.length < PROBES.length) {
    const text = `Something else than a Cairn answers at ${url}.`;
    return [{ about, state: "warning", text, advice: "Set CAIRN_ADMIN_PORT to a free port." }];
  }
  if (isNothingAt(dataDir) || !isFolderTaken(dataDir)) {
    const other = running.find(({ admin_url }) => admin_url === operatorsUrl(configuration));
    const itsOwn = other === undefined ? "" : ` It has ${other.data_dir}.`;
    const text = `A service answers at ${url}, but none runs on the data folder ${dataDir}.${itsOwn}`;
    return [{ about, state: "fault", text, advice: NAME_THE_FOLDER }];
  }
  const found = new Map<string, Finding>();
  // Health comes last and decides: for readiness a job that fails is a warning at most.
  for (const { findings } of said.toReversed()) {
    for (const { sentence, advice, state, since } of findings) {
      const text = `${sentence} Since ${isoOf(since)}.`;
      found.set(sentence, { about, state, text, advice });
    }
  }
  if (found.size > 0) return [...found.values()];
  return [{ about, state: "ok", text: "It runs, takes writes, and says that its ledger is well." }];
}

async function askedAt(url: string): Promise<z.output<typeof health> | "nothing" | "else"> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const answer = await fetch(url, { signal }).catch(() => null);
  if (answer === null) return "nothing";
  return health.safeParse(await answer.json().catch(() => null)).data ?? "else";
}

/** Asks each Nano node once. */
export async function checkNodes(patient: Patient): Promise<Finding[]> {
  const { configuration } = patient;
  const about = "nano";
  if (configuration.devChain === "on") {
    return [{ about, state: "ok", text: "The dev chain of play money, in the service itself." }];
  }
  const alarms: Finding[] = [];
  const { chain, projectKey, escrowKey, close } = await openServiceChain(configuration, {
    baseUrl: baseUrlOf(configuration),
    random: randomBytes,
    own: () => [],
    alarm: (what, facts) => {
      alarms.push({ about, state: "warning", text: `${what}: ${JSON.stringify(facts)}` });
    },
  });
  try {
    if (chain === null) {
      const text = "No node is set: XNO is not accepted, and all else works.";
      return [{ about, state: "ok", text }];
    }
    await chain.check();
    const findings = [...nodeFindings(chain), ...(await priceFindings(patient))];
    for (const [name, key] of [
      ["project", projectKey],
      ["escrow", escrowKey],
    ] as const) {
      if (key === null) {
        const variable = name === "project" ? "CAIRN_NANO_ADDRESS" : "CAIRN_ESCROW_NANO_ADDRESS";
        findings.push({ about, state: "warning", text: `${variable} is not set.` });
      } else findings.push(...(await unreceived(chain, name, key)));
    }
    return [...findings, ...alarms];
  } finally {
    await close();
  }
}

function nodeFindings(chain: ChainAdapter): Finding[] {
  const about = "nano";
  const { state, endpoints, ahead_s } = chain.health();
  const advice = "Look at that node, or take another: see docs/operating/nano.md.";
  const isApart = ahead_s !== null && Math.abs(ahead_s) > NANO_APART_MAX_S;
  const clock = isApart ? [clockFinding(ahead_s)] : [];
  const nodes = endpoints.map(
    ({ name, ok, last_error, block_count }): Finding =>
      ok
        ? { about, state: "ok", text: `${name} answers; it has ${block_count ?? "?"} blocks.` }
        : {
            about,
            state: state === "down" ? "fault" : "warning",
            text: `${name} cannot be used: ${last_error ?? "it does not answer"}.`,
            advice,
          },
  );
  return [...nodes, ...clock];
}

const clockFinding = (ahead_s: number): Finding => ({
  about: "nano",
  state: "fault",
  text: `This machine's clock is ${Math.abs(ahead_s)} s ${ahead_s > 0 ? "behind" : "ahead of"} that of the Nano nodes.`,
  advice: "Repair the time service before anything ends too early or too late.",
});

/** Whether XNO has a price: without one a live network takes neither contributions in it nor orders. */
async function priceFindings({ configuration, snapshot }: Patient): Promise<Finding[]> {
  const about = "nano";
  const { rateSource, xnoUsd } = configuration;
  if (xnoUsd !== null) return [];
  if (rateSource === "static") {
    const text = "XNO has no price: neither contributions in it nor orders are taken.";
    return [{ about, state: "fault", text, advice: "Set CAIRN_XNO_USD or CAIRN_RATE_SOURCE." }];
  }
  const row = snapshot && (await acceptedRate.first(snapshot.read, { currency: "xno" }));
  const age_s = Math.floor(Date.now() / 1_000) - (row?.sampled_at ?? 0);
  if (age_s <= SAMPLE_AGE_MAX_S) return [];
  const text = `${rateSource} has given no price of XNO for a day: contributions in it and orders get 503.`;
  const advice = "Look whether it can be reached, or set CAIRN_XNO_USD as well.";
  return [{ about, state: "fault", text, advice }];
}

/** Counts what waits for an account, no further than is worth telling. */
async function unreceived(chain: ChainAdapter, name: string, key: PublicKey): Promise<Finding[]> {
  const about = "nano";
  let count = 0;
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const { entries } = await chain.lists(key, { thresholdRaw: 1n, history: null }, signal);
    count = entries.length;
  } catch (error) {
    const text = `The receivable transfers of the ${name} account could not be read: ${messageOf(error)}`;
    return [{ about, state: "warning", text }];
  }
  if (count <= UNRECEIVED_MAX) return [];
  const text = `More than ${UNRECEIVED_MAX} blocks wait for the ${name} account.`;
  return [{ about, state: "warning", text, advice: "Receive them in the wallet." }];
}
