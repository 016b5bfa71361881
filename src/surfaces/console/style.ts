/** The style of the console: two colour schemes, one column where there is no room. */
export const STYLE = `:root{color-scheme:light dark;--back:light-dark(#fbfbfa,#16181b);--card:light-dark(#fff,#1e2125);
--ink:light-dark(#1c1f23,#e6e8eb);--soft:light-dark(#575d66,#a3abb5);--line:light-dark(#d9dce0,#363b42);
--link:light-dark(#0b57a4,#8ec2ff);--bad:light-dark(#a11212,#ff9d94);--good:light-dark(#146c2e,#7fd69a)}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
header,nav,main,footer{max-width:80rem;margin:0 auto;padding:.5rem 1rem}
header{display:flex;flex-wrap:wrap;gap:.3rem 1rem;align-items:center;justify-content:space-between}header p{margin:0}
header span{color:var(--soft)}
form.find{display:flex;gap:.4rem;align-items:center;flex:0 1 24rem}form.find input{flex:1;min-width:0}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem .5rem;margin:0;padding:0;list-style:none}
nav a{display:block;padding:.3rem .6rem;border-radius:.4rem;text-decoration:none}
nav a[aria-current]{background:var(--card);outline:1px solid var(--line);color:var(--ink);font-weight:600}
a{color:var(--link)}
a:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible,textarea:focus-visible,.table:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--card);padding:.5rem}
h1{font-size:1.5rem;margin:.5rem 0}h2{font-size:1.15rem;margin:1.5rem 0 .5rem}h3{font-size:1rem;margin:0}
small,.none{color:var(--soft)}
.state{padding:.6rem .9rem;border-left:.3rem solid var(--good);background:var(--card)}
.state.bad{border-color:var(--bad)}
.state ul{margin:.3rem 0 0;padding-left:1.2rem}
.cards{display:flex;flex-wrap:wrap;gap:.6rem;padding:0;margin:0;list-style:none}
.cards li{flex:1 1 min(11.5rem,calc(50% - .3rem));min-width:0;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.6rem .8rem}
.cards small{display:block}.cards b{display:block;font-size:clamp(1.05rem,4.4vw,1.25rem);font-variant-numeric:tabular-nums}
.table{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.4rem .7rem;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600;white-space:nowrap}
tr:last-child td{border-bottom:0}
.n{text-align:right;font-variant-numeric:tabular-nums}.n:not(.w),.k,td small{white-space:nowrap}
td{overflow-wrap:break-word}.w{overflow-wrap:anywhere}td time{white-space:nowrap}
dl{margin:0;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.3rem .9rem}
dl div{display:grid;grid-template-columns:11rem 1fr;gap:.3rem 1rem;padding:.35rem 0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere;min-width:0}
.table>pre{padding:.5rem .7rem}pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;font:inherit}
code{font-family:ui-monospace,monospace;font-size:.9em;overflow-wrap:anywhere}
form.filter{display:flex;flex-wrap:wrap;gap:.3rem 1rem;align-items:start;margin:.5rem 0 1rem}
form.filter>p:last-child{margin:1.65rem 0 0}
form.act{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.8rem;margin:.6rem 0}
.field{display:flex;flex-direction:column;gap:.15rem;margin:.4rem 0}
.filter .field{margin:0}.filter small{max-width:16rem}
label{font-weight:600}
input[type=text],select,textarea{font:inherit;color:var(--ink);background:var(--back);border:1px solid var(--soft);border-radius:.3rem;padding:.3rem .5rem;width:100%;max-width:40rem}
input[type=checkbox]{width:1.2rem;height:1.2rem}
button{font:inherit;padding:.35rem .9rem;border:1px solid var(--soft);border-radius:.3rem;background:var(--card);color:var(--ink);cursor:pointer}
.act>h2:first-child{margin-top:0}
.tabs{display:flex;flex-wrap:wrap;gap:.3rem 1rem;padding:0;list-style:none}
.tabs [aria-current]{font-weight:700;color:var(--ink);text-decoration:none}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));gap:.6rem}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.6rem}
figcaption{font-size:.9rem}figcaption b{display:block}.key{white-space:nowrap}svg{width:100%;height:auto;display:block}
.axis{stroke:var(--line)}.label{fill:var(--soft);font-size:11px}path{fill:none;stroke:currentColor;stroke-width:1.8;stroke-linejoin:round}
.a{color:var(--link)}.b{color:light-dark(#a04300,#f0883e)}.c{color:light-dark(#6f42c1,#bc8cff)}
.runs{display:flex;flex-wrap:wrap;gap:.6rem;margin:.5rem 0}
.bad{color:var(--bad)}.good{color:var(--good)}
footer{display:flex;flex-wrap:wrap;gap:1rem;align-items:center;color:var(--soft);border-top:1px solid var(--line);margin-top:2rem}
@media (min-width:62.01rem){td.w{min-width:15.5rem}}
@media (max-width:62rem){thead{position:absolute;left:-99rem}tbody,table{display:block}
tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));grid-auto-flow:dense;border-bottom:2px solid var(--line);padding:.4rem 0}tr:last-child{border:0}
td{border:0;padding:.15rem .7rem;min-width:0}td::before{content:attr(data-title);display:block;color:var(--soft);font-size:.85rem}.n{text-align:left}
.l{grid-column:span 2}.t{grid-column:1/-1;max-width:60rem}}
@media (max-width:40rem){dl div{grid-template-columns:1fr}}
`;

/** Comfort that every page works without: reloading when nobody types, and keys to move about. */
export const SCRIPT = `"use strict";
const RELOAD_MS = 15000;
const isBusy = () => document.visibilityState !== "visible" || String(getSelection()) !== "" ||
  (document.activeElement && document.activeElement !== document.body && document.activeElement.id !== "main");
if (document.querySelector("[data-reload]"))
  setInterval(() => { if (!isBusy()) location.reload(); }, RELOAD_MS);
for (const all of document.querySelectorAll("[data-all]"))
  all.addEventListener("change", () => {
    for (const box of document.querySelectorAll("input[form=" + all.dataset.all + "]")) box.checked = all.checked;
  });
let isGoing = false;
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  if (isGoing) {
    for (const link of document.querySelectorAll("a[data-letter]"))
      if (link.dataset.letter === event.key) location.assign(link.href);
    isGoing = false;
    return;
  }
  if (event.key === "g") isGoing = true;
  if (event.key === "/") {
    const field = document.querySelector("form.filter input[type=text]") ?? document.querySelector("form.find input");
    if (field) { event.preventDefault(); field.focus(); }
  }
});
`;
