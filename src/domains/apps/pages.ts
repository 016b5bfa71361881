import type { Db } from "../../platform/db/engine.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import * as sql from "./queries.ts";
import { SLUG } from "./rules.ts";

/** A hosted page, byte for byte as its author sent it. */
export interface HostedPage {
  readonly html: Uint8Array;
  /** Lower-case hex. */
  readonly html_sha256: string;
}

/** The page at a slug. Rejects with `app_not_found`, or 410 `app_hidden`. */
export async function hostedPage(read: Db, slug: string): Promise<HostedPage> {
  const page = SLUG.test(slug) ? await sql.pageBySlug.first(read, { slug }) : undefined;
  if (page?.html_sha256 == null) {
    throw new Rejection(
      "app_not_found",
      "No application is hosted here. GET /api/v1/apps lists all.",
    );
  }
  if (page.hidden_at !== null)
    throw new Rejection(
      "app_hidden",
      "The operator has hidden this application; GET /api/v1/app/{id} shows it.",
    );
  return { html: page.html, html_sha256: page.html_sha256 };
}
