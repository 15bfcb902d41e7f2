import { expect, test } from 'vitest'
import { DOCUMENTS } from './documents.ts'
import { execute } from './execute.ts'
import { createMachine } from './machine.ts'
import { testDocuments } from './test-documents.ts'

testDocuments(DOCUMENTS.filter((path) => !path.startsWith('docs/guide/')))

const FENCE = '```'

function document(...lines: readonly string[]): string {
  return ['# Title', '', ...lines, '', 'The end.'].join('\n')
}

const POLICY = [
  '<!-- file: absent.yaml -->',
  '',
  `${FENCE}yaml`,
  'ccm: { resources: [{ file: { name: /srv/demo/gone, ensure: absent } }] }',
  FENCE,
  '',
]

test.each([
  {
    behaviour: 'a true output',
    console: [
      '$ driftgate validate absent.yaml',
      'absent.yaml: valid, policy absent (1 resource, 0 controls)',
      '1 policy valid',
    ],
  },
  {
    behaviour: 'a true exit code',
    console: [
      '$ touch /srv/demo/gone',
      '$ driftgate scan absent.yaml --quiet',
      '1 resource: 1 drifted, exit 2',
      '  1 resource drifted at or above severity info',
      '$ echo $?',
      '2',
    ],
  },
  { behaviour: 'lines left out', console: ['$ driftgate scan absent.yaml', '…', '1 resource: 1 compliant, exit 0'] },
])('$behaviour stays as it is', ({ console: lines }) => {
  const markdown = document(...POLICY, `${FENCE}console`, ...lines, FENCE)
  expect(execute(markdown, createMachine())).toBe(markdown)
})

test.each([
  { behaviour: 'a wrong output', console: ['$ driftgate --version', '99.0.0'] },
  { behaviour: 'a missing output', console: ['$ driftgate validate absent.yaml'] },
  { behaviour: 'an output that is not there', console: ['$ true', 'done'] },
  { behaviour: 'a failure passed over', console: ['$ false'] },
  { behaviour: 'a wrong exit code', console: ['$ false', '$ echo $?', '0'] },
  { behaviour: 'a wrong line after lines left out', console: ['$ driftgate scan absent.yaml', '…', 'exit 7'] },
  { behaviour: 'an unknown option', console: ['$ driftgate scan absent.yaml --fxi'] },
])('$behaviour is found', ({ console: lines }) => {
  const markdown = document(...POLICY, `${FENCE}console`, ...lines, FENCE)
  expect(execute(markdown, createMachine())).not.toBe(markdown)
})

test.each([
  { problem: 'a fence that is never closed', lines: [`${FENCE}console`, '$ true'] },
  { problem: 'an indented fence', lines: [`  ${FENCE}console`, '  $ true', `  ${FENCE}`] },
  { problem: 'an output without a command', lines: [`${FENCE}console`, 'done', FENCE] },
])('$problem is refused', ({ lines }) => {
  expect(() => execute(document(...lines), createMachine())).toThrow(/^line \d+: /)
})
