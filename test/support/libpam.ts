import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import { RETURNS } from '../../src/subjects/pam/stack/control.ts'

/** Where Debian has the modules of Linux-PAM. */
export const MODULES = '/usr/lib/x86_64-linux-gnu/security'

/** What libpam answers each question: the directory of the services, the service, its type, and the user if it is not root. */
export function askLibpam(questions: readonly (readonly string[])[]): readonly string[] {
  const { stdout, stderr, status } = spawnSync('python3', ['test/support/libpam.py'], {
    input: questions.map((each) => JSON.stringify(each)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  expect(status, stderr).toBe(0)
  return stdout
    .trim()
    .split('\n')
    .map((answer) => RETURNS[Number(answer)] ?? String(JSON.parse(answer)))
}
