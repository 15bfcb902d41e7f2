import type { ReportFormat } from '../../format.ts'

/** One line for each finding, and the exit code. */
export const __ident__: ReportFormat = {
  name: '__format__',
  // Help lists it: for whom, and what it is.
  summary: 'for people: a line for each finding',
  // A `fileName` makes it part of `--out`; `isPublic` lets all users read its files, for what holds numbers and names alone.
  render: async (run) => (await import('./render.ts')).render(run),
}
