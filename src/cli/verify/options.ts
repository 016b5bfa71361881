import { join } from "node:path";
import * as z from "zod";
import { publicKey, value } from "../../domains/operator/values.ts";
import { baseUrlIn, isWebAddress, WEB_URL, webUrlIn } from "../../platform/kernel/url.ts";
import { stateFolder } from "../command/state-folder.ts";

/** The base URL of a service, with or without its API's path, or a file. */
function placeIn(named: string) {
  if (isWebAddress(named)) {
    const address = baseUrlIn(named);
    return address === null ? undefined : ({ kind: "network", address } as const);
  }
  return /^\w+:\/\//.test(named) ? undefined : ({ kind: "file", address: named } as const);
}

/** Where the files of a log are. The URL of a database, named by mistake, holds its password. */
export const logPlace = (takes: string) =>
  value(takes, `${WEB_URL}, or a folder`, (named) =>
    !isWebAddress(named) || webUrlIn(named) !== null ? named : undefined,
  ).meta({ isSecret: true });

/** Where verified heads are remembered: the file that `--state` names, else that of the user. */
export const stateFile = (named: string | undefined): string =>
  named ?? join(stateFolder("--state"), "heads.json");

/** What every command takes that verifies a chain. */
export const chainInput = {
  // The URL of a database holds its password.
  from: value("<url|file>", `${WEB_URL}, or a file`, placeIn).meta({ isSecret: true }),
  key: z
    .array(publicKey)
    .default([])
    .describe("pin the key of seal 1; once more for each key that no rotation links"),
  origin: value("TEXT", "printable ASCII characters without space", (text) =>
    /^[!-~]+$/.test(text) ? text : undefined,
  )
    .optional()
    .describe("pin the origin of the chain"),
  state: z.string().optional().meta({ takes: "FILE" }),
};
