import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import * as fc from "fast-check";
import { inlineScripts, scriptsOf } from "./inline-scripts.ts";
import { SCRIPTS_ALLOWED_MAX, SCRIPTS_REFUSED_SHOWN_MAX } from "./rules.ts";

const found = (html: string) => inlineScripts(Buffer.from(html));
const hashOf = (text: string) => createHash("sha256").update(text).digest("base64");

test("a page is looked through once, however many ask for it", () => {
  const html = Buffer.from("<script>a</script>");
  const page = { html, html_sha256: createHash("sha256").update(html).digest("hex") };
  const first = scriptsOf(page);
  assert.deepEqual(first.hashes, [hashOf("a")]);
  assert.equal(scriptsOf({ ...page }), first);
});

test("the texts of inline scripts are found as a browser reads them", () => {
  const rows: readonly (readonly [html: string, ...texts: string[]])[] = [
    ["<p>x"],
    ["<script>a</script>", "a"],
    ["<SCRIPT\n>a</ScRiPt\t>b", "a"],
    ["<script>a</scripty></script>", "a</scripty>"],
    ["<script>a\r\nb\rc</script>", "a\nb\nc"],
    ["<script></script>", ""],
    ["<script>石 🪨</script>", "石 🪨"],
    ["<script type=module>a</script><script type='text/JavaScript'>b</script>", "a", "b"],
    ['<script async title="a>b">a</script>', "a"],
    ["<script src=x>a</script><script SRC>b</script><script/src='x'>c</script>"],
    ["<script type=text/plain>a</script><script type=importmap>b</script>"],
    ["<script type='' >a</script><script language=VBScript>b</script>", "a"],
    ["<script language=JavaScript1.2>a</script>", "a"],
    ["<script type=text/plain type=module>a</script>"],
    ["<!-- <script>a</script> --><script>b</script>", "b"],
    ["<!--><script>a</script><!-- --!><script>b</script>", "a", "b"],
    ['<p title="<script>"><script>a</script>', "a"],
    ["<p title=it's><script>a</script><p title='>'>", "a"],
    ['<p a=b="c><script>a</script>', "a"],
    ["<style><script>a</style><script>b</script>", "b"],
    ["<textarea><script>a</textarea ><title></titles><script></title><script>b</script>", "b"],
    ["<noscript><script>a</script></noscript><script>b</script>", "b"],
    ["</p title='<script>'><?x <script>a</script><script>b</script>", "b"],
    ["<script><!-- <script>a</script> --></script>b", "<!-- <script>a</script> -->"],
    ["<script><!--> <script>a</script>b", "<!--> <script>a"],
    ["<script>a<!-- b</script>c", "a<!-- b"],
    ["1 < 2 <script>a</script>", "a"],
    ["<svg><script>a</script></svg>", "a"],
    ["<svg><script><![CDATA[a && b < c]]></script></svg>", "a && b < c"],
    ["<svg><script>a&lt;b&#59;&quot;&#x41;<!-- x --></script></svg>", 'a<b;"A'],
    ["<svg><script>a<!-- <script> --></script></svg><script>b</script>", "a", "b"],
    ["<svg><script/></svg><script>a</script>", "", "a"],
    [
      "<svg><script href=x>a</script><script xlink:href='x'>b</script><script src=x>c</script>",
      "c",
    ],
    ["<svg><title><script>a&lt;</script></title><script>b&lt;</script></svg>", "a&lt;", "b<"],
    ["<svg><style><script>a&lt;</script></style></svg><style><script></style>", "a<"],
    ["<svg><textarea><script>a</script></textarea></svg>", "a"],
    ["<svg><![CDATA[<script>]]><script>a</script></svg>", "a"],
    ["<svg><foreignObject><script>a&lt;</script></foreignObject></svg>", "a&lt;"],
    ["<svg><p><script>a&lt;</script>", "a&lt;"],
    ["<svg/><script>a&lt;</script>", "a&lt;"],
    ["<svg a=b/><script>a&lt;</script>", "a<"],
    ["<svg></svg><script>a&lt;</script>", "a&lt;"],
    ["<math><script>a</script><mtext><script>b</script></mtext></math>", "b"],
    ["<script>a"],
    ["<script>a</script><style>b<script>c</script>", "a"],
    ["<script"],
    ["<script>a</script"],
  ];
  for (const [html, ...texts] of rows)
    assert.deepEqual(found(html).hashes, texts.map(hashOf), html);
});

test("a script of SVG that needs a whole parser is refused and reported", () => {
  for (const text of ["a&nbsp;b", "a & b", "a < b", "<a>b</a>", "a&#0;", "&#x80;"]) {
    const { hashes, report } = found(`<svg><script>${text}</script></svg>`);
    assert.deepEqual(hashes, [], text);
    assert.deepEqual(report, { inline: 1, allowed: 0, refused: [{ n: 1, why: "svg" }] });
  }
  for (const text of ["<![CDATA[{}]]>", "&#123;}", "<!-- x -->{}"]) {
    const { report } = found(`<svg><script>${text}</script></svg>`);
    assert.deepEqual(report.refused, [{ n: 1, why: "looks_like_rules" }], text);
  }
});

test("scripts that could be rules, are no JavaScript or are too long are refused and reported", () => {
  const rules = ['{"prefetch":[]}', " \n\t{}", "\ufeff{}", "\v\f{}", "{", "{ let a = 1; }"];
  for (const text of rules) {
    const { hashes, report } = found(`<script>a</script><script>${text}</script>`);
    assert.deepEqual(hashes, [hashOf("a")], JSON.stringify(text));
    const refused = [{ n: 2, why: "looks_like_rules" }];
    assert.deepEqual(report, { inline: 2, allowed: 1, refused });
  }
  for (const text of [";{}", "/**/{}", "({})", "[{}]", "({prefetch: 1})"])
    assert.deepEqual(found(`<script>${text}</script>`).hashes, [hashOf(text)], text);
  const typed = found("<script type=speculationrules>{}</script><script src=x></script>").report;
  assert.deepEqual(typed, { inline: 1, allowed: 0, refused: [{ n: 1, why: "type" }] });

  const many = Array.from({ length: 80 }, (_, i) => `<script>${i}</script>`).join("");
  const { hashes, report } = found(`${many}<script>0</script>`);
  assert.equal(hashes.length, SCRIPTS_ALLOWED_MAX);
  assert.deepEqual(
    [report.inline, report.allowed],
    [81, 33],
    "a text that is known takes no place",
  );
  assert.equal(report.refused.length, SCRIPTS_REFUSED_SHOWN_MAX);
  assert.deepEqual(report.refused[0], { n: 33, why: "too_many" });
});

test("no page makes the finder fail, and none gets a hash of what could be rules", () => {
  const piece = fc.constantFrom(
    ..."<script> </script> <!-- --> <style> </style> <title </title> = ' \" > < / ! ? {} src type=module a \r \n".split(
      " ",
    ),
    " ",
  );
  void fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const html = pieces.join("");
      const { hashes, report } = found(html);
      assert.ok(hashes.length <= report.allowed && report.allowed <= report.inline);
      const texts = new Set<string>();
      const text = html.replace(/\r\n?/g, "\n");
      for (let from = 0; from <= text.length; from++)
        for (let to = from; to <= text.length; to++) texts.add(text.slice(from, to));
      const known = new Map([...texts].map((each) => [hashOf(each), each]));
      for (const hash of hashes) assert.match(known.get(hash) ?? "{", /^\s*(?:[^\s{]|$)/);
    }),
    { numRuns: 50 },
  );
});
