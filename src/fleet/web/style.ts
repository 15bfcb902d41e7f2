import { SIGN } from '../../report/words/markup.ts'
import { PALETTE } from '../../report/words/palette.ts'

/** Style sheet of every page: essential content first, in plain tables. */
export const STYLE: string = String.raw`${PALETTE}
[data-tone='bad'] { --ink: var(--bad); --tint: var(--bad-tint); --mark: var(--bad-mark); }
[data-tone='warn'] { --ink: var(--warn); --tint: var(--warn-tint); --mark: var(--warn-mark); }
[data-tone='good'] { --ink: var(--good); --tint: var(--good-tint); --mark: var(--good-mark); }
[data-tone='mute'] { --ink: var(--mute); --tint: var(--mute-tint); --mark: var(--mute-mark); }

*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0 auto; max-width: 84rem; padding: 0 1.5rem 2rem; background: var(--ground); color: var(--text); font: 400 0.875rem/1.45 var(--sans); overflow-wrap: break-word; }
h1, h2, p, ul, dl, dd { margin: 0; padding: 0; }
ul { list-style: none; }
code, kbd { font: 0.8125rem var(--mono); font-variant-ligatures: none; }
small { font-size: 0.8125rem; color: var(--dim); }
a { color: var(--link); text-underline-offset: 0.15em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
time { white-space: nowrap; }
.skip { position: absolute; left: -100vw; top: 0; padding: 0.5rem 1rem; background: var(--surface); z-index: 2; }
.skip:focus { left: 0; }
.dim, .count { color: var(--dim); font-weight: 400; }
.caution { color: var(--warn); }

.top { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 2rem; padding: 0.85rem 0 0; border-bottom: 1px solid var(--line); }
.brand { font-weight: 650; font-size: 1rem; letter-spacing: -0.01em; padding-bottom: 0.6rem; }
.brand a { color: inherit; text-decoration: none; }
.brand span { color: var(--dim); font-weight: 400; }
nav[aria-label='Pages of the view'] { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
nav[aria-label='Pages of the view'] a { padding: 0.25rem 0 0.6rem; color: var(--dim); text-decoration: none; border-bottom: 2px solid transparent; margin-bottom: -1px; }
nav[aria-label='Pages of the view'] a:hover { color: var(--text); }
nav[aria-label='Pages of the view'] a[aria-current] { color: var(--text); font-weight: 600; border-color: var(--text); }
.who { margin-left: auto; display: flex; gap: 1rem; align-items: baseline; padding-bottom: 0.6rem; font-size: 0.8125rem; color: var(--dim); }
#live::before { content: ''; display: inline-block; width: 0.55em; height: 0.55em; border-radius: 50%; margin-right: 0.45em; background: var(--good-mark); }
#live:empty { display: none; }
#live[data-tone]::before { background: var(--mark); }
#live[data-tone] { color: var(--ink); font-weight: 600; }
main { padding-top: 1.1rem; }
#content { display: flex; flex-direction: column; gap: 1.4rem; }
h1 { font-size: 1.375rem; line-height: 1.25; font-weight: 650; letter-spacing: -0.015em; display: flex; flex-wrap: wrap; align-items: center; gap: 0.2rem 0.6rem; }
h2 { font-size: 1rem; line-height: 1.3; font-weight: 650; margin-bottom: 0.4rem; }
.lead { margin-top: -0.9rem; }
.nothing { color: var(--dim); }
.trouble { background: var(--bad-tint); color: var(--bad); border: 1px solid var(--bad-mark); border-radius: 6px; padding: 0.55rem 0.9rem; margin-bottom: 0.9rem; font-weight: 600; }

.outcome { background: var(--surface); border: 1px solid var(--line); border-left: 5px solid var(--mark); border-radius: 6px; padding: 0.8rem 1.1rem; }
.outcome h1 { color: var(--ink); }
.outcome ul { margin-top: 0.3rem; columns: 24rem auto; column-gap: 2rem; }
.outcome li { padding-left: 1em; text-indent: -1em; break-inside: avoid; }
.outcome li::before { content: '${SIGN.dash} '; color: var(--dim); }
.share { display: block; width: 100%; height: 6px; border-radius: 3px; overflow: hidden; background: var(--mute-tint); margin-bottom: 0.6rem; }
.share rect, .bars rect { fill: var(--mark); }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 0.5rem; }
.tile { display: block; padding: 0.5rem 0.85rem; color: var(--dim); text-decoration: none; background: var(--surface); border: 1px solid var(--line); border-top: 3px solid var(--mark, var(--mute-mark)); border-radius: 6px; }
.tile:hover { border-color: var(--mark, var(--dim)); }
.tile b { display: block; font-size: 1.5rem; line-height: 1.2; font-weight: 650; letter-spacing: -0.02em; color: var(--ink, var(--text)); font-variant-numeric: tabular-nums; }
.presences { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin-top: 0.6rem; }
.presences a { color: inherit; text-decoration: none; }
.presences a:hover { text-decoration: underline; }
.presences li::before { content: ''; display: inline-block; width: 0.6em; height: 0.6em; border-radius: 2px; margin-right: 0.45em; background: var(--mark); }
.presences b { font-variant-numeric: tabular-nums; }

table { width: 100%; border-collapse: separate; border-spacing: 0; background: var(--surface); border: 1px solid var(--line); border-radius: 6px; }
caption { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
th, td { padding: 0.32rem 0.75rem; text-align: left; vertical-align: baseline; font-weight: 400; }
thead th { color: var(--dim); font-size: 0.8125rem; white-space: nowrap; }
tbody th, tbody td { border-top: 1px solid var(--line); }
tbody th { font-weight: 600; min-width: 10rem; overflow-wrap: anywhere; }
td { overflow-wrap: anywhere; }
tbody tr:hover > * { background: var(--sunken); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th small { font-weight: 400; }
.remark, .labels { display: block; }
.labels span { margin-right: 0.6em; }
.chip { display: inline-block; padding: 0 0.5rem; border-radius: 1rem; background: var(--tint); color: var(--ink); font-size: 0.8125rem; font-weight: 600; line-height: 1.5; letter-spacing: 0; white-space: nowrap; }
.severity { white-space: nowrap; color: var(--dim); }
.severity + .severity { margin-left: 0.35rem; }
.severity b { color: var(--text); font-variant-numeric: tabular-nums; }
.severity[data-s='critical'], .severity[data-s='critical'] b { color: var(--bad); font-weight: 600; }
.severity[data-s='high'], .severity[data-s='high'] b { color: var(--text); font-weight: 600; }
.more, .paging { margin-top: 0.4rem; display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; }
.paging span { color: var(--dim); font-variant-numeric: tabular-nums; }

.filters { display: flex; flex-wrap: wrap; align-items: end; gap: 0.5rem 0.75rem; margin-bottom: 1rem; }
.filters label, .login label { display: grid; gap: 0.1rem; color: var(--dim); font-size: 0.8125rem; min-width: 0; }
.filters .check { display: flex; align-items: center; gap: 0.35rem; padding: 0.3rem 0; }
input, select, button { font: inherit; font-size: 0.875rem; color: var(--text); background: var(--surface); border: 1px solid var(--mute-mark); border-radius: 5px; padding: 0.25rem 0.5rem; max-width: 100%; }
input::placeholder { color: var(--dim); opacity: 1; }
input[type='checkbox'] { accent-color: var(--link); }
.filters input[type='search'] { width: 14rem; } .filters input[type='text'] { width: 9rem; } .filters select { max-width: 12rem; }
button { cursor: pointer; padding: 0.25rem 0.8rem; }
button:hover { background: var(--sunken); border-color: var(--dim); }
.who form { display: flex; gap: 0.6rem; align-items: baseline; } .who button { padding: 0.05rem 0.5rem; font-size: 0.8125rem; }
.chosen { display: flex; flex-wrap: wrap; gap: 0.3rem 0.6rem; }
.result, .chosen { margin-bottom: -0.8rem; }
.chosen a { text-decoration: none; } .chosen li:not(:last-child) a { background: var(--mute-tint); color: var(--text); border-radius: 1rem; padding: 0.1rem 0.6rem; }
.facts { display: flex; flex-wrap: wrap; gap: 0.5rem 1.75rem; }
.facts > div { min-width: 0; overflow-wrap: anywhere; }
.facts dt { color: var(--dim); font-size: 0.8125rem; }
.facts .labels { color: var(--text); font-size: inherit; }
.bars { display: block; height: 2.5rem; max-width: 100%; margin-bottom: 0.6rem; }
.trend { margin: 0; }
.trend svg { display: block; width: 100%; max-width: 45rem; height: 5rem; }
.trend rect { fill: var(--mark); } .trend rect.day { fill: transparent; } .trend g:hover rect.day { fill: var(--sunken); } .trend line { stroke: var(--line); stroke-width: 1; }
.trend figcaption { display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; margin-top: 0.3rem; color: var(--dim); font-size: 0.8125rem; font-variant-numeric: tabular-nums; }
.key { color: var(--ink); font-weight: 600; } .key::before { content: ''; display: inline-block; width: 0.6em; height: 0.6em; border-radius: 2px; margin-right: 0.45em; background: var(--mark); }
.rest > summary { cursor: pointer; padding: 0.3rem 0; }
.rest[open] > summary { margin-bottom: 0.3rem; }
.login { display: grid; gap: 0.75rem; max-width: 26rem; }
.login button { justify-self: start; }
footer { margin-top: 1.75rem; padding-top: 0.6rem; border-top: 1px solid var(--line); color: var(--dim); font-size: 0.8125rem; display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.25rem 1.5rem; }

@media screen and (max-width: 44rem) {
  body { padding: 0 0.9rem 1.5rem; }
  .tiles { grid-template-columns: repeat(2, 1fr); }
  .tile { padding: 0.35rem 0.7rem; }
  .filters { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .filters input:not([type='checkbox']), .filters select { width: 100% !important; max-width: none !important; }
  .filters label:first-child { grid-column: 1 / -1; }
  .lead { margin-top: -0.6rem; }
  nav[aria-label='Pages of the view'] { gap: 0 0.75rem; font-size: 0.8125rem; }
  .top { gap: 0 1.1rem; } .brand { flex: 1; } .who { order: 2; padding-bottom: 0; } nav[aria-label='Pages of the view'] { order: 3; width: 100%; }
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  table, tbody { display: block; }
  tbody tr { display: block; padding: 0.45rem 0.8rem; }
  tbody tr + tr { border-top: 1px solid var(--line); }
  tbody th, tbody td { display: block; border: 0; padding: 0.08rem 0; min-width: 0; }
  tbody .number { text-align: left; }
  tbody th { overflow-wrap: anywhere; }
  tbody td { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); gap: 0.5rem; align-items: baseline; }
  tbody td::before { content: attr(data-label); color: var(--dim); font-size: 0.8125rem; text-align: left; }
  tbody td > div { min-width: 0; }
  tbody td:has(> div:empty) { display: none; }
  tbody tr:hover > * { background: none; }
}
@media (forced-colors: active) { .chip, .tile { border: 1px solid; } .share rect, .bars rect, .trend rect, .key::before, .presences li::before { forced-color-adjust: none; } }
@media print {
  :root {
    color-scheme: light; --ground: #ffffff; --surface: #ffffff; --sunken: #ffffff; --text: #000000; --dim: #444444; --line: #bbbbbb; --link: #000000;
    --good: #14632d; --good-tint: #ffffff; --bad: #a01c1a; --bad-tint: #ffffff; --warn: #7a4900; --warn-tint: #ffffff; --mute: #555b62; --mute-tint: #ffffff;
  }
  @page { margin: 14mm 12mm; }
  html { font-size: 9.5pt; }
  body { max-width: none; padding: 0; }
  nav, .skip, .filters, .who, .more { display: none !important; }
  tr, .outcome, .tile { break-inside: avoid; }
  h1, h2 { break-after: avoid; }
  thead { display: table-header-group; }
  a { text-decoration: none; }
  .share, .bars, .chip, .tile, .presences li { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`
