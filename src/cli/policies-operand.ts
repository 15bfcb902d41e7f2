import type { Operands } from './command.ts'

/** The policies a command works on. */
export const POLICIES: Operands = {
  name: 'policies',
  summary: 'Policy files, directories of policy files, or - for standard input',
  atLeast: 1,
  atMost: Infinity,
}

/** The one policy a command shows something of. */
export const POLICY: Operands = {
  name: 'policy',
  summary: 'A policy file, or - for standard input',
  atLeast: 1,
  atMost: 1,
}
