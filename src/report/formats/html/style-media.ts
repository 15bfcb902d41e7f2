/** Styles for narrow screens, pages without script, print, reduced motion and increased contrast. */
export const STYLE_OF_MEDIA: string = String.raw`
@media screen and (max-width: 52rem) {
  .page { padding: 1.25rem 1rem 3rem; }
  .body { padding-left: 1.85rem; }
  .list > details > summary { grid-template-columns: auto 1fr auto; padding-right: 0.75rem; }
  .what { grid-column: 1 / -1; grid-row: 2; }
  .extent { grid-column: 3; grid-row: 1; }
  .entry > summary .said { white-space: normal; }
}
@media screen and (max-width: 36rem) {
  h1 { font-size: 1.375rem; }
  .tiles { grid-template-columns: repeat(auto-fill, minmax(6.5rem, 1fr)); }
  .tile { padding: 0.45rem 0.65rem; }
  #filters, .outcome-panel, .problems, figure { padding: 0.8rem 0.9rem; }
  fieldset { flex-wrap: wrap; gap: 0.15rem; }
  legend { width: 100%; }
  .search kbd { display: none; }
  .search input { padding-right: 0.7rem; }
  .selects { display: grid; }
  .selects label { justify-content: space-between; }
  .selects select { width: 70%; max-width: none; }
  .drift thead, .wide thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  .drift tr, .wide tr { display: block; padding: 0.35rem 0; border-bottom: 1px solid var(--line); }
  .drift th, .drift td, .wide th, .wide td { display: block; width: auto !important; border: 0; padding: 0.1rem 0; }
  .wide tbody tr { padding: 0.6rem 0.9rem; }
  .wide th, .wide td { padding: 0.15rem 0; }
  .drift tr:has(+ .extra) { border-bottom: 0; }
  .drift td:not([colspan]), .wide td { display: grid; grid-template-columns: 6rem minmax(0, 1fr); align-items: baseline; }
  .drift td::before, .wide td::before { color: var(--dim); font-size: 0.8125rem; }
  .drift td[colspan]::before { content: none; }
  .want::before { content: 'wanted'; } .found::before { content: 'found'; } .after::before { content: 'after the fix'; }
  .wide td::before { content: attr(data-label); }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd + dt { margin-top: 0.35rem; }
  .wide .facts { gap: 0 0.75rem; }
  .wide .facts dd + dt { margin-top: 0; }
  .folded .place { margin-left: 0; }
}
@media (scripting: none) {
  details::details-content { content-visibility: visible; display: block; height: auto; }
  .large .entry, .large .folded > ul > li { content-visibility: visible; }
}
@media (prefers-reduced-motion: no-preference) {
  .what::before { transition: transform 0.12s; }
}
@media (forced-colors: active) {
  .verdict, .tile[aria-pressed='true'] { border: 2px solid; }
  .share rect, .bars rect, .legend span::before { forced-color-adjust: none; }
}
@media print {
  :root {
    color-scheme: light;
    --ground: #ffffff; --surface: #ffffff; --sunken: #ffffff; --text: #000000; --dim: #444444; --line: #bbbbbb;
    --link: #000000;
    --good: #14632d; --good-tint: #ffffff; --good-mark: #2c8a4b;
    --bad: #a01c1a; --bad-tint: #ffffff; --bad-mark: #cf3b32;
    --warn: #7a4900; --warn-tint: #ffffff; --warn-mark: #d08a12;
    --fixed: #0b4f8f; --fixed-tint: #ffffff; --fixed-mark: #2f7fcb;
    --waived: #5b3a99; --waived-tint: #ffffff; --waived-mark: #8460c9;
    --mute: #555b62; --mute-tint: #ffffff; --mute-mark: #a6abb0;
  }
  html { font-size: 10pt; }
  .page { max-width: none; padding: 0; }
  nav, .skip, #filters > :not(.outcome), #filters button, .self, .what::before { display: none !important; }
  #filters { border: 0; padding: 0; }
  .outcome { border: 0; padding: 0; }
  main { gap: 1.5rem; }
  .large .entry, .large .folded > ul > li { content-visibility: visible; }
  details:not(.folded)::details-content { content-visibility: visible; display: block; height: auto; }
  .what { padding-left: 0; }
  .list > details > summary { padding-top: 0.3rem; padding-bottom: 0.3rem; }
  .verdict { border: 1px solid currentColor; }
  .outcome-panel, .tile, .problems, tr, .list > details > summary, .folded li { break-inside: avoid; }
  h2, h3, .group > header, .list > details > summary { break-after: avoid; }
  .diff, .facts pre, .problems pre { white-space: pre-wrap; max-height: none; overflow: visible; }
  .diff > code { width: auto; }
  .list, .folded > ul { overflow: visible; }
  .body { padding-left: 1.85rem; }
  .share, .bars, .tile, .verdict, .list > details { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`
