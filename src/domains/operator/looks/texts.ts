import * as z from "zod";
import { hiddenContent } from "../../repositories/files/hiding.ts";
import { textIn } from "../../repositories/files/reading.ts";
import { textHide, textShow } from "../acts/texts.ts";
import { type Look, list, offered } from "../look.ts";
import { onOrOff } from "../values.ts";
import * as sql from "./text-queries.ts";

const textList = list({
  name: "text list",
  summary: "list the texts that `text hide` keeps out of sight, the newest first",
  about: "Posts and applications have lists of their own: `cairn post list --hidden`.",
  input: z.object({ erased: onOrOff.describe("those that are erased for good instead") }),
  columns: [
    { key: "kind", title: "kind", as: "word" },
    { key: "ref", title: "id", as: "word" },
    { key: "hidden_at", title: "hidden", as: "time" },
    { key: "erased_at", title: "erased", as: "time" },
    { key: "body", title: "text", as: "text" },
  ],
  acts: () => [offered(textHide), offered(textShow)],
  goesOn: null,
  async rows({ read }, { erased }, { limit }) {
    const rows = await sql.removedTexts.all(read, { erased: erased || undefined, limit });
    return rows.map(({ body, ...row }) => ({
      ...row,
      body: row.kind === "file" && body !== null ? textIn(hiddenContent(body)) : body,
    }));
  },
});

export const TEXT_LOOKS: readonly Look[] = [textList];
