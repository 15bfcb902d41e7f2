import type { Operands } from '../command.ts'

/** The policies a command works on. */
export const POLICIES: Operands = {
  name: 'policies',
  summary: 'files, directories, bundles (archives, URLs), @NAME, or - for stdin',
  atLeast: 1,
  atMost: Infinity,
  arePolicies: true,
}

/** The one policy a command shows something of. */
export const POLICY: Operands = {
  name: 'policy',
  summary: 'a file, a bundle (archive, URL), @NAME, or - for stdin',
  atLeast: 1,
  atMost: 1,
  arePolicies: true,
}
