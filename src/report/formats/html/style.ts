import { SIGN } from '../../words/markup.ts'
import { PALETTE } from '../../words/palette.ts'
import { STYLE_OF_FINDINGS } from './style-findings.ts'
import { STYLE_OF_OVERVIEW } from './style-overview.ts'
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

/** The whole style sheet. */
export const STYLE: string = PALETTE + STYLE_OF_PAGE + STYLE_OF_FINDINGS + STYLE_OF_MEDIA + STYLE_OF_OVERVIEW
