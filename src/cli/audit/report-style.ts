/** The style of the report: two colour schemes, and rows as cards where there is no room. */
export const REPORT_STYLE = `
  :root { color-scheme: light dark; --ink: #1f2328; --faint: #59636e; --line: #d1d9e0;
    --page: #ffffff; --link: #0b57a4; --good: #1a7f37; --bad: #a11212; --a: #0969da; --b: #bc4c00; --c: #8250df }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --faint: #9198a1; --line: #3d444d;
    --page: #0d1117; --link: #8ec2ff; --good: #3fb950; --bad: #ff9d94; --a: #58a6ff; --b: #f0883e; --c: #bc8cff } }
  body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); margin: 0 }
  main { max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
  h1 { font-size: 1.5rem; margin: 0 0 .5rem; overflow-wrap: anywhere } h2 { font-size: 1.15rem; margin: 2rem 0 .4rem }
  h3 { font-size: 1rem; margin: 1rem 0 0 }
  p { margin: .3rem 0 } a { color: var(--link) } code { overflow-wrap: anywhere; font-size: .9em }
  .faint { color: var(--faint) } .good { color: var(--good) } .bad { color: var(--bad) }
  .verdict { font-size: 1.15rem; font-weight: 600 }
  .said { border-left: .3rem solid var(--line); padding-left: .9rem }
  dl div { display: grid; grid-template-columns: 7rem 1fr; gap: 1rem; padding: .15rem 0 }
  dt { color: var(--faint) } dd { margin: 0; overflow-wrap: anywhere; min-width: 0 }
  .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1.2rem }
  table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
  td, th { border-top: 1px solid var(--line); padding: .2rem .5rem; text-align: left; vertical-align: top }
  td { overflow-wrap: anywhere } th { font-weight: 600 } figure { margin: 0 } summary { cursor: pointer }
  figcaption { font-size: .85rem } svg { width: 100%; height: auto; display: block }
  .axis { stroke: var(--line) } .label { fill: var(--faint); font: 11px system-ui, sans-serif }
  .a { color: var(--a) } .b { color: var(--b) } .c { color: var(--c) } .key { white-space: nowrap }
  path { fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linejoin: round }
  @media (max-width: 40rem) { dl div { grid-template-columns: 1fr; gap: 0 }
    thead { position: absolute; left: -99rem } tr, td, tbody, table { display: block }
    tr { border-top: 2px solid var(--line); padding: .4rem 0 } td { border: 0; padding: .1rem 0 }
    td[data-title]::before { content: attr(data-title) ": "; color: var(--faint) } }
`;
