import type { Operands } from './command.ts'

/** The policies a command works on. */
export const POLICIES: Operands = {
  name: 'policies',
  summary: 'Policy files, directories of policy files, or - for standard input',
  atLeast: 1,
  atMost: Infinity,
}
