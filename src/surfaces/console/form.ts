import type * as z from "zod";
import { type Act, warningOf } from "../../domains/operator/act.ts";
import { type Field, fieldsOf } from "../../domains/operator/fields.ts";
import type { Look } from "../../domains/operator/look.ts";
import { type Html, html } from "../../platform/kernel/html.ts";
import { slugOf, withCommands } from "./view.ts";

/** Texts that a form or a query sent, by the keys of its fields. */
export type Sent = Readonly<Record<string, string>>;

/** Longer texts get a field of several lines. */
const LONG: readonly string[] = ["description", "body"];

/** The label of a value: `bounty days`. */
const labelOf = (key: string): string => key.replaceAll("_", " ");

/** A field of a form: `of` distinguishes the fields of several forms on one page. */
interface Shown {
  readonly field: Field;
  readonly value: string;
  readonly of: string;
  /** The name of the thing that the page is about stays as it is. */
  readonly isFixed: boolean;
}

function inputOf({ field, value, of, isFixed }: Shown): Html {
  const { key, as, choices, labels, isNeeded, meaning } = field;
  const id = `${of}-${key}`;
  const described = meaning === undefined ? null : html` aria-describedby="${id}-about"`;
  const common = html` id="${id}" name="${key}"${described}${isNeeded ? html` required` : null}`;
  if (as === "switch")
    return html`<input type="checkbox"${common} value="on"${value === "on" ? html` checked` : null}>`;
  if (choices !== null) {
    const none = isFixed
      ? null
      : isNeeded
        ? html`<option value="" disabled${value === "" ? html` selected` : null}>choose</option>`
        : html`<option value=""></option>`;
    const options = (isFixed ? [value] : choices).map(
      (choice) =>
        html`<option value="${choice}"${choice === value ? html` selected` : null}>${choice}${labels[choice] === undefined ? "" : `: ${labels[choice]}`}</option>`,
    );
    return html`<select${common}>${none}${options}</select>`;
  }
  if (LONG.includes(key)) return html`<textarea${common} rows="5">${value}</textarea>`;
  return html`<input type="text"${common} value="${value}" autocomplete="off"${isFixed ? html` readonly` : null}>`;
}

function fieldOf(shown: Shown): Html {
  const { key, meaning } = shown.field;
  const id = `${shown.of}-${key}`;
  const about =
    meaning === undefined ? null : html`<small id="${id}-about">${withCommands(meaning)}</small>`;
  return html`<p class="field"><label for="${id}">${labelOf(key)}</label>${inputOf(shown)}${about}</p>\n`;
}

/** Links lead from page to page of a list, so nobody types where it goes on. */
const PAGING = ["limit", "before", "after"];

/** A form that narrows a list; nothing where it takes no value. */
export function filterOf(name: string, input: z.ZodObject, sent: Sent): Html | null {
  const fields = fieldsOf(input).filter(({ key }) => !PAGING.includes(key));
  if (fields.length === 0) return null;
  const shown = fields.map((field) =>
    fieldOf({ field, value: sent[field.key] ?? "", of: "filter", isFixed: false }),
  );
  return html`<form class="filter" method="get" action="look/${slugOf(name)}">${shown}<p><button>${name === "find" ? "Find" : "Show"}</button></p></form>`;
}

interface ActForm {
  readonly act: Act;
  readonly sent: Sent;
  readonly csrf: string;
  readonly nonce: string;
  /** Where the form stands. */
  readonly from: string;
}

/** The form of an act. One that nothing undoes has a box to tick; one of money wants its id typed once more. */
export function actForm({ act, sent, csrf, nonce, from }: ActForm): Html {
  const kinds = (act.operands ?? []).slice(0, -1).map((key) => sent[key] ?? "");
  const of = slugOf([act.name, ...kinds].join(" "));
  const asked = fieldsOf(act.input).filter(({ key }) => !act.commandOnly?.includes(key));
  const fields = asked.map((field) => {
    const value = sent[field.key] ?? "";
    const isFixed = value !== "" && act.operands?.includes(field.key) === true;
    return fieldOf({ field, value, of, isFixed });
  });
  return html`<form class="act" method="post" action="act/${slugOf(act.name)}">
<h3>${act.name}</h3><p>${sentence(act.summary)}</p>
<input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="nonce" value="${nonce}"><input type="hidden" name="from" value="${from}">
${fields}${wantsOf(act)}${sureOf(act)}<p><button>${act.name}</button></p></form>`;
}

const wantsOf = ({ wantsOneOf }: Act): Html | null =>
  wantsOneOf === undefined
    ? null
    : html`<p><small>Give ${wantsOneOf.join(" or ")}, or both: they are public for ever.</small></p>`;

