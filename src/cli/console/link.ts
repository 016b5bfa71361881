import { secretFile, systemRandom, systemSeconds } from "../../main/listeners/console.ts";
import { operatorsUrl } from "../../main/settings/console-mode.ts";
import type { Configuration } from "../../main/settings/settings.ts";
import { textOf } from "../../main/storage/memory-file.ts";
import { linkKey } from "../../surfaces/console/access.ts";

const SECRET = /^[0-9a-f]{64}$/;

/** A link that opens the console once, within two minutes; null where there is none, or its secret cannot be read. */
export function consoleUrl(
  configuration: Pick<Configuration, "adminHost" | "adminPort" | "consoleOrigin" | "dataDir">,
): string | null {
  const secret = secretIn(configuration.dataDir);
  if (secret === null) return null;
  const key = linkKey({ secret, random: systemRandom, now: systemSeconds });
  return `${configuration.consoleOrigin ?? operatorsUrl(configuration)}/console/open?key=${key}`;
}

function secretIn(dataDir: string): string | null {
  const secret = textOf(secretFile(dataDir));
  return secret !== null && SECRET.test(secret) ? secret : null;
}
