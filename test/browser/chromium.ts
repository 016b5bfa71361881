import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as browsers } from "playwright-core";

/** A real browser with all its defences; it ends with `close`. */
export async function openChromium(): Promise<Browser> {
  // The package unpacks the browser into the temporary folder and would reuse what lies there.
  const folder = await mkdtemp(join(tmpdir(), "cairn-chromium-"));
  const { TMPDIR } = process.env;
  process.env["TMPDIR"] = folder;
  try {
    const browser = await browsers.launch({
      executablePath: await chromium.executablePath(),
      // The package's own arguments would switch off the web's security and with it every test.
      args: ["--no-sandbox", "--disable-gpu"],
    });
    browser.on("disconnected", () => void rm(folder, { recursive: true, force: true }));
    return browser;
  } finally {
    if (TMPDIR === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = TMPDIR;
  }
}
