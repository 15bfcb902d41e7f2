import { expect, test } from 'vitest'
import type { CommandOutcome } from '../../../src/host/command.ts'
import { applySetting } from '../../../src/subjects/settings/apply.ts'
import type { Activation } from '../../../src/settings/surface.ts'

const OUTPUT = { stdout: '', stderr: '', output: 'line 3: what?' }
const EXITED = (exitCode: number): CommandOutcome => ({ kind: 'exited', exitCode, ...OUTPUT })
const ATTRIBUTES = { uid: 0, gid: 0, mode: 0o644 }

interface Carried {
  readonly activation?: Activation
  readonly hasCheck?: boolean
  /** How each command ends, by a part of it; all others end well. */
  readonly ends?: Readonly<Record<string, CommandOutcome>>
}

function explain(output: string): string | undefined {
  return output.startsWith('/etc/other') ? 'correct /etc/other' : undefined
}

/** What is done, in words, and how it went. */
async function carryOut({ activation = { kind: 'none' }, hasCheck = false, ends = {} }: Carried): Promise<{
  readonly steps: readonly string[]
  readonly outcome: unknown
}> {
  const steps: string[] = []
  const did = (step: string): Promise<{ kind: 'done' }> => {
    steps.push(step)
    return Promise.resolve({ kind: 'done' })
  }
  const check = hasCheck ? { check: (candidate: string) => ['checker', '-t', candidate] as const, explain } : {}
  const outcome = await applySetting(
    {
      createDirectory: (path) => did(`make ${path}`),
      writeFile: (path) => did(`write ${path}`),
      remove: (path) => did(`remove ${path}`),
      run({ argv }) {
        steps.push(argv.join(' '))
        const [, end = EXITED(0)] = Object.entries(ends).find(([part]) => argv.join(' ').includes(part)) ?? []
        return Promise.resolve(end)
      },
    },
    undefined,
    { writes: [{ file: '/etc/a.d/x.conf', text: 'x\n', attributes: ATTRIBUTES, ...check }], activation },
    { signal: new AbortController().signal },
  )
  return { steps, outcome }
}

const WRITE = ['make /etc/a.d', 'write /etc/a.d/x.conf']
const CANDIDATE = '/etc/a.d/.x.conf.driftgate-candidate'

test.each<[string, Carried, readonly string[], object]>([
  ['nothing has to be told', {}, WRITE, { kind: 'done' }],
  ['only a start helps', { activation: { kind: 'reboot', why: 'so' } }, WRITE, { kind: 'done' }],
  [
    'a unit is reloaded where it runs',
    { activation: { kind: 'reload', unit: 'a.service' } },
    [...WRITE, 'sh -c systemctl -q is-active "$1" || exit 0; systemctl reload "$1" sh a.service'],
    { kind: 'done' },
  ],
  [
    'a unit is told by a signal where it runs',
    { activation: { kind: 'signal', unit: 'a.service' } },
    [
      ...WRITE,
      'sh -c systemctl -q is-active "$1" || exit 0; systemctl kill --signal=HUP --kill-who=main "$1" sh a.service',
    ],
    { kind: 'done' },
  ],
  [
    'many restarts are not too many',
    { activation: { kind: 'restart', unit: 'a.service' } },
    [
      ...WRITE,
      'sh -c systemctl -q is-active "$1" || exit 0; systemctl reset-failed "$1"; systemctl restart "$1" sh a.service',
    ],
    { kind: 'done' },
  ],
  [
    'a written change that is not in use is no success',
    { activation: { kind: 'command', argv: ['update', 'it'] }, ends: { update: EXITED(3) } },
    [...WRITE, 'update it'],
    { kind: 'failed', message: 'written, but not in effect: update exited with 3', output: 'line 3: what?' },
  ],
  [
    'a candidate is checked, and taken away',
    { hasCheck: true },
    ['make /etc/a.d', `write ${CANDIDATE}`, `checker -t ${CANDIDATE}`, `remove ${CANDIDATE}`, 'write /etc/a.d/x.conf'],
    { kind: 'done' },
  ],
  [
    'an invalid candidate is not put in place',
    { hasCheck: true, ends: { checker: EXITED(1) } },
    ['make /etc/a.d', `write ${CANDIDATE}`, `checker -t ${CANDIDATE}`, `remove ${CANDIDATE}`],
    { kind: 'failed', message: '/etc/a.d/x.conf was not written: checker exited with 1' },
  ],
  [
    'another file that is the cause is named',
    { hasCheck: true, ends: { checker: { kind: 'exited', exitCode: 1, ...OUTPUT, output: '/etc/other: line 3' } } },
    ['make /etc/a.d', `write ${CANDIDATE}`, `checker -t ${CANDIDATE}`, `remove ${CANDIDATE}`],
    { kind: 'failed', message: '/etc/a.d/x.conf was not written: correct /etc/other' },
  ],
  [
    'nor without the program that checks it',
    { hasCheck: true, ends: { checker: { kind: 'not-started', message: 'there is no checker' } } },
    ['make /etc/a.d', `write ${CANDIDATE}`, `checker -t ${CANDIDATE}`, `remove ${CANDIDATE}`],
    { kind: 'failed', message: '/etc/a.d/x.conf was not written: there is no checker' },
  ],
  [
    'nor with a check that does not end',
    { hasCheck: true, ends: { checker: { kind: 'killed', cause: 'timeout', reason: 'took too long', ...OUTPUT } } },
    ['make /etc/a.d', `write ${CANDIDATE}`, `checker -t ${CANDIDATE}`, `remove ${CANDIDATE}`],
    { kind: 'failed', message: '/etc/a.d/x.conf was not written: checker took too long' },
  ],
])('%s', async (_title, carried, steps, outcome) => {
  const done = await carryOut(carried)
  expect(done.steps).toEqual(steps)
  expect(done.outcome).toMatchObject(outcome)
})
