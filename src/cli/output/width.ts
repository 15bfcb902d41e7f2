import process from 'node:process'

const WIDEST = 110

/** How many characters a line of prose on standard output should hold: those of the terminal, as far as it can be read. */
export function outputWidth(): number {
  return Math.min(process.stdout.columns || WIDEST, WIDEST)
}
