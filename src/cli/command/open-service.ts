import { noteAct } from "../../domains/operator/journal.ts";
import { joinService, type Service } from "../../main/service/open-service.ts";
import { baseUrlOf } from "../../main/settings/settings.ts";
import type { AlarmName } from "../../platform/kernel/alarms.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { demandNotBehind } from "../../platform/ledger/seals/signer.ts";
import { routeWording } from "../../surfaces/routing/base-path.ts";
import { type Command, type Given, isWrite, type Outcome } from "./command.ts";
import { personOf } from "./owner.ts";
import { messageOf, REFUSED, Stop } from "./stop.ts";

/** A command may count a whole table, and an operator waits longer than an agent does. */
const PATIENCE_MS = 30_000;

/**
 * Runs a command on the database of a service, beside it if it runs, and lets go of it. The operator
 * gets alarms on standard error.
 */
export async function runOnService(command: Command, given: Given): Promise<Outcome> {
  const { configuration } = given;
  if (configuration === undefined) throw new Error(`${command.name} has no settings.`);
  const alarm = (what: AlarmName, facts: object) =>
    console.error(`alarm: ${what} ${JSON.stringify(facts)}`);
  const own = { isCommand: true, patience_ms: PATIENCE_MS } as const;
  const environment = { baseUrl: baseUrlOf(configuration), alarm, ...own };
  const service = await joinService(configuration, environment, command.ledger ?? "has_begun");
  try {
    return await runOn(service, command, given);
  } finally {
    await service.close();
  }
}

/** Runs a command of the operator in an open service. Ends with a Stop, or another Error, when it refuses. */
export async function runOn(service: Service, command: Command, given: Given): Promise<Outcome> {
  const outcome = await command.run({ ...given, service }).catch((error) => refuse(service, error));
  if (isWrite(command, given.values) && outcome.changed !== false)
    await noted(service, command, given, outcome);
  return outcome;
}

/** The act is done: a journal that takes no line does not undo it. */
async function noted(
  { context }: Service,
  { name: act }: Command,
  { values, environment }: Given,
  { text: result }: Outcome,
): Promise<void> {
  const person = personOf(environment);
  await noteAct(context, { person, via: "command", act, values, result }).catch((error) =>
    console.error(`The journal has no line of this: ${messageOf(error)}`),
  );
}

/**
 * A refusal of the network, with all that is wrong in one text. While the database lacks a signed
 * seal, an agent may try again later; the operator gets a sentence that says what to do.
 */
async function refuse({ context, registry, signer }: Service, error: unknown): Promise<never> {
  if (!(error instanceof Rejection)) throw error;
  if (error.code === "storage_unavailable") await demandNotBehind(context.read, signer);
  const { message, details = [] } = error.worded(routeWording(registry));
  const lines = details.map(({ field, problem }) => `\n  ${field}: ${problem}`);
  throw new Stop(REFUSED, message + lines.join(""), error);
}
