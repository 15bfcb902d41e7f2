import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { sudoers } from '../../../src/subjects/sudo/index.ts'
import { explainVisudo } from '../../../src/subjects/sudo/visudo.ts'
import { recordFiles } from '../../../src/settings/files.ts'
import { cannotMount } from '../../support/mount.ts'
import { machineOf } from '../../support/setting-machine.ts'
import { cannotAsk, named } from '../../support/surface-oracle.ts'

const OTHER = '/etc/sudoers.d/50-other'
const CANDIDATE = '/etc/sudoers.d/.zz-driftgate.driftgate-candidate'
const BEGIN = 'visudo rejects every change because '

/** What the check of a fix prints with this in place of /etc/sudoers.d, and what it prints behind a repair. */
function checkedWith(prepare: string, repair: string): { readonly output: string; readonly after: number | null } {
  const { check } = sudoers.writes(recordFiles(machineOf({})).files, { section: '', key: 'Defaults.use_pty' })
  const [program, ...args] = check?.(CANDIDATE) ?? ['false']
  const script = `mount -t tmpfs -o mode=0755 none /etc/sudoers.d; umask 0226; shift 2
    echo 'Defaults use_pty' > ${CANDIDATE}; echo 'Defaults use_pty' > ${OTHER}
    ${prepare}; "$@" 2>&1; echo "ended with $?"; ${repair}; "$@" > /dev/null 2>&1`
  const { stdout, status } = spawnSync('unshare', ['--mount', 'sh', '-c', script, 'sh', '-', '-', program, ...args], {
    encoding: 'utf8',
  })
  return { output: stdout, after: status }
}

const needs = cannotAsk(['visudo', 'unshare'], 'root') ?? cannotMount

test.skipIf(needs).each<[string, string, string, string]>([
  [
    'the mode of another file',
    `chmod 0644 ${OTHER}`,
    `chmod 0440 ${OTHER}`,
    `${BEGIN}the mode of ${OTHER} is not 0440 (run chmod 0440 ${OTHER}); then fix again`,
  ],
  [
    'the owner of another file',
    `chown 1000:1000 ${OTHER}`,
    `chown 0:0 ${OTHER}`,
    `${BEGIN}${OTHER} has another owner (run chown 0:0 ${OTHER}); then fix again`,
  ],
  [
    'a line of another file',
    `chmod 0640 ${OTHER}; echo 'garbage x x' >> ${OTHER}; chmod 0440 ${OTHER}`,
    `rm ${OTHER}`,
    `${BEGIN}${OTHER}:2 is not a valid sudoers line (correct it with visudo -f ${OTHER}); then fix again`,
  ],
])(
  named('%s is named with what to do, and with that done visudo accepts it', needs),
  (_, prepare, repair, expected) => {
    const { output, after } = checkedWith(prepare, repair)
    expect(output).toContain('ended with 1')
    expect(explainVisudo(output)).toBe(expected)
    expect(after).toBe(0)
  },
)

test.skipIf(needs)(named('an error in the candidate itself is not attributed to other files', needs), () => {
  const { output, after } = checkedWith(`echo 'garbage x x' > ${CANDIDATE}`, `echo 'Defaults use_pty' > ${CANDIDATE}`)
  expect(output).toContain('syntax error')
  expect(explainVisudo(output)).toBeUndefined()
  expect(after).toBe(0)
})
