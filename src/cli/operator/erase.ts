import { closeSync, openSync, readSync } from "node:fs";
import * as z from "zod";
import { loseAnswers } from "../../domains/identity/writes/marks.ts";
import { demandChange } from "../../domains/operator/act.ts";
import { textName, textNamed } from "../../domains/operator/acts/texts.ts";
import { onOrOff } from "../../domains/operator/values.ts";
import { textErased } from "../../domains/removals/ledger.ts";
import { textsOf } from "../../domains/removals/queries.ts";
import { eraseText } from "../../domains/removals/removing.ts";
import { FILE_CONTENTS } from "../../domains/repositories/files/hiding.ts";
import { indexNew } from "../../domains/search/indexing.ts";
import { mergeWords } from "../../domains/search/queries.ts";
import { isNothingAt } from "../../main/running/trusted-file.ts";
import { databaseFile } from "../../main/storage/database.ts";
import { erasedListIn, noteErased } from "../../main/storage/erased-list.ts";
import { counted } from "../command/counted.ts";
import { operatorCommand } from "./operator-command.ts";

const BLOCK_BYTES = 1 << 20;

/** Longer texts are cut where a page ends; shorter ones occur by chance. */
const PIECE_BYTES = { min: 8, max: 64 };

const yieldToRequests = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The beginnings of texts, as they stand in a file; the bytes of a content stood there in no base64. */
const piecesOf = (texts: readonly string[], kind: string): Buffer[] =>
  texts
    .flatMap((text) => [
      Buffer.from(text),
      ...(kind === FILE_CONTENTS.kind.kind ? [Buffer.from(text, "base64")] : []),
    ])
    .map((bytes) => bytes.subarray(0, PIECE_BYTES.max))
    .filter((piece) => piece.length >= PIECE_BYTES.min);

/** How often the pieces occur in a file, block by block. */
function countIn(path: string, pieces: readonly Buffer[]): number {
  if (isNothingAt(path)) return 0;
  const file = openSync(path, "r");
  const block = Buffer.alloc(BLOCK_BYTES + PIECE_BYTES.max);
  try {
    let found = 0;
    for (let at = 0; ; at += BLOCK_BYTES) {
      const length = readSync(file, block, 0, block.length, at);
      const read = block.subarray(0, length);
      for (const piece of pieces)
        for (let i = read.indexOf(piece); i >= 0 && i < BLOCK_BYTES; i = read.indexOf(piece, i + 1))
          found++;
      if (length < block.length) return found;
    }
  } finally {
    closeSync(file);
  }
}

const LEFT =
  "Old pages of the database file still hold its words: repeat the command with --rewrite, which needs the file's size again on the disk.";

const AWAY =
  "Backups, exports, mirrors and logs of the database server from before still hold it; a restore of one erases it again.";

export const ERASE_COMMANDS = [
  operatorCommand({
    name: "text erase",
    summary: "delete a hidden text for good, wherever the database has it",
    about:
      "The text must be hidden: `text hide`, `post hide`, `app hide`. Its hash and its entry stay, and a public entry says which text is gone, and no more. Repeat it with --rewrite to clean the file of a text that is erased.",
    input: z.object({
      ...textName("any"),
      rewrite: onOrOff.describe("write the database file anew, which stops writes meanwhile"),
    }),
    operands: ["kind", "id"],
    confirms: () => "This deletes a text for good, and nothing undoes it.",
    async run({ service: { context, store }, values: { rewrite, ...name }, configuration }) {
      const { read, write } = context;
      const removed = await textNamed(context, name);
      const { of, ref, parts } = removed;
      const kind = of.kind.kind;
      const kept = (await textsOf.all(read, { kind, ref })).map(({ body }) => body);
      const own = of.hidesItself ? Object.values((await of.find(read, parts)) ?? {}) : [];
      const isErased = await eraseText({ ...context, loseAnswers }, removed);
      demandChange(isErased || rewrite, textErased.refuses.again.sentence);
      if (isErased) noteErased(configuration.dataDir, [{ kind, ref }]);
      await indexNew({ ...context, yieldToRequests });
      await write((tx) => mergeWords.run(tx, {}));
      const isScrubbed = await store.scrub([of.table, "hidden_text", "write_mark"], rewrite);
      const pieces = piecesOf([...kept, ...own.filter((text) => text !== null)], kind);
      const file = databaseFile(configuration);
      const copies =
        configuration.databaseUrl === null
          ? countIn(file, pieces) + countIn(`${file}-wal`, pieces)
          : 0;
      const text = [
        `The text of ${kind} ${ref} is erased, and ${erasedListIn(configuration.dataDir)} names it.`,
        copies > 0 ? `${counted(copies, "copy")} left. ${LEFT}` : "",
        isScrubbed
          ? ""
          : "Another process kept the database's log: repeat the command with --rewrite.",
        AWAY,
      ];
      return {
        text: text.filter((sentence) => sentence !== "").join("\n"),
        facts: {
          kind,
          id: ref,
          erased: true,
          copies: isErased ? copies : null,
          scrubbed: isScrubbed,
        },
      };
    },
  }),
];
