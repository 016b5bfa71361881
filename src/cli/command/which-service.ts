import { statSync } from "node:fs";
import { ownUid, serviceOn } from "../../main/running/service-record.ts";
import { isNothingAt } from "../../main/running/trusted-file.ts";
import { databaseFile } from "../../main/storage/database.ts";
import type { Environment, Place, Settings } from "./command.ts";
import { type Candidate, type Candidates, candidatesOn, machineOf } from "./found-services.ts";
import { becomeOwner } from "./owner.ts";
import { flagsIn, settingsIn } from "./settings.ts";
import { REFUSED, Stop, USAGE } from "./stop.ts";

export type Chosen = Settings & { readonly place: Place; readonly environment: Environment };

type Values = Readonly<Record<string, unknown>>;

const DATA = ["CAIRN_DATA_DIR", "CAIRN_DATABASE_URL"];

const ROOT = 0;

/**
 * The service that a command is about: the one that its options and variables name, else the ledger in this folder,
 * else the one that is found on this machine. A Stop when there are several, or one that this user may not read.
 */
export function chooseService(values: Values, environment: Environment): Chosen {
  const named = { ...environment, ...flagsIn(values) };
  if (DATA.some((variable) => named[variable]))
    return settled(settingsIn(values, environment), environment, { how: "named" });
  const ownSettings = settingsIn(values, environment);
  const { configuration } = ownSettings;
  if (!isNothingAt(databaseFile(configuration)))
    return settled(ownSettings, environment, { how: "here" });
  const service = onlyOne(candidatesOn(machineOf(environment)));
  if (service === null) return settled(ownSettings, environment, { how: "nothing" });
  const found = { ...service.settings, ...environment };
  return settled(settingsIn(values, found), environment, { how: "found", service });
}

type Way =
  | { readonly how: "named" | "here" | "nothing" }
  | { readonly how: "found"; readonly service: Candidate };

/** Takes on the owner of the data folder, and looks whether a service runs there. */
function settled(settings: Settings, environment: Environment, way: Way): Chosen {
  const { dataDir } = settings.configuration;
  const isThere = !isNothingAt(dataDir);
  const service = way.how === "found" ? way.service : null;
  if (service !== null) demandOwner(service, dataDir, isThere);
  const owned = isThere ? becomeOwner(dataDir, environment) : environment;
  const running = service?.record ?? serviceOn(dataDir);
  const place = { how: way.how, note: noteOf(dataDir, way), running };
  return { ...settings, place, environment: owned };
}

/** What another user than root says is used as that user alone, and of its own folder. */
function demandOwner({ source, asUid }: Candidate, dataDir: string, isThere: boolean): void {
  if (ownUid() !== ROOT) return;
  if (!isThere)
    throw new Stop(
      REFUSED,
      `${source} names the data folder ${dataDir}, which is not there: make it, for the user of the service.`,
    );
  if (asUid !== ROOT && asUid !== statSync(dataDir).uid)
    throw new Stop(
      REFUSED,
      `${source} names the data folder ${dataDir}, which belongs to another user. Name it with --data-dir if that is right.`,
    );
}

function noteOf(dataDir: string, way: Way): string | null {
  if (way.how === "named") return null;
  const where = {
    here: "the ledger in this folder",
    nothing: "no ledger is in this folder, and no service was found on this machine",
    found: way.how === "found" ? way.service.source : "",
  }[way.how];
  return `data: ${dataDir} (${where})`;
}

function onlyOne({ found, denied }: Candidates): Candidate | null {
  const [first = null, ...others] = found;
  if (others.length > 0 || (first !== null && denied.length > 0))
    throw new Stop(USAGE, severalOf(found, denied));
  if (first === null && denied.length > 0)
    throw new Stop(
      REFUSED,
      `A service is on this machine, and this user may not read ${denied.join(", ")}. Run the command as root or as the user of the service, or name a data folder with --data-dir.`,
    );
  return first;
}

const severalOf = (found: readonly Candidate[], denied: readonly string[]): string =>
  [
    "Several services are on this machine. Name one with --data-dir or --database-url:",
    ...found.map(({ source, settings }) => `  ${settings["CAIRN_DATA_DIR"]}  (${source})`),
    ...denied.map((path) => `  ${path}, which this user may not read`),
  ].join("\n");
