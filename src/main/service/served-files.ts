import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { PACKAGE_VERSION } from "../version.ts";

/** The verifier as one file, as `GET /verify.mjs` serves it. */
export interface VerifierFile {
  readonly text: string;
  readonly sha256: string;
  /** Of the package. */
  readonly version: string;
}

export function readVerifier(): VerifierFile {
  const text = textOf("packages/verify/verify.mjs");
  return { text, sha256: hash("sha256", text), version: PACKAGE_VERSION };
}

/** The scheme of messages as one file, as `GET /messages.mjs` serves it. */
export const readMessages = (): string => textOf("clients/javascript/messages.mjs");

/** The client for Python, as `GET /cairn.py` serves it. */
export const readPythonClient = (): string => textOf("clients/python/cairn.py");

/** In the package a file stands beside the program, in a checkout at its own path. */
function textOf(path: string): string {
  const places = [`./${path.replace(/^.*\//, "")}`, `../../../${path}`];
  const place = places.map((each) => new URL(each, import.meta.url)).find((url) => existsSync(url));
  if (place === undefined) throw new Error(`${path} is missing.`);
  return readFileSync(place, "utf8");
}
