import type { Operands } from '../command.ts'

/** The policies a command works on. */
export const POLICIES: Operands = {
  name: 'policies',
  summary:
    'Policy files, directories of them, bundles (.tar.gz, .tgz, .tar, .zip; also http(s) addresses), @NAME for one that ships, or - for standard input',
  atLeast: 1,
  atMost: Infinity,
  arePolicies: true,
}

/** The one policy a command shows something of. */
export const POLICY: Operands = {
  name: 'policy',
  summary: 'A policy file, a bundle (by path or http(s) address), @NAME for one that ships, or - for standard input',
  atLeast: 1,
  atMost: 1,
  arePolicies: true,
}
