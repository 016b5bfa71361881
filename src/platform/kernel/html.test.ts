import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { html, type Part, visible } from "./html.ts";

test("texts are escaped where they stand, and markup is not", () => {
  const hostile = `<script>"'&`;
  assert.equal(
    html`<p title="${hostile}">${hostile}</p>`.text,
    '<p title="&lt;script&gt;&quot;&#39;&amp;">&lt;script&gt;&quot;&#39;&amp;</p>',
  );
  assert.equal(html`<ul>${[html`<li>${1}</li>`, null, "<"]}</ul>`.text, "<ul><li>1</li>&lt;</ul>");
});

/** Each text of a tree, as markup. */
const markup = (part: Part): string => html`${part}`.text;

test("no text of a tree becomes a tag or ends an attribute", () => {
  const tree = fc.letrec<{ tree: Part }>((tie) => ({
    tree: fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("<b>", "</p>", '" onload="', "'", "&lt;", "<!--", "]]>"),
      fc.array(tie("tree"), { maxLength: 3 }),
      tie("tree").map((inner) => html`<i data-of="${inner}">${inner}</i>`),
    ),
  })).tree;
  fc.assert(
    fc.property(tree, (part) => {
      const left = markup(part).replace(
        /<i data-of="(?:[^"<>]|<i data-of="|">|<\/i>)*">|<\/i>/g,
        "",
      );
      assert.doesNotMatch(left.replace(/<\/?i[^<>]*>/g, ""), /[<>]/);
    }),
    { numRuns: 2_000 },
  );
});

test("a character that cannot be seen, or turns a line, is shown by its number", () => {
  assert.equal(visible("a\u202eb\u200bc\u0007\nd\te"), "a⟨U+202E⟩b⟨U+200B⟩c⟨U+0007⟩\nd\te");
  assert.equal(visible("Grüße, 世界 👍"), "Grüße, 世界 👍");
});
