import { isNothingAt } from "../../main/running/trusted-file.ts";
import { signerFiles, signerOf } from "../../main/service/operator-key.ts";
import { knownMigrations } from "../../platform/db/migrate.ts";
import type { Snapshot } from "../../platform/db/table-copy.ts";
import {
  CLOCK_BEHIND_FAULT_S,
  CLOCK_BEHIND_WARN_S,
  CLOCK_LEAP_MAX_S,
} from "../../platform/ledger/clocks/clock.ts";
import { entryById, oldestUnsequenced } from "../../platform/ledger/entry-queries.ts";
import {
  countUnsigned,
  lastSigned,
  ledgerHead,
  sealBySeq,
  sealHead,
} from "../../platform/ledger/queries.ts";
import { SEQUENCER_LAG_MAX_S, sealDelayMax_s } from "../../platform/ledger/seals/health.ts";
import { genesisOf, operatorKeys } from "../../platform/ledger/seals/keys.ts";
import { hex } from "../../platform/ledger/seals/seals.ts";
import { rulesFence } from "../../platform/ledger/sequencing/fence.ts";
import { NOBODY, walkChain } from "../../verify/walk.ts";
import { counted } from "../command/counted.ts";
import { messageOf } from "../command/stop.ts";
import { databaseChain } from "../verify/database-chain.ts";
import { faultOf, ownPins } from "../verify/pinned-keys.ts";
import { withProgress } from "../verify/progress.ts";
import { type Finding, NAME_THE_FOLDER, type Patient } from "./finding.ts";

/** What a node and its database may differ by. */
const APART_MAX_S = 30;

type Opened = Patient & { readonly snapshot: Snapshot };

/** The checks of the database. */
export async function checkLedger(patient: Patient): Promise<Finding[]> {
  const { snapshot, database } = patient;
  if (database === "unreadable") return []; // Which is a finding of its own.
  const isBegun = snapshot !== null && (await genesisOf(snapshot.read)) !== undefined;
  if (!isBegun) return [noLedger(patient)];
  const schema = schemaFinding(snapshot);
  if (schema.state === "fault") return [schema];
  const opened = { ...patient, snapshot };
  return [
    schema,
    ...(await rulesFindings(opened)),
    ...(await clockFindings(opened)),
    await keyFinding(opened),
    ...(await waitingFindings(opened)),
    await chainFinding(opened),
  ];
}

/** Right before the first start, and wrong beside a service that runs somewhere else. */
function noLedger({ configuration: { databaseUrl, dataDir } }: Patient): Finding {
  const place = databaseUrl === null ? dataDir : "this database";
  const text = `There is no ledger in ${place}. The first start begins one.`;
  return { about: "ledger", state: "warning", text, advice: NAME_THE_FOLDER };
}

function schemaFinding({ engine, schema, expansions }: Snapshot): Finding {
  const known = knownMigrations(engine);
  const about = "schema";
  const newer = schema.filter((name) => !known.includes(name));
  const unknown = newer.find((name) => !expansions.includes(name));
  if (unknown !== undefined) {
    const text = `The database has ${unknown}, which this program does not know.`;
    return { about, state: "fault", text, advice: "Start a program that is at least as new." };
  }
  if (newer.length > 0) {
    const text = `The database has ${newer.at(-1)}, which this program may ignore.`;
    return { about, state: "warning", text, advice: "Upgrade this node as well." };
  }
  const text = `${schema.length} of ${known.length} migrations; the last is ${schema.at(-1)}.`;
  if (schema.length === known.length) return { about, state: "ok", text };
  const advice = "The next start brings it up to date: back up first.";
  return { about, state: "warning", text, advice };
}

/** A program writes no entry to a ledger under later rules than its own. */
async function rulesFindings({ snapshot }: Opened): Promise<Finding[]> {
  const fence = rulesFence();
  fence.observe((await ledgerHead.first(snapshot.read, {}))?.rules ?? 0);
  const text = fence.why();
  return text === null ? [] : [{ about: "rules", state: "fault", text, advice: NEWER }];
}

const NEWER = "Start a newer version. This one serves reads, and seals what is there.";

async function clockFindings({ snapshot, configuration }: Opened): Promise<Finding[]> {
  const about = "clock";
  const now = Math.floor(Date.now() / 1_000);
  const last_at = (await ledgerHead.first(snapshot.read, {}))?.last_at ?? 0;
  const repair = "Repair the time service of this machine.";
  if (last_at - now > CLOCK_BEHIND_WARN_S) {
    const text = `It is ${last_at - now} s behind the last entry: the network's time stands still.`;
    const state = last_at - now > CLOCK_BEHIND_FAULT_S ? "fault" : "warning";
    return [{ about, state, text, advice: repair }];
  }
  if (last_at > 0 && now - last_at > CLOCK_LEAP_MAX_S && !configuration.clockAccepted) {
    const text = "It is over 400 days beyond the last entry: nothing can be written.";
    const advice = "If it is right, start once with --accept-clock.";
    return [{ about, state: "fault", text, advice }];
  }
  const apart_s = snapshot.engine === "postgres" ? await serverAhead_s(snapshot) : 0;
  if (Math.abs(apart_s) > APART_MAX_S) {
    const text = `It is ${Math.round(Math.abs(apart_s))} s from the database server's: this node gives no ids.`;
    return [{ about, state: "fault", text, advice: repair }];
  }
  return [{ about, state: "ok", text: "It agrees with the ledger." }];
}

