import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quoteWord } from '../../../src/model/shell-quote.ts'
import { groupEqual } from '../../../src/report/words/equal-results.ts'
import { COMMAND_LINE } from '../../../src/report/words/fix-command.ts'
import { prioritiesOf } from '../../../src/report/words/priorities.ts'
import { requirementsOf } from '../../../src/report/words/requirements.ts'
import { controlResult, policyResult, resourceResult, runOf } from '../../support/run.ts'

const drift = [{ property: 'mode', desired: '0600', observed: '0644' }]

function first(policy: Parameters<typeof policyResult>[0]) {
  return prioritiesOf(requirementsOf(runOf({ policies: [policyResult(policy)] }))).first
}

test('a priority has the finding, the remediation and the command that fixes it', () => {
  const control = controlResult({
    id: 'ssh-01',
    title: 'Root does not log in',
    severity: 'high',
    verdict: 'drifted',
    remediation: 'Say PermitRootLogin no.\n',
  })
  const failing = resourceResult({ name: '/a', verdict: 'drifted', change: 'will', drift, controls: ['ssh-01'] })
  const resources = [resourceResult({ controls: ['ssh-01'] }), failing]
  expect(first({ source: '@ssh', resources, controls: [control] })).toMatchObject([
    {
      title: 'Root does not log in',
      found: 'mode: want 0600, found 0644',
      failing: [failing],
      command: 'driftgate scan @ssh --fix --only ssh-01',
      remediation: 'Say PermitRootLogin no.',
    },
  ])
})

test('without a possible fix there is the reason instead of a command', () => {
  const change = { verdict: 'drifted', change: 'cannot', changeReason: 'no such group', drift } as const
  const [found] = first({ resources: [resourceResult(change)] })
  expect(found).toMatchObject({ obstacle: 'no such group' })
  expect(found).not.toHaveProperty('command')
  const [failed] = first({ resources: [resourceResult({ verdict: 'fix-failed', drift, errors: ['no space left'] })] })
  expect(failed).toMatchObject({ obstacle: 'no space left' })
  expect(failed).not.toHaveProperty('command')
})

test.each([
  ['policies/base.yaml', 'file#/etc/motd', 'driftgate scan policies/base.yaml --fix --only file#/etc/motd'],
  ["it's here.yaml", 'file#/a b', String.raw`driftgate scan 'it'\''s here.yaml' --fix --only 'file#/a b'`],
  ['-x.yaml', 'file#$(x)', "driftgate scan ./-x.yaml --fix --only 'file#$(x)'"],
  ['site.tar.gz!/a/b.yaml', 'file#a', 'driftgate scan site.tar.gz --fix --only file#a'],
  ['-', 'file#a', undefined],
  ['https://example.org/p.tar.gz!/p.yaml', 'file#a', undefined],
  ['a.yaml', 'file#a,b', undefined],
  ['a.yaml', 'file#a*', undefined],
  ['a.yaml', 'file#a\u001b[1m', undefined],
  ['a\nb.yaml', 'file#a', undefined],
])('the command for %s and %s', (source, id, command) => {
  const [found] = first({ source, resources: [resourceResult({ id, verdict: 'drifted', change: 'may', drift })] })
  expect(found?.command).toBe(command)
})

test('the command has the inputs of the scan; with an unknown input there is no command', () => {
  const resources = [resourceResult({ verdict: 'drifted', change: 'will', drift })]
  const commandWith = (inputs: readonly string[]): string | undefined => first({ resources, inputs })[0]?.command
  expect(commandWith(['--data=a b.yaml', '--no-config'])).toBe(
    "driftgate scan policies/base.yaml '--data=a b.yaml' --no-config --fix --only file#/etc/motd",
  )
  expect(commandWith(['--data=site.yaml', '--set='])).toBeUndefined()
})

test('a shell reads a quoted word as it was', () => {
  const words = fc.sample(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), { numRuns: 500, seed: 7 })
  const script = `printf '%s\\n' ${words.map(quoteWord).join(' ')}`
  expect(execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\n').slice(0, -1)).toEqual(words)
})

test('at most five are named, drift before undecided, and the others counted', () => {
  const resources = [
    resourceResult({ name: '/error', verdict: 'error', severity: 'critical', message: 'permission denied' }),
    ...Array.from({ length: 6 }, (_, index) => resourceResult({ name: `/${index}`, verdict: 'drifted', drift })),
    resourceResult({ name: '/waived', verdict: 'waived', severity: 'critical' }),
  ]
  const requirements = requirementsOf(runOf({ policies: [policyResult({ resources })] }))
  const { first: shown, others } = prioritiesOf(requirements)
  expect(shown.map(({ title }) => title)).toEqual([0, 1, 2, 3, 4].map((index) => `file#/${index}`))
  expect(others).toBe(2)
  expect(prioritiesOf(requirements, 7).first.at(-1)).toMatchObject({ title: 'file#/error', found: 'permission denied' })
})

test('a group has only findings with the same text', () => {
  const same = { verdict: 'drifted', drift, message: 'said by the drift' } as const
  const results = [
    resourceResult({ ...same, name: '/a', controls: ['one'] }),
    resourceResult({ ...same, name: '/b', verdict: 'error', drift: [], message: 'x' }),
    resourceResult({ ...same, name: '/c', controls: ['two'], durationMs: 7, message: 'the same in other words' }),
    resourceResult({ ...same, name: '/d', verdict: 'error', drift: [], message: 'y' }),
    resourceResult({ ...same, name: '/e', severity: 'low' }),
    resourceResult({ ...same, name: '/f', drift: [{ property: 'mode', desired: '0600', observed: '0640' }] }),
    resourceResult({ ...same, name: '/g', path: ['apply#x'] }),
  ]
  expect(groupEqual(results).map((group) => group.map(({ name }) => name))).toEqual([
    ['/a', '/c'],
    ['/b'],
    ['/d'],
    ['/e'],
    ['/f'],
    ['/g'],
  ])
})

test.each([
  ['will', 'mode: want 0600, found 0644; run the same command with --fix to fix it'],
  ['cannot', 'mode: want 0600, found 0644'],
] as const)('of a resource of the command line that a fix %s change', (change, found) => {
  const failing = resourceResult({ verdict: 'drifted', change, drift })
  expect(first({ source: COMMAND_LINE, resources: [failing] })).toMatchObject([{ found }])
})
