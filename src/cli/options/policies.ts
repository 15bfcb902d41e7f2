import type { Operands } from '../command.ts'

/** The policies a command works on. */
export const POLICIES: Operands = {
  name: 'policies',
  summary:
    'policy files, directories, bundles (.tar.gz, .tgz, .tar, .zip, URLs), @NAME for a shipped policy, or - for standard input',
  atLeast: 1,
  atMost: Infinity,
  arePolicies: true,
}

/** The one policy a command shows something of. */
export const POLICY: Operands = {
  name: 'policy',
  summary: 'a policy file, a bundle (path or URL), @NAME for a shipped policy, or - for standard input',
  atLeast: 1,
  atMost: 1,
  arePolicies: true,
}
