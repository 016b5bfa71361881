import * as z from "zod";
import { bytesOf } from "../../../client/transport.ts";
import { HTML_MAX_BYTES } from "../../../domains/apps/rules.ts";
import { contracts } from "../../../domains/contracts.ts";
import { sha256 } from "../../../platform/ledger/sha256.ts";
import { Stop, UNREADABLE } from "../../command/stop.ts";
import { compared } from "./compare.ts";
import type { Filled } from "./filling.ts";
import type { Question } from "./reading/look.ts";
import { type Answered, REFUSED, type Reader } from "./reading/reader.ts";
import type { Sample } from "./reading/sample.ts";
import { refusedSeen } from "./seen.ts";

/** Where applications are hosted, which is no operation of the contracts. */
export const HOSTED_PAGES = "/app/{slug}";

/** The page of each hosted application that is not hidden, by the hash of its bytes. */
export function pageQuestions(filled: Filled, sample: Sample, reader: Reader): readonly Question[] {
  const row = filled.connection.database.prepare(
    "SELECT html_sha256, html_bytes FROM app WHERE id = ? AND hidden_at IS NULL",
  );
  const hosted = filled.connection.database
    .prepare("SELECT id FROM app WHERE html_sha256 IS NOT NULL AND hidden_at IS NULL ORDER BY id")
    .all()
    .map(({ id }) => Number(id));
  return sample.of("page", hosted).map((id) => ({
    route: HOSTED_PAGES,
    asked: { id },
    read: () => readPage(reader, id),
    async compare({ body, bytes }) {
      const made = row.get(id);
      const code = body[REFUSED];
      if (made === undefined || code !== undefined)
        return refusedSeen(code, made === undefined ? "hidden" : undefined);
      const { html_sha256, html_bytes } = made;
      const both = { html_sha256, html_bytes };
      const answer = { shown: body, first: both, second: both };
      return compared(answer, PAGE, { isUntold: () => false, bytes, isNewer: false, page: null });
    },
  }));
}

const PAGE = z.object({ html_sha256: z.string(), html_bytes: z.int() });

async function readPage(reader: Reader, id: number): Promise<Answered> {
  const answered = await reader.read(contracts.apps.get, { id });
  const { app } = answered.body;
  const { slug, url } = Object(app);
  if (Object.hasOwn(answered.body, REFUSED)) return answered;
  if (typeof slug !== "string") return { body: { [REFUSED]: "no slug" }, bytes: 0 };
  const page = `${reader.address}/app/${encodeURIComponent(slug)}`;
  const found = await pageAt(reader, page);
  // An application with an origin of its own has only the way to it here.
  const isElsewhere = found.status >= 300 && found.status < 400 && URL.canParse(String(url));
  const response = isElsewhere ? await pageAt(reader, String(url)) : found;
  if (!response.ok) return { body: { [REFUSED]: `status ${response.status}` }, bytes: 0 };
  const bytes = Buffer.concat(await read(Array.fromAsync(bytesOf(response, HTML_MAX_BYTES)), page));
  const body = { html_sha256: sha256(bytes).toHex(), html_bytes: bytes.length };
  return { body, bytes: bytes.length };
}

async function pageAt(reader: Reader, url: string): Promise<Response> {
  await reader.turn();
  return read(fetch(url, { redirect: "manual" }), url);
}

const read = <T>(reading: Promise<T>, url: string): Promise<T> =>
  reading.catch((error: unknown) => {
    throw new Stop(UNREADABLE, `${url} cannot be read.`, error);
  });