function sureOf({ name, effect, operands: [operand = ""] = [] }: Act): Html | null {
  const warning = warningOf(effect);
  if (warning === null) return null;
  if (effect === "final")
    return html`<p class="field sure"><label><input type="checkbox" name="sure" value="on" required> ${warning} I am sure.</label></p>`;
  const id = `${slugOf(name)}-sure`;
  return html`<p class="field"><label for="${id}">${operand} once more</label><input type="text" id="${id}" name="sure" aria-describedby="${id}-about" required value="" autocomplete="off"><small id="${id}-about">${warning} Type the ${operand}'s id to say that you mean it.</small></p>`;
}

const sentence = (summary: string): string => `${summary[0]?.toUpperCase()}${summary.slice(1)}.`;

export interface BulkForm extends Omit<ActForm, "sent"> {
  readonly id: string;
  /** Values that follow from what the page shows, and that nobody types. */
  readonly given: Sent;
}

/** The form of an act on all things that are ticked in the list above it. */
export function bulkForm({ act, csrf, nonce, from, id, given }: BulkForm): Html {
  const [operand] = act.operands ?? [];
  const asked = fieldsOf(act.input).filter(({ key }) => key !== operand && !(key in given));
  const fields = asked.map((field) => fieldOf({ field, value: "", of: id, isFixed: false }));
  return html`<form class="act" id="${id}" method="post" action="act/${slugOf(act.name)}">
<h2>${act.name}: all that are ticked</h2>
<input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="nonce" value="${nonce}"><input type="hidden" name="from" value="${from}">
${hiddenFields(given)}<p class="field"><label><input type="checkbox" data-all="${id}"> tick all of this page</label></p>
${fields}${wantsOf(act)}<p><button>${act.name}</button></p></form>`;
}

const hiddenFields = (sent: Sent): readonly Html[] =>
  Object.entries(sent).map(
    ([key, value]) => html`<input type="hidden" name="${key}" value="${value}">`,
  );

/** The form that takes an act back, with the same things. */
export function undoForm({ act, sent, csrf, nonce, from }: ActForm): Html {
  const named = Object.entries(sent).filter(
    ([key]) => key === PICKED || act.operands?.includes(key) === true,
  );
  return html`<form method="post" action="act/${slugOf(act.name)}">
<input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="nonce" value="${nonce}"><input type="hidden" name="from" value="${from}">
${hiddenFields(Object.fromEntries(named))}<button>Undo: ${act.name}</button></form>`;
}

/** The name of the boxes in a list. */
export const PICKED = "picked";

/** The same as a command, where the console only reads. */
export function actCommand(act: Act, sent: Sent): Html {
  const { name, input, operands = [], wantsOneOf: [wanted] = [], summary } = act;
  const words = fieldsOf(input).flatMap(({ key, takes, isNeeded }) => {
    if (operands.includes(key)) return [sent[key] ?? takes];
    const option = `--${key.replaceAll("_", "-")}`;
    if (sent[key] !== undefined) return [`${option} ${sent[key]}`];
    return isNeeded || key === wanted ? [`${option} ${takes}`] : [];
  });
  return html`<p>${sentence(summary)}<br><code>cairn ${[name, ...words].join(" ")}</code></p>`;
}

/** The words of a command with these values, for a machine to read; what begins with a hyphen is no option. */
export function wordsOf({ name, input, operands = [] }: Look, sent: Sent): readonly string[] {
  const options = fieldsOf(input).flatMap(({ key, as }) => {
    const value = sent[key]?.trim() ?? "";
    if (value === "" || operands.includes(key)) return [];
    const option = `--${key.replaceAll("_", "-")}`;
    return as === "switch" ? [option] : [`${option}=${value}`];
  });
  const own = operands.flatMap((key) => sent[key]?.trim() || []);
  return [...name.split(" "), "--json", ...options, "--", ...own];
}

/** The values that a schema makes of what was sent; a sentence when it refuses one of them. */
export function valuesOf(
  input: z.ZodObject,
  sent: Sent,
): { readonly values: Readonly<Record<string, unknown>> } | { readonly problem: string } {
  const given = Object.fromEntries(
    fieldsOf(input).map(({ key, as }) => [
      key,
      as === "switch" ? sent[key] === "on" : sent[key]?.trim() || undefined,
    ]),
  );
  const { data, error } = input.safeParse(given);
  if (data !== undefined) return { values: data };
  const [issue] = error.issues;
  const key = String(issue?.path[0] ?? "");
  const text = given[key];
  return {
    problem:
      text === undefined
        ? `${labelOf(key)} is missing.`
        : `${labelOf(key)} is ${JSON.stringify(text)}; allowed is ${issue?.message}.`,
  };
}
