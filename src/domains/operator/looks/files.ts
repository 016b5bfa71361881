import * as z from "zod";
import { startOf } from "../../../platform/kernel/text.ts";
import { hiddenText } from "../../removals/queries.ts";
import { inflated } from "../../repositories/files/deflating.ts";
import { hiddenContent } from "../../repositories/files/hiding.ts";
import { textIn } from "../../repositories/files/reading.ts";
import { filePurge } from "../acts/contents.ts";
import { textHide, textShow } from "../acts/texts.ts";
import { AGENT, CREATED } from "../columns.ts";
import { type Column, list, offered, thing } from "../look.ts";
import { id, sha256Name } from "../values.ts";
import * as sql from "./file-queries.ts";

/** Characters of a file that its page shows, and places of it. */
const SHOWN_LENGTH = 20_000;
const PLACES_MAX = 50;

const SHA256: Column = { key: "sha256", title: "content", as: "word", opens: "file show" };
const BYTES: Column = { key: "bytes", title: "size", as: "bytes" };
const GONE: Column = { key: "purged_at", title: "removed", as: "time" };
const PLACE: readonly Column[] = [
  { key: "repository", title: "repository", as: "id" },
  { key: "path", title: "path", as: "text" },
  { key: "commit_id", title: "commit", as: "id" },
];

const fileList = list({
  name: "file list",
  summary: "list the files that the newest commits brought or deleted",
  about: "A row without a content is a deleted file. `cairn file show CONTENT` has its text.",
  input: z.object({ repository: id.optional().describe("those of one repository") }),
  columns: [...PLACE, AGENT, CREATED, BYTES, GONE, SHA256],
  goesOn: null,
  rows: ({ read }, { repository }, { limit }) => sql.changedFiles.all(read, { repository, limit }),
});

const fileShow = thing({
  name: "file show",
  summary: "show the content of a file, and where it stands",
  acts: ({ row: { sha256, purged_at, kept } }) => {
    const text = { kind: "file", id: sha256 };
    if (kept === true) return [offered(textShow, text)];
    return purged_at === null ? [offered(textHide, text), offered(filePurge, { sha256 })] : [];
  },
  input: z.object({ sha256: sha256Name.describe("its SHA-256, as the list of files shows it") }),
  operands: ["sha256"],
  columns: [
    { key: "sha256", title: "content", as: "word" },
    BYTES,
    { ...AGENT, title: "first sent by" },
    CREATED,
    GONE,
    { key: "kept", title: "only hidden", as: "word" },
    { key: "purge_reason", title: "reason", as: "text" },
    { key: "text", title: "text", as: "text" },
  ],
  async see({ read, reject }, { sha256 }) {
    const [found, rows] = await Promise.all([
      sql.content.first(read, { sha256 }),
      sql.placesOf.all(read, { sha256, limit: PLACES_MAX }),
    ]);
    if (found === undefined)
      return reject("file_not_found", "No repository has ever held this content.");
    const { deflated, ...row } = found;
    const hidden = await hiddenText.first(read, { kind: "file", ref: sha256, field: "deflated" });
    const kept = hidden !== undefined;
    const bytes = kept ? hiddenContent(hidden.body) : await inflated(deflated);
    const text = kept || row.purged_at === null ? textIn(bytes) : null;
    const shown = text === null ? null : startOf(text, SHOWN_LENGTH);
    const title = `Where it stands, the newest ${PLACES_MAX}`;
    return {
      row: { ...row, kept, text: shown },
      lists: [{ name: "places", title, columns: PLACES, rows }],
    };
  },
});

const PLACES: readonly Column[] = [
  ...PLACE,
  { key: "name", title: "name", as: "text" },
  { key: "replaced_by", title: "until commit", as: "id" },
];

export const FILE_LOOKS = [fileList, fileShow];
