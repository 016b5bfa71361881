import { isInside, LOOPBACK, parseAddress } from "../../platform/kernel/address.ts";
import { type Configuration, readConfiguration } from "./settings.ts";

/**
 * The settings of a rehearsal. Few are taken: folder, addresses, log. All others would let it speak to somebody: nodes,
 * witnesses, hooks, backups, or another database. Throws a sentence where strangers could reach it.
 */
export function rehearsed(asked: Configuration): Configuration {
  const { dataDir, databaseUrl, host, port, adminHost, adminPort, logLevel, logFormat } = asked;
  if (databaseUrl !== null)
    throw new Error(`${dataDir} is a rehearsal on SQLite: leave out CAIRN_DATABASE_URL.`);
  for (const [name, address] of Object.entries({ CAIRN_HOST: host, CAIRN_ADMIN_HOST: adminHost }))
    if (!isLoopback(address))
      throw new Error(`${dataDir} is a rehearsal: ${name} has to be a loopback address.`);
  const own = { dataDir, host, port, adminHost, adminPort, logLevel, logFormat };
  return { ...readConfiguration({}), ...own };
}

function isLoopback(host: string): boolean {
  const address = parseAddress(host);
  return address === null ? host === "localhost" : isInside(address, LOOPBACK);
}
