import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { expect, test } from 'vitest'
import { DRIFTGATE, temporaryDirectory } from '../support/driftgate.ts'
import { writeFiles } from '../support/plugin.ts'

/** A plugin with a type and a format of which these members are replaced. */
function plugin(members: string, render = "() => 'rows\\n'"): string {
  return `import { absent, definePlugin, defineResource, differences } from 'driftgate'
const never = () => new Promise(() => {})
const lamp = defineResource({
  type: 'acme.lamp',
  summary: 'A lamp.',
  properties: {},
  drifts: ['ensure'], uses: ['files'],
  examples: [],
  observe: () => absent(),
  decide: () => differences([{ property: 'ensure', original: 'absent', desired: 'present' }], {
    fix: { action: 1, text: 'Would have lit it' },
  }),
  apply: async () => ({ kind: 'done' }),
  ${members}
})
export const plugin = definePlugin({
  apiVersion: 2,
  types: [lamp],
  reportFormats: [{ name: 'rows', summary: 'Rows', render: ${render} }],
})
`
}

/** What a shell says of a scan with the plugin: the exit code of `driftgate && echo passed` and its output. */
function gate(code: string, options: string): { readonly code: number | null; readonly output: string } {
  const directory = temporaryDirectory()
  writeFiles(directory, { 'p.yaml': 'ccm: { resources: [{ acme.lamp: [{ hall: {} }] }] }\n', 'p.mjs': code })
  const words = `${process.execPath} ${DRIFTGATE} scan p.yaml --plugin ./p.mjs ${options}`
  const script = `${words} 2>&1; code=$?; [ $code = 0 ] && echo passed; exit $code`
  const env = { PATH: process.env['PATH'], HOME: directory }
  const { status, stdout } = spawnSync('/bin/sh', ['-c', script], {
    cwd: directory,
    env,
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { code: status, output: stdout }
}

test.each([
  ['observe', plugin('observe: never'), '', 3, 'observe of acme.lamp returned a promise that never settles'],
  [
    'observe with a time limit',
    plugin('timeoutMs: 600000, observe: never'),
    '',
    3,
    'observe of acme.lamp returned a promise that never settles',
  ],
  ['apply', plugin('apply: never'), '--fix', 4, 'apply of acme.lamp returned a promise that never settles'],
  ['render', plugin('', 'never'), '--report rows', 1, 'cannot render the report rows'],
  [
    'render, beside a report that works',
    plugin('', 'never'),
    '--report rows=rows.txt --report text',
    1,
    '1 resource: 1 drifted',
  ],
])('a promise of %s that never settles fails the gate and is reported', (...[, code, options, exit, words]) => {
  const { code: found, output } = gate(code, options)
  expect({ found, output }).toMatchObject({ found: exit })
  expect(output).toContain(words)
  expect(output).not.toContain('passed')
})

test.each([
  ['its module', `process.exit(0)\n${plugin('')}`, ''],
  ['observe', plugin('observe: () => process.exit(0)'), ''],
  ['observe, as if it had passed', plugin('observe: () => process.exit(2)'), ''],
  ['apply', plugin('apply: () => process.exit(0)'), '--fix'],
  ['render', plugin('', '() => process.exit(0)'), '--report rows'],
])('a plugin that ends the process in %s fails the gate', (_case, code, options) => {
  const { code: found, output } = gate(code, options)
  expect(found).toBe(1)
  expect(output).toContain('driftgate: internal error: the process ended without a result')
})

test('a plugin cannot replace the exit code of a result', () => {
  const late = "process.on('beforeExit', () => process.exit(0))\n"
  expect(gate(late + plugin(''), '').code).toBe(2)
})
