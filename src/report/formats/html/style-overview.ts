/** Styles of the overview (scores, severities, priorities) and of the matrix of machines. */
export const STYLE_OF_OVERVIEW: string = String.raw`
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
