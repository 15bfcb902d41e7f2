import type { Operands } from '../command.ts'

/** Operands of commands that work on policies. */
export const POLICIES: Operands = {
  name: 'policies',
  summary: 'files, directories, bundles (archives, URLs), @NAME, or - for stdin',
  atLeast: 1,
  atMost: Infinity,
  arePolicies: true,
}

/** Operand of commands that work on one policy. */
export const POLICY: Operands = {
  name: 'policy',
  summary: 'a file, a bundle (archive, URL), @NAME, or - for stdin',
  atLeast: 1,
  atMost: 1,
  arePolicies: true,
}
