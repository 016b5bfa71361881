import { type Html, html, type Part } from "../../platform/kernel/html.ts";
import { csrfOf, type Session } from "./access.ts";
import { type ConsoleParts, type Report, RUN_NAMES, type RunName } from "./parts.ts";
import { timeOf } from "./view.ts";

const TITLES: Readonly<Record<RunName, string>> = {
  verify: "Verify now",
  audit: "Audit now",
  doctor: "Run doctor",
};

/** Buttons that start a look at everything, and what the last ones have found. */
export function reportsOf(
  { runs, context }: Pick<ConsoleParts, "runs" | "context">,
  session: Session,
): Part {
  if (runs === null) return null;
  const now = context.clock.now();
  const running = runs.running();
  const button = (name: RunName): Html =>
    html`<form method="post" action="run/${name}"><input type="hidden" name="csrf" value="${csrfOf(session, `run/${name}`)}"><button${running === null ? null : html` disabled`}>${TITLES[name]}</button></form>`;
  const state =
    running === null
      ? html`<p>Each is a process of its own, and runs beside the service.</p>`
      : html`<p role="status" data-reload>cairn ${running.name} runs since ${timeOf(running.began_at, now)}. Its report will stand here.</p>`;
  return html`<h2>Reports</h2><div class="runs">${RUN_NAMES.map(button)}</div>${state}${runs.list().length === 0 && running !== null ? null : listOf(runs.list(), now, (file) => /^WARNING/m.test(runs.read(file) ?? ""))}`;
}

function listOf(reports: readonly Report[], now: number, warns: (file: string) => boolean): Html {
  if (reports.length === 0) return html`<p class="none">There is none.</p>`;
  const line = ({ file, name, began_at, exit_code }: Report): Html => {
    const verdict =
      exit_code !== 0
        ? html`<strong class="bad">exit code ${exit_code}</strong>`
        : warns(file)
          ? html`<strong>with warnings</strong>`
          : html`<strong class="good">all is well</strong>`;
    return html`<li><a href="report/${file}">${name}</a> ${timeOf(began_at, now)} ${verdict}</li>\n`;
  };
  return html`<ul>${reports.map(line)}</ul>`;
}
