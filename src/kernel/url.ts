/** The URL that a text is; null where it is none. `URL.canParse` is younger than the oldest browsers of the client. */
export function urlIn(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
