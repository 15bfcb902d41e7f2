import { SIGN } from '../../words/markup.ts'
import { PALETTE } from '../../words/palette.ts'
import { STYLE_OF_FINDINGS } from './style-findings.ts'
import { STYLE_OF_MEDIA } from './style-media.ts'

/** Styles of verdicts, page, header and sections. */
const STYLE_OF_PAGE = String.raw`[data-v='drifted'], [data-v='fix-failed'], [data-tone='bad'], [data-k='failing'] { --ink: var(--bad); --tint: var(--bad-tint); --mark: var(--bad-mark); }
[data-v='error'], [data-v='blocked'], [data-v='not-evaluated'], [data-tone='warn'], [data-k='undecided'] { --ink: var(--warn); --tint: var(--warn-tint); --mark: var(--warn-mark); }
[data-v='compliant'], [data-tone='good'] { --ink: var(--good); --tint: var(--good-tint); --mark: var(--good-mark); }
[data-v='fixed'] { --ink: var(--fixed); --tint: var(--fixed-tint); --mark: var(--fixed-mark); }
[data-v='waived'], [data-k='waived'] { --ink: var(--waived); --tint: var(--waived-tint); --mark: var(--waived-mark); }
[data-v='not-applicable'], [data-k='none'] { --ink: var(--mute); --tint: var(--mute-tint); --mark: var(--mute-mark); }

*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--text); font: 400 0.9375rem/1.5 var(--sans); overflow-wrap: anywhere; }
h1, h2, h3, p, ul, dl, dd, figure, fieldset, pre { margin: 0; padding: 0; }
ul { list-style: none; }
code, pre, .place, kbd { font-family: var(--mono); font-size: 0.8125rem; font-variant-ligatures: none; }
a { color: var(--link); text-underline-offset: 0.15em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
.skip { position: absolute; left: -100vw; top: 0; padding: 0.5rem 1rem; background: var(--surface); }
.skip:focus { left: 0; z-index: 2; }
.page { max-width: 74rem; margin: 0 auto; padding: 2rem 1.5rem 4rem; }
.dim, .about, .count, .extent, .place { color: var(--dim); }
.prose, .note, td code, .facts dd { white-space: pre-wrap; }

.top { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; align-items: baseline; }
.brand { grid-column: 2; grid-row: 1; font-weight: 650; letter-spacing: -0.01em; }
.brand span { color: var(--dim); font-weight: 400; }
h1 { font-size: 1.75rem; line-height: 1.2; font-weight: 650; letter-spacing: -0.02em; }
.top .about { grid-column: 1 / -1; margin-top: 0.35rem; display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin-top: 1rem; padding-top: 0.6rem; border-top: 1px solid var(--line); }
main { display: flex; flex-direction: column; gap: 2.25rem; margin-top: 1.25rem; }
h2 { font-size: 1.1875rem; line-height: 1.3; font-weight: 650; letter-spacing: -0.01em; margin-bottom: 0.75rem; }
h2 .count { font-weight: 400; margin-left: 0.25rem; }
h3 { font-size: 1rem; line-height: 1.35; font-weight: 650; }

.outcome-panel, .problems { background: var(--surface); border: 1px solid var(--line); border-left: 5px solid var(--mark); border-radius: 6px; padding: 1rem 1.25rem; }
.outcome-panel h2 { color: var(--ink); font-size: 1.375rem; margin-bottom: 0.15rem; display: flex; flex-wrap: wrap; gap: 0 0.75rem; align-items: baseline; }
.outcome-panel .code { color: var(--dim); font: 400 0.8125rem var(--mono); letter-spacing: 0; }
.outcome-panel ul { margin-top: 0.5rem; color: var(--dim); }
.outcome-panel li, #notes li { padding-left: 1.1em; position: relative; }
.outcome-panel li::before, #notes li::before { content: '${SIGN.dash}'; position: absolute; left: 0; }
.caution { color: var(--ink); font-weight: 600; }
.problems h2 { color: var(--ink); }
.problems li + li { margin-top: 0.75rem; }
.problems pre { overflow-x: auto; white-space: pre; line-height: 1.45; }

.summary { margin-top: -1.25rem; }
.share { display: block; width: 100%; height: 6px; border-radius: 3px; overflow: hidden; margin-bottom: 0.75rem; }
.share rect { fill: var(--mark); }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); gap: 0.5rem; }
.tile { display: flex; flex-direction: column; align-items: flex-start; justify-content: flex-start; width: 100%; height: 100%; padding: 0.6rem 0.85rem; text-align: left; font: inherit; color: var(--dim); background: var(--surface); border: 1px solid var(--line); border-top: 3px solid var(--mark, var(--line)); border-radius: 6px; }
.tile b { display: block; font-size: 1.5rem; line-height: 1.2; font-weight: 650; letter-spacing: -0.02em; color: var(--ink, var(--text)); font-variant-numeric: tabular-nums; }
.tile small { font-size: 0.8125rem; }
button.tile { cursor: pointer; }
button.tile:hover { border-color: var(--mark, var(--dim)); }
button.tile[aria-pressed='true'] { background: var(--tint, var(--sunken)); border-color: var(--mark, var(--dim)); box-shadow: inset 0 0 0 1px var(--mark, var(--dim)); color: var(--text); }

figure { background: var(--surface); border: 1px solid var(--line); border-radius: 6px; padding: 0.75rem 1.25rem 1rem; }
.bars { display: block; width: 100%; height: 5rem; border-bottom: 1px solid var(--line); border-top: 1px dashed var(--line); }
.bars rect { fill: var(--mark); }
.scale, .ends { color: var(--dim); font-size: 0.8125rem; font-variant-numeric: tabular-nums; }
.ends { text-align: right; margin-bottom: 0.5rem; }
.legend { display: flex; flex-wrap: wrap; gap: 0 1rem; color: var(--dim); }
.legend span::before { content: ''; display: inline-block; width: 0.65em; height: 0.65em; border-radius: 2px; margin-right: 0.4em; background: var(--mark); }
#trend .folded { margin-top: 0.5rem; }
.scroll { overflow-x: auto; }
.figures { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.figures th, .figures td { padding: 0.2rem 0.9rem 0.2rem 0; text-align: right; white-space: nowrap; font-weight: 400; }
.figures th:first-child { text-align: left; }
.figures thead th { color: var(--dim); }
.numbers { display: flex; flex-wrap: wrap; gap: 0 1.5rem; margin: 0.35rem 0 0.75rem; color: var(--dim); }
.numbers b { color: var(--text); font-variant-numeric: tabular-nums; }
`

