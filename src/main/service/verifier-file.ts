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

/** In the package it stands beside the program, in a checkout where it is built. */
const PLACES = ["./verify.mjs", "../../../packages/verify/verify.mjs"];

export function readVerifier(): VerifierFile {
  const place = PLACES.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));
  if (place === undefined) throw new Error("packages/verify/verify.mjs is missing.");
  const text = readFileSync(place, "utf8");
  return { text, sha256: hash("sha256", text), version: PACKAGE_VERSION };
}
