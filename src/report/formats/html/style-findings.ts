import { SIGN } from '../../words/markup.ts'
/** Styles of the form, the lists of resources and controls, and the tables. */
export const STYLE_OF_FINDINGS: string = String.raw`
#filters { background: var(--surface); border: 1px solid var(--line); border-radius: 6px; padding: 0.9rem 1.25rem; display: grid; gap: 0.7rem; }
#filters label, legend { color: var(--dim); font-size: 0.8125rem; }
.search { display: flex; align-items: center; gap: 0.75rem; position: relative; }
.search input { flex: 1; min-width: 0; padding: 0.45rem 2.25rem 0.45rem 0.7rem; }
.search kbd { position: absolute; right: 0.6rem; }
input[type='search'], select { font: inherit; font-size: 0.9375rem; color: var(--text); background: var(--ground); border: 1px solid var(--mute-mark); border-radius: 5px; }
input[type='search']::placeholder { color: var(--dim); opacity: 1; }
select { padding: 0.25rem 0.4rem; max-width: 14rem; text-overflow: ellipsis; }
kbd { color: var(--dim); border: 1px solid var(--line); border-radius: 4px; padding: 0 0.35em; font-size: 0.75rem; background: var(--surface); }
fieldset { border: 0; min-width: 0; display: flex; align-items: baseline; gap: 0.4rem; }
.chips { display: flex; flex-wrap: wrap; gap: 0.3rem 0.4rem; }
legend { float: left; flex: none; width: 4.25rem; padding: 0; }
#filters .chip { display: inline-flex; align-items: center; gap: 0.35rem; padding: 0.1rem 0.6rem 0.1rem 0.45rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--text); cursor: pointer; }
.chip:hover { border-color: var(--mute-mark); }
.chip:has(:checked) { background: var(--mute-tint); border-color: var(--mute-mark); }
.chip:has(:focus-visible) { outline: 2px solid var(--focus); outline-offset: 1px; }
.chip input { margin: 0; accent-color: var(--link); outline: none; }
.chip .count { font-variant-numeric: tabular-nums; }
.selects { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; }
.selects label { display: inline-flex; align-items: center; gap: 0.5rem; min-width: 0; }
.outcome { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.5rem; border-top: 1px solid var(--line); padding-top: 0.7rem; }
.outcome p { flex: 1 1 12rem; font-weight: 600; font-variant-numeric: tabular-nums; }
#filters button { font: inherit; font-size: 0.8125rem; padding: 0.2rem 0.7rem; color: var(--text); background: var(--surface); border: 1px solid var(--mute-mark); border-radius: 5px; cursor: pointer; }
#filters button:hover:enabled { background: var(--sunken); }
#filters button:disabled { color: var(--dim); border-color: var(--line); cursor: default; }
#nothing { margin-top: 1rem; color: var(--dim); }

.group { margin-top: 1.5rem; }
.group > header { margin-bottom: 0.6rem; }
.group > header p { color: var(--dim); font-size: 0.8125rem; display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1.5rem; }
.host { color: var(--dim); font-weight: 400; }
.host::after { content: ' /'; }
.of-policy { margin: 1rem 0 0.5rem; }
.of-policy a { color: inherit; text-decoration-color: var(--mute-mark); }
.list { border: 1px solid var(--line); border-radius: 6px; background: var(--surface); overflow: clip; }
.list > details { border-left: 3px solid var(--mark, transparent); }
.list > details + details { border-top: 1px solid var(--line); }
.large .entry { content-visibility: auto; contain-intrinsic-size: auto 3.25rem; }
summary { cursor: pointer; }
.list > details > summary { display: grid; grid-template-columns: 6.75rem 4rem minmax(0, 1fr) auto; gap: 0 0.75rem; align-items: baseline; padding: 0.55rem 1rem 0.55rem 0.85rem; list-style: none; }
.list > details > summary::-webkit-details-marker { display: none; }
.list > details > summary:hover { background: var(--sunken); }
.list > details > summary:focus-visible { outline-offset: -2px; }
.what { grid-column: 3; position: relative; padding-left: 1em; }
.what::before { content: '${SIGN.below}' / ''; position: absolute; left: 0; color: var(--dim); font-family: var(--mono); transform-origin: 0.3em 55%; }
[open] > summary > .what::before { transform: rotate(90deg); }
.id { font-weight: 600; }
.entry > summary .said { display: block; color: var(--dim); font-size: 0.875rem; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.entry[open] > summary .said { display: none; }
.parents { color: var(--dim); font-weight: 400; }
.extent { grid-column: 4; font-size: 0.8125rem; white-space: nowrap; }
.verdict { justify-self: start; padding: 0.05rem 0.5rem; border-radius: 1rem; background: var(--tint); color: var(--ink); font-size: 0.8125rem; font-weight: 600; line-height: 1.5; white-space: nowrap; }
.severity { font-size: 0.8125rem; color: var(--dim); white-space: nowrap; }
.severity[data-s='critical'], .severity[data-s='high'], .entry:is([data-s='critical'], [data-s='high']) > summary > .severity { color: var(--text); font-weight: 600; }
.badge { display: inline-block; padding: 0 0.45rem; border-radius: 4px; border: 1px solid currentColor; font: 500 0.75rem/1.4 var(--sans); white-space: normal; vertical-align: 0.05em; }
.badge.quiet { color: var(--mute); } .badge.new, .badge.bad { color: var(--bad); } .badge.waived { color: var(--waived); }
.body { padding: 0.15rem 1rem 0.9rem calc(6.75rem + 4rem + 2.35rem + 1em); display: grid; gap: 0.75rem; }
.body > * { min-width: 0; }
.prose { max-width: 46rem; }
:target:is(.entry, .control) > summary { background: var(--sunken); box-shadow: inset 3px 0 0 var(--focus); }
li:target { background: var(--mute-tint); }

.facts { display: grid; grid-template-columns: minmax(5.5rem, max-content) minmax(0, 1fr); gap: 0.15rem 1rem; font-size: 0.875rem; }
.facts dt { color: var(--dim); }
.facts pre { max-height: 24rem; overflow: auto; padding: 0.5rem 0.75rem; background: var(--sunken); border-radius: 5px; }
.facts li { margin-bottom: 0.1rem; }
.meta { display: flex; flex-wrap: wrap; gap: 0 1.25rem; color: var(--dim); font-size: 0.8125rem; }
.health { font-weight: 600; }
.health[data-h='OK'] { color: var(--good); } .health[data-h='CRITICAL'] { color: var(--bad); } .health[data-h='WARNING'], .health[data-h='UNKNOWN'] { color: var(--warn); }

.drift, .wide { border-collapse: collapse; width: 100%; }
.drift th, .drift td, .wide th, .wide td { text-align: left; vertical-align: baseline; padding: 0.35rem 1rem 0.35rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
.drift thead th, .wide thead th { color: var(--dim); font-size: 0.8125rem; padding-top: 0; }
.drift { table-layout: fixed; font-size: 0.875rem; }
.drift thead th:first-child { width: 12rem; }
.drift th[scope='row'] { font-weight: 600; }
.want code, .after.reached code { color: var(--good); } .found code, .after.missed code { color: var(--bad); }
tr:has(+ .extra) > * { border-bottom: 0; }
.extra td { padding-top: 0; }
.note { color: var(--dim); font-size: 0.875rem; }
.diff { overflow: auto; max-height: 30rem; padding: 0.5rem 0; background: var(--sunken); border: 1px solid var(--line); border-radius: 5px; line-height: 1.5; white-space: pre; tab-size: 4; }
.diff > code { display: block; width: max-content; min-width: 100%; }
.diff span[class|='line'] { display: block; padding: 0 0.75rem; }
.tab { position: relative; }
.tab::before { content: '${SIGN.becomes}' / ''; position: absolute; color: var(--mute-mark); }
.note + .diff { margin-top: 0.35rem; }
.line-good { color: var(--good); background: var(--good-tint); } .line-bad { color: var(--bad); background: var(--bad-tint); } .line-dim { color: var(--dim); }

.folded { margin-top: 0.6rem; }
.folded > summary { padding: 0.3rem 0; color: var(--dim); font-size: 0.875rem; width: fit-content; }
.folded > summary .verdict { margin-right: 0.35rem; }
.folded > ul { border: 1px solid var(--line); border-radius: 6px; background: var(--surface); margin-top: 0.35rem; overflow: clip; }
.folded > ul > li { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: 0.25rem 1rem; border-top: 1px solid var(--line); align-items: baseline; }
.large .folded > ul > li { content-visibility: auto; contain-intrinsic-size: auto 2rem; }
.folded > ul > li:first-child { border-top: 0; }
.folded > ul .id { font-weight: 400; }
.folded .said { color: var(--dim); font-size: 0.875rem; }
.folded .place { margin-left: auto; }
.folded > .scroll, .folded > .list { margin-top: 0.35rem; }

.wide { background: var(--surface); border: 1px solid var(--line); border-radius: 6px; border-collapse: separate; border-spacing: 0; }
.wide + .wide, .folded + .wide { margin-top: 0.75rem; }
.wide th, .wide td { padding: 0.55rem 1rem; }
.wide .date { white-space: nowrap; }
.even { table-layout: fixed; }
.wide.even th[scope='row'] { width: auto; }
.wide thead th { padding-top: 0.55rem; }
.wide tbody tr:last-child > * { border-bottom: 0; }
.wide th[scope='row'] { font-weight: 600; width: 34%; }
.wide th p { font-weight: 400; color: var(--dim); font-size: 0.875rem; white-space: pre-wrap; }
.wide .facts { font-size: 0.8125rem; margin-top: 0.15rem; grid-template-columns: max-content minmax(0, 1fr); }
`
