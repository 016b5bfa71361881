import { contracts } from "../../../contracts.ts";
import { sha256 } from "../../../ledger/sha256.ts";
import { boundedFetch } from "../../command/bounded-fetch.ts";
import { Stop, UNREADABLE } from "../../command/stop.ts";
import { is, ofRow } from "./compare/rule.ts";
import type { Ledger } from "./ledger.ts";
import type { Question } from "./reading/look.ts";
import { type Answered, REFUSED, type Reader } from "./reading/reader.ts";
import type { Sample } from "./reading/sample.ts";

/** Where applications are hosted, which is no operation of the contracts. */
export const HOSTED_PAGES = "/app/{slug}";

/** A hosted page by the hash of its bytes. */
const page = ofRow<{ readonly html_sha256: string; readonly html_bytes: number }>(
  "app",
  (_, { asked }) => `app ${asked["id"]}`,
  { html_sha256: is("html_sha256"), html_bytes: is("html_bytes") },
);

/** The page of each hosted application that is not hidden. */
export function pageQuestions(ledger: Ledger, sample: Sample, reader: Reader): readonly Question[] {
  const isHosted = (id: number): boolean => {
    const row = ledger.row("app", `app ${id}`);
    return row?.["html_sha256"] !== undefined && row["hidden_at"] === null;
  };
  return sample.of("page", ledger.ids("app").filter(isHosted)).map((id) => ({
    route: HOSTED_PAGES,
    asked: { id },
    rule: page,
    read: () => readPage(reader, id),
  }));
}

async function readPage(reader: Reader, id: number): Promise<Answered> {
  const answered = await reader.read(contracts.apps.get, { id });
  const { app } = answered.body;
  const { slug, url } = Object(app);
  if (Object.hasOwn(answered.body, REFUSED)) return answered;
  if (typeof slug !== "string") return { body: { [REFUSED]: "no slug" }, bytes: 0 };
  const found = await pageAt(reader, `${reader.address}/app/${encodeURIComponent(slug)}`);
  // An application with an origin of its own has only the way to it here.
  const isElsewhere = found.status >= 300 && found.status < 400 && URL.canParse(String(url));
  const response = isElsewhere ? await pageAt(reader, String(url)) : found;
  if (!response.ok) return { body: { [REFUSED]: `status ${response.status}` }, bytes: 0 };
  const bytes = new Uint8Array(await response.arrayBuffer());
  const body = { html_sha256: sha256(bytes).toHex(), html_bytes: bytes.length };
  return { body, bytes: bytes.length };
}

async function pageAt(reader: Reader, url: string): Promise<Response> {
  await reader.turn();
  return boundedFetch(url, { redirect: "manual" }).catch((error: unknown) => {
    throw new Stop(UNREADABLE, `${url} cannot be read.`, error);
  });
}
