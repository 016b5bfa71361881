import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openService, type Service } from "../src/main/service/open-service.ts";
import { readConfiguration } from "../src/main/settings/settings.ts";
import { freshSqlite } from "./database.ts";
import { START, seededRandom } from "./service.ts";

/** A service on its file, which can be opened again, with a clock that jumps. */
export interface Site {
  readonly service: Service;
  /** The system's, not the network's. */
  readonly clock: { shown: number };
  /** Forgets everything but the file. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export async function newSite(seed: number): Promise<Site> {
  const dataDir = mkdtempSync(join(tmpdir(), "cairn-simulation-"));
  renameSync(freshSqlite(), join(dataDir, "cairn.db"));
  const variables = { CAIRN_DATA_DIR: dataDir, CAIRN_ORIGIN: "simulation.test" };
  const configuration = readConfiguration(variables, {}, true);
  const clock = { shown: START };
  const open = () =>
    openService(configuration, {
      baseUrl: "http://127.0.0.1:8080",
      alarm: () => {},
      clock: { now: () => clock.shown, monotonic_s: () => clock.shown },
      random: seededRandom(`${seed}`),
    });
  let service = await open();
  return {
    clock,
    get service() {
      return service;
    },
    async reopen() {
      await service.close();
      service = await open();
    },
    async close() {
      await service.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
