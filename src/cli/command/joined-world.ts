import { Rejection } from "../../kernel/errors.ts";
import { demandNotBehind } from "../../ledger/signer.ts";
import { joinWorld, type World } from "../../main/service/open-service.ts";
import { baseUrlOf } from "../../main/settings/settings.ts";
import type { Command, Given, Outcome } from "./command.ts";
import { REFUSED, Stop } from "./stop.ts";

/**
 * Runs a command on the database of a service, beside it if it runs, and lets go of it. The operator
 * hears of alarms on standard error.
 */
export async function runOnService(command: Command, given: Given): Promise<Outcome> {
  const { configuration } = given;
  if (configuration === undefined) throw new Error(`${command.name} has no settings.`);
  const alarm = (what: string, facts: object) =>
    console.error(`alarm: ${what} ${JSON.stringify(facts)}`);
  const surroundings = { baseUrl: baseUrlOf(configuration), alarm };
  const world = await joinWorld(configuration, surroundings, command.ledger ?? "has_begun");
  try {
    return await runOn(world, command, given);
  } finally {
    await world.close();
  }
}

/** Runs a command of the operator in an open world. Ends with a Stop, or another Error, when it refuses. */
export const runOn = (world: World, command: Command, given: Given): Promise<Outcome> =>
  command.run({ ...given, world }).catch((error) => refuse(world, error));

/**
 * A refusal of the network, with all that is wrong in one text. While the database lacks a signed
 * seal, an agent is told to try again later; the operator is told what to do about it.
 */
async function refuse({ context, signer }: World, error: unknown): Promise<never> {
  if (!(error instanceof Rejection)) throw error;
  if (error.code === "storage_unavailable") await demandNotBehind(context.read, signer);
  const details = (error.details ?? []).map(({ field, problem }) => `\n  ${field}: ${problem}`);
  throw new Stop(REFUSED, error.message + details.join(""), error);
}

/** Refuses what would change nothing, so that nobody takes it for done. */
export function demandChange(isChanged: boolean, sentence: string): void {
  if (!isChanged) throw new Stop(REFUSED, sentence);
}