async function serverAhead_s(snapshot: Snapshot): Promise<number> {
  const query = "SELECT floor(extract(epoch from clock_timestamp()))::bigint";
  for await (const [row] of snapshot.scan(query)) return Number(row?.[0]) - Date.now() / 1_000;
  return 0;
}

const RESTORE = "Bring back the newest database, or `cairn backup` this one and restore it.";
const LAST = `Put back the one that was there last, not an older one. ${RESTORE}`;

/** Whether this node signs, as the signer will see it. */
async function keyFinding({ configuration, snapshot, memory }: Opened): Promise<Finding> {
  const about = "key";
  const files = signerFiles(configuration);
  const { read } = snapshot;
  const current = (await operatorKeys(read)).at(-1)?.public_key;
  if (current === undefined) {
    return { about, state: "warning", text: "The ledger names no key: seals stay unsigned." };
  }
  if (isNothingAt(files.keyFile)) {
    const text = `${files.keyFile} is not there: this node signs nothing.`;
    const advice = "Right on every PostgreSQL node but one. Else put the key back.";
    return { about, state: "warning", text, advice };
  }
  const advice = "Put the right file there, with mode 0600, and start again.";
  try {
    if (signerOf(files).keyOf(current) === null) {
      const text = `${files.keyFile} is not the key that the ledger names, ${current}.`;
      return { about, state: "fault", text, advice };
    }
  } catch (error) {
    return { about, state: "fault", text: messageOf(error), advice };
  }
  if (memory === "unreadable") {
    const signer = signerOf(files);
    signer.recall();
    const text = `${files.memoryFile} is there and cannot be read, so nothing is signed: ${signer.fault()}.`;
    return { about, state: "fault", text, advice: `Make it readable. If it is damaged: ${LAST}` };
  }
  if (memory === null) {
    if ((await lastSigned.first(read, {})) === undefined) {
      return { about, state: "ok", text: `It is ${current}; nothing was signed yet.` };
    }
    // A service that runs beside this may have signed its first seal since the memory was looked for.
    if (signerOf(files).recall() !== null)
      return { about, state: "ok", text: `It is ${current}; it has just signed its first seal.` };
    const text = `${files.memoryFile} is not there, so nothing is signed.`;
    return { about, state: "fault", text, advice: LAST };
  }
  const seal = await sealBySeq.first(read, { seq: memory.seq });
  if (seal === undefined || hex(seal.seal_hash) !== memory.seal_hash) {
    const text = `Seal ${memory.seq}, which this key has signed, is not in the database.`;
    return { about, state: "fault", text, advice: RESTORE };
  }
  return {
    about,
    state: "ok",
    text: `It is ${current}; the last seal it signed is ${memory.seq}.`,
  };
}

/** Entries and seals that wait longer than they do while a service runs. */
async function waitingFindings({ configuration, snapshot }: Opened): Promise<Finding[]> {
  const { read } = snapshot;
  const advice = "Right while no service runs. Else look at its log.";
  const findings: Finding[] = [];
  const seals = await sealHead.first(read, {});
  const next = await entryById.first(read, { ledger_id: (seals?.last_to_id ?? 0) + 1 });
  const waited_s = next?.at == null ? 0 : Math.floor(Date.now() / 1_000) - next.at;
  if (waited_s > sealDelayMax_s(configuration.sealInterval_s)) {
    const text = `An entry has waited ${waited_s} s for its seal.`;
    findings.push({ about: "seals", state: "warning", text, advice });
  }
  if ((await oldestUnsequenced.first(read, {})) !== undefined) {
    const text = `An entry waits for its id; that takes ${SEQUENCER_LAG_MAX_S} s at most.`;
    findings.push({ about: "seals", state: "warning", text, advice });
  }
  const { seals: unsigned = 0 } = (await countUnsigned.first(read, {})) ?? {};
  if (unsigned > 0) {
    const text = `${counted(unsigned, "seal")} ${unsigned === 1 ? "has" : "have"} no signature.`;
    const why = "A later signed seal covers them. If there are more each minute, look at the key.";
    findings.push({ about: "seals", state: "warning", text, advice: why });
  }
  if (findings.length > 0) return findings;
  return [{ about: "seals", state: "ok", text: "No unsequenced, unsealed or unsigned entries." }];
}

async function chainFinding({ configuration, snapshot, depth }: Opened): Promise<Finding> {
  const about = "chain";
  const advice =
    "Keep a copy of the database as it is, check the disk, and restore the last backup.";
  const head = await sealHead.first(snapshot.read, {});
  if (head != null && head.first_broken_seq !== null) {
    const text = `The service found it broken at seal ${head.first_broken_seq}.`;
    return { about, state: "fault", text, advice };
  }
  if (depth === "quick") {
    const text = `The service checked it up to seal ${head?.verified_through_seq ?? 0}.`;
    return { about, state: "ok", text };
  }
  const chain = await databaseChain(snapshot.read);
  const pins = ownPins(chain.header, configuration.origin);
  const walked = await walkChain(withProgress(chain), pins, NOBODY);
  const fault = faultOf(walked);
  if (fault !== null) return { about, state: "fault", text: fault, advice };
  const { seals, entries } = walked;
  const verifies = seals === 1 ? "verifies" : "verify";
  const text = `${counted(seals, "seal")} over ${counted(entries, "entry")} ${verifies}.`;
  return { about, state: "ok", text };
}
