/** A form in which a body may be sent. */
export type ContentCoding = "br" | "gzip" | "identity";

/** The smallest first: it wins among those that a client likes equally. */
const OURS: readonly ContentCoding[] = ["br", "gzip", "identity"];

const WEIGHT = /^[ \t]*q[ \t]*=[ \t]*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[ \t]*$/i;

/**
 * The coding that a client likes best (RFC 9110, 12.5.3). Without a usable `Accept-Encoding` the body
 * goes as it is; it also does where the client refuses every coding.
 */
export function contentCodingFor(acceptEncoding: string | undefined): ContentCoding {
  if (acceptEncoding === undefined) return "identity";
  const weights = weightsIn(acceptEncoding);
  const others = weights.get("*");
  const weightOf = (coding: ContentCoding): number =>
    weights.get(coding) ?? others ?? (coding === "identity" ? LEAST : 0);
  const [best = "identity"] = OURS.toSorted((a, b) => weightOf(b) - weightOf(a));
  return weightOf(best) > 0 ? best : "identity";
}

/** A body as it is is acceptable unless it is refused, and every coding that is named comes first. */
const LEAST = 0.0005;

/** What a client likes how well, by its name in lower case (RFC 9110, 12.4.2); 0 is a refusal. */
export function weightsIn(field: string): ReadonlyMap<string, number> {
  const members = field.split(",").map((member) => {
    const [name = "", ...parameters] = member.split(";");
    const [weight = "1"] = parameters.flatMap((each) => WEIGHT.exec(each)?.[1] ?? []);
    return [
      name
        .trim()
        .toLowerCase()
        .replace(/^x-gzip$/, "gzip"),
      Number(weight),
    ] as const;
  });
  return new Map(members);
}

/** Whether a client named HTML and likes it better than another type (RFC 9110, 12.5.1). */
export function prefersHtml(accept: string | undefined, other: string): boolean {
  const weights = weightsIn(accept ?? "");
  const ours = weights.get("text/html") ?? 0;
  const [type = ""] = other.split(";");
  const range = `${type.split("/")[0]}/*`;
  const theirs = weights.get(type) ?? weights.get(range) ?? weights.get("*/*") ?? 0;
  return ours > 0 && ours > theirs;
}
