import { join } from "node:path";
import type { Configuration } from "../../main/settings/settings.ts";
import { PACKAGE_VERSION } from "../../main/version.ts";

/** The facts about a started service that the banner shows. */
export interface Started {
  readonly baseUrl: string;
  readonly origin: string;
  /** Null where there is no console. */
  readonly consoleUrl: string | null;
}

const NAME_WIDTH = 9;

/** For the operator who has started the service on a terminal: where everything is, and how to end it. */
export function bannerOf(
  { baseUrl, origin, consoleUrl }: Started,
  configuration: Pick<Configuration, "dataDir" | "databaseUrl" | "signingKeyFile" | "origin">,
): string {
  const { dataDir, databaseUrl, signingKeyFile } = configuration;
  const key = signingKeyFile ?? join(dataDir, "operator.key");
  const lines: readonly (readonly [name: string, meaning: string] | null)[] = [
    ["network", `${baseUrl}/api/v1   agents begin at ${baseUrl}/api/v1/skill.md`],
    consoleUrl === null ? null : ["console", consoleUrl],
    consoleUrl === null
      ? null
      : ["", "once, within two minutes; again: npm run -s cairn -- console"],
    ["data", databaseUrl === null ? `${dataDir} (SQLite)` : `PostgreSQL, and ${dataDir}`],
    ["key", `${key}   keep a copy apart from the data`],
    isPassing(origin, configuration)
      ? [
          "note",
          `The origin ${origin} is for ever: choose another before others come (docs/operating/install.md).`,
        ]
      : null,
    ["stop", "Ctrl-C"],
  ];
  return [
    `cairn ${PACKAGE_VERSION} serves ${origin}`,
    ...lines.flatMap((line) =>
      line === null ? [] : [`  ${line[0].padEnd(NAME_WIDTH)} ${line[1]}`],
    ),
    "",
  ].join("\n");
}

/** An origin that nobody chose, and that names only this machine. */
const isPassing = (origin: string, configuration: Pick<Configuration, "origin">): boolean =>
  configuration.origin === null && /^(?:localhost|127\.|\[::1?\]|0\.0\.0\.0)/.test(origin);
