import { deflateSync, inflateSync } from "node:zlib";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import type { Removable, TextsOf } from "../../removals/removable.ts";
import { gitId, REMOVED_CONTENT } from "./git-objects.ts";
import { renaming } from "./history.ts";
import * as sql from "./queries.ts";

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

/** The stand-in of a content as git keeps it, in the form of the texts that are kept while they are hidden. */
const STAND_IN = base64Of(deflateSync(REMOVED_CONTENT));

/** The bytes of a content as `hidden_text` keeps them: deflated, in base64. */
export const hiddenContent = (body: string): Buffer => inflateSync(Buffer.from(body, "base64"));

/** A content or its stand-in, as git keeps it. */
function placeOf(to: TextsOf) {
  const deflated = Buffer.from(to["deflated"] ?? STAND_IN, "base64");
  return { deflated, git_sha1: gitId("blob", inflateSync(deflated)) };
}

/**
 * A content of repositories, by its SHA-256. While it is hidden it is missing as after a purge: clones find a
 * sentence, no commit may bring it, and the git ids of the commits from its first one on are others.
 */
export const FILE_CONTENTS: Removable = {
  kind: { kind: "file", ref: "<content>" },
  table: "repository_blob",
  row: { sha256: "content" },
  texts: { deflated: STAND_IN },
  hidesItself: false,
  async find(read, { content: sha256 = "" }) {
    const found = await sql.keptContent.first(read, { sha256 });
    return found && { deflated: base64Of(found.deflated) };
  },
  isHidden: async () => false,
  async put(tx, { parts: { content: sha256 = "" }, to, at }) {
    const { deflated, git_sha1 } = placeOf(to);
    const purged_at = to["deflated"] === STAND_IN ? at : null;
    if (purged_at === null && (await sql.blob.first(tx, { git_sha1 })) !== undefined)
      throw new Rejection("invalid_state", "Another content has the same SHA-1 meanwhile.");
    await sql.setContent.run(tx, { sha256, git_sha1, deflated, purged_at });
  },
  around: (read, { parts: { content: sha256 = "" }, to }, write) =>
    renaming(read, { sha256, git_sha1: placeOf(to).git_sha1 }, write),
  authorOf: async (read, { content: sha256 = "" }) =>
    (await sql.firstSender.first(read, { sha256 }))?.agent_id,
};