/** Styles of the overview (scores, severities, priorities) and of the matrix of machines. */
const STYLE_OF_OVERVIEW: string = String.raw`
.severities { display: flex; flex-wrap: wrap; gap: 0.4rem; margin: 0.6rem 0 !important; }
.severities li { --at: var(--mute); padding: 0.15rem 0.7rem !important; border: 1px solid var(--line); border-left: 4px solid var(--at); border-radius: 4px; color: var(--text); background: var(--surface); }
.severities li::before, .scores li::before { content: none !important; }
.severities [data-s='critical'] { --at: var(--bad); } .severities [data-s='high'] { --at: var(--bad-mark); } .severities [data-s='medium'] { --at: var(--warn-mark); }
.severities b { font-size: 1.25rem; font-weight: 650; font-variant-numeric: tabular-nums; margin-right: 0.15rem; }
.scores { display: grid; gap: 0.15rem; margin: 0.6rem 0 !important; color: var(--text) !important; }
.scores li { padding: 0 !important; display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); gap: 0 0.5rem; align-items: baseline; }
.scores b { font-size: 1.25rem; font-weight: 650; font-variant-numeric: tabular-nums; grid-row: span 2; }
.scores .dim { grid-column: 2; font-size: 0.875rem; }
.scores a { justify-self: start; }
.gate { color: var(--dim); }
.reasons { font-size: 0.875rem; }

.first { margin: 0; padding: 0; list-style: none; counter-reset: first; background: var(--surface); border: 1px solid var(--line); border-radius: 6px; }
.first > li { counter-increment: first; position: relative; padding: 0.75rem 1.25rem 0.85rem 3rem; display: grid; gap: 0.2rem; break-inside: avoid; }
.first > li + li { border-top: 1px solid var(--line); }
.first > li::before { content: counter(first); position: absolute; left: 1.25rem; top: 0.6rem; font-size: 1.25rem; font-weight: 650; color: var(--dim); }
.first > li > * { min-width: 0; }
.first .title a { font-weight: 600; }
.first .title .id { font: 400 0.8125rem var(--mono); color: var(--dim); }
.first .said { color: var(--dim); font-size: 0.875rem; }
.command { overflow-x: auto; padding: 0.35rem 0.75rem; background: var(--sunken); border: 1px solid var(--line); border-radius: 5px; user-select: all; margin-top: 0.2rem; }

.legend { color: var(--dim); margin-bottom: 0.5rem; }
.matrix { border-collapse: separate; border-spacing: 0; background: var(--surface); font-size: 0.8125rem; }
.matrix th, .matrix td { border-bottom: 1px solid var(--line); padding: 0.2rem 0; }
.matrix thead th { vertical-align: bottom; text-align: left; color: var(--dim); font-weight: 400; padding-left: 0.75rem; }
.matrix thead .machine { padding: 0.4rem 0; text-align: center; }
.machine span { writing-mode: vertical-rl; transform: rotate(180deg); max-height: 11rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; display: inline-block; color: var(--text); }
.matrix tbody th { position: sticky; left: 0; z-index: 1; background: var(--surface); text-align: left; font-weight: 400; padding: 0.2rem 0.75rem; min-width: 12rem; width: 34rem; overflow-wrap: anywhere; }
.matrix tbody th .severity { display: inline-block; width: 4rem; }
.matrix td { min-width: 1.6rem; text-align: center; font: 600 0.8125rem var(--mono); background: var(--tint); color: var(--ink); border-left: 1px solid var(--surface); }
.matrix td:not([data-v]) { background: none; color: var(--dim); }
.matrix td.differs { box-shadow: inset 0 0 0 2px var(--focus); }
.matrix tbody tr:hover > * { border-bottom-color: var(--mute-mark); }
#matrix .scroll { border: 1px solid var(--line); border-radius: 6px; background: var(--surface); }
#matrix .scroll + .scroll { margin-top: 0.75rem; }
.machines th[scope='row'] { width: 22%; } .machines th p { overflow-wrap: normal; }
.on { font-weight: 600; } .names { font-weight: 400; } .facts dd > ul { margin-top: 0.1rem; }
.on-paper, .only-long { display: none; }
@media screen and (max-width: 36rem) {
  .first > li { padding: 0.7rem 0.9rem 0.8rem 2.5rem; }
  .first > li::before { left: 0.9rem; }
  .matrix tbody th { min-width: 9.5rem; width: 9.5rem; max-width: 9.5rem; padding: 0.25rem 0.5rem; }
  .matrix tbody th .severity { display: block; }
}
@media print {
  @page { margin: 15mm 13mm 17mm; @bottom-right { content: counter(page) ' / ' counter(pages); font: 8pt sans-serif; color: #444444; } @bottom-left { content: 'driftgate'; font: 8pt sans-serif; color: #444444; } }
  .on-paper { display: block; color: var(--dim); }
  body:not(.long) .only-long, .filtered .only-long { display: none; }
  .control, .entry, .first > li, .wide tbody tr, .matrix tr { break-inside: avoid; }
  .scroll { overflow: visible; }
  .matrix { width: 100%; font-size: 7pt; line-height: 1.25; }
  .matrix tbody th { position: static; min-width: 0; width: auto; padding: 0.15mm 1mm; }
  .matrix thead th { padding-left: 1mm; }
  .matrix tbody th .severity { width: 11mm; font-size: 7pt; }
  .matrix td { min-width: 0; width: 4mm; padding: 0; font-size: 7pt; border-left: 0; background: none; }
  .matrix td.differs { box-shadow: inset 0 0 0 0.25mm #444444; }
  .matrix a, .list a, .first a { text-decoration: none; }
  .command { white-space: pre-wrap; }
  .many .wide th, .many .wide td { padding: 0.4mm 2mm; font-size: 8pt; }
  .many .wide th p { display: inline; margin-left: 1.5mm; font-size: 8pt; }
  .many .wide .verdict { border: 0; padding: 0; font-size: 8pt; font-weight: 400; }
  .many .facts li:nth-child(n + 4), .many .names, .many .aside, .many .group, .many #filters, .many .beyond, .many .control .meta { display: none !important; }
  .long #controls { break-before: page; }
  .long:not(.filtered) .entry[data-c], .long:not(.filtered) #filters, .long .aside { display: none; }
  .long .list { border: 0; }
  .long .control .body { padding: 0 3mm 1.5mm 4mm; gap: 0.5mm; }
  .long .control, .long .control .facts { font-size: 8.5pt; line-height: 1.35; }
  .many .control { font-size: 8.5pt; line-height: 1.35; }
  .many .control .body { padding: 0 3mm 1.5mm 4mm; gap: 0.5mm; }
  .many .control .facts { font-size: 8.5pt; gap: 0 3mm; }
}
`

/** The whole style sheet. */
export const STYLE: string = PALETTE + STYLE_OF_PAGE + STYLE_OF_FINDINGS + STYLE_OF_MEDIA + STYLE_OF_OVERVIEW
