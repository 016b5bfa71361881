/** Kinds of scripts that an ordinary page may have; each says its name when it runs. */
export const KINDS: Readonly<Record<string, string>> = {
  classic: "<script>ran('classic')</script>",
  module: "<script type=module>ran('module')</script>",
  "line ends of Windows": "<script>\r\nran('line ends of Windows')\r\n</script>",
  "a comment that hides it": "<script><!--\nran('a comment that hides it')\n--></script>",
  "a script's text in it":
    "<script>ran('a script\\'s text in it', '<!-- <script>x</script> -->')</script>",
  "in SVG": "<svg><script>ran('in SVG')</script></svg>",
  "in SVG as CDATA":
    "<svg><script><![CDATA[if (1 < 2 && true) ran('in SVG as CDATA')]]></script></svg>",
  "in SVG with entities": "<svg><script>if (1 &lt; 2) ran('in SVG with entities')</script></svg>",
  "after a closed one of SVG":
    "<svg><script/></svg><script>ran('after a closed one of SVG')</script>",
  "in the title of SVG": "<svg><title><script>ran('in the title of SVG')</script></title></svg>",
  "in a style of SVG": "<svg><style><script>ran('in a style of SVG')</script></style></svg>",
  "behind what ends SVG": "<svg><p><script>ran('behind what ends SVG', 1 < 2)</script></p></svg>",
  "after an attribute": `<p title="<script>">x</p><script>ran('after an attribute')</script>`,
  "after a style": "<style>/* <script> */</style><script>ran('after a style')</script>",
  "a handler": `<p onclick="ran('a handler')" id="handler">x</p>`,
  "a handler by setAttribute": `<p id="attribute">x</p>`,
  "a handler by property": `<p id="property">x</p>`,
  eval: "<script>eval(\"ran('eval')\")</script>",
  Function: "<script>new Function(\"ran('Function')\")()</script>",
  "a timer": "<script>setTimeout(\"ran('a timer')\")</script>",
  "a blob": "<script>add(blob(\"ran('a blob')\"))</script>",
  "a data address": "<script>add(\"data:text/javascript,ran('a data address')\")</script>",
  "import()": "<script>import(blob(\"ran('import()')\"))</script>",
  "a worker": `<script>new Worker(blob("postMessage(1)")).onmessage = () => ran("a worker")</script>`,
};

/** A page with all of them; `window.effects` are the names of those that ran. */
export const KINDS_PAGE = `<!doctype html><meta charset="utf-8"><body><script>
  window.effects = [];
  const ran = (name) => effects.push(name);
  const blob = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const add = (src) => document.body.append(Object.assign(document.createElement("script"), { src }));
</script>${Object.values(KINDS).join("\n")}<script>
  document.querySelector("#handler").click();
  const attribute = document.querySelector("#attribute");
  attribute.setAttribute("onclick", "ran('a handler by setAttribute')");
  attribute.click();
  const property = document.querySelector("#property");
  property.onclick = () => ran("a handler by property");
  property.click();
</script>`;

/** What an ordinary page does besides; the script of a page of its own. */
export const ORDINARY = `
  const style = add('style', { textContent: 'p { color: rgb(1, 2, 3) }' });
  const paragraph = add('p', { textContent: 'x' });
  if (getComputedStyle(paragraph).color === 'rgb(1, 2, 3)') effect('style');
  if (new Function('return 7')() === 7) effect('eval');
  const image = new Image();
  image.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
  await image.decode();
  effect('image');
  const worker = new Worker(blob('text/javascript', 'postMessage(1)'));
  await new Promise((ok) => { worker.onmessage = ok; });
  effect('worker');
  const form = add('form', { onsubmit: (event) => { event.preventDefault(); effect('form'); } });
  form.requestSubmit();
  const feed = await (await fetch(network + '/api/v1/feed?ordinary')).json();
  if (feed.ok) effect('network');
  const refused = await fetch(network + '/api/v1/post?ordinary', { method: 'POST', headers: { authorization: 'Bearer x' } });
  if ((await refused.json()).error === 'origin_not_allowed') effect('write refused');
  effect(origin);`;
