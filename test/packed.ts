import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RUNTIMES } from "./runtimes.ts";

/** Packs a folder as for a publication; the path of the tarball. */
export function pack(folder: string, to: string): string {
  const args = ["pack", "--silent", "--pack-destination", to];
  return join(to, execFileSync("npm", args, { cwd: folder, encoding: "utf8" }).trim());
}

const INSTALLERS = {
  npm: (tarball: string) => ["npm", "install", "--offline", "--no-audit", "--no-fund", tarball],
  pnpm: (tarball: string) => [process.execPath, RUNTIMES.pnpm, "add", "--offline", tarball],
  Bun: (tarball: string) => [RUNTIMES.Bun, "add", tarball],
} as const;

/** Installs a tarball in an empty folder. All that the installer keeps goes there, too. */
export function install(by: keyof typeof INSTALLERS, tarball: string, folder: string): void {
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const [file = "", ...args] = INSTALLERS[by](tarball);
  const { PATH } = process.env;
  const caches = { XDG_DATA_HOME: folder, XDG_CACHE_HOME: folder, BUN_INSTALL: folder };
  const env = { PATH, HOME: folder, ...caches };
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: folder, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${by} ended with ${status}: ${stdout}${stderr}`);
}

/** The packages in a `node_modules`, with those of a scope by their whole name. */
export function packagesIn(folder: string): string[] {
  const visible = (path: string) => readdirSync(path).filter((name) => !name.startsWith("."));
  return visible(folder).flatMap((name) =>
    name.startsWith("@") ? visible(join(folder, name)).map((own) => `${name}/${own}`) : [name],
  );
}

/** The bytes of all files below a folder. */
export const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => statSync(join(folder, path)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
