import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderReport, reportFormats } from '../../src/report/index.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { audit, problemsOf } from './audit.ts'

const PASSWORD = 'hunter22'
const PIN = 90_210
const KEY = ['-----BEGIN KEY-----', 'c2VjcmV0LWxpbmUtb25l', 'c2VjcmV0LWxpbmUtdHdv', '-----END KEY-----', ''].join('\n')

/** Resources that let the secrets of the data come up in every place a report has. */
function policyIn(directory: string): string {
  const own = `owner: "${process.getuid?.() ?? 0}", group: "${process.getgid?.() ?? 0}", mode: "0644"`
  return `data:
  # @sensitive
  password: ${PASSWORD}
  # Everything below is secret.
  # @sensitive
  deep: {pins: [${PIN}], inner: {token: tok-12345}}
  # @sensitive
  key: ${JSON.stringify(KEY)}
ccm:
  resources:
    - file: {name: ${directory}/content, ensure: present, ${own}, content: "pw={{ Data.password }} pin={{ Data.deep.pins[0] }}\\n"}
    - file: {name: ${directory}/key, ensure: present, ${own}, content: "{{ Data.key }}"}
    - file: {name: ${directory}/owner, ensure: present, owner: "x{{ Data.password }}x", group: root, mode: "0644"}
    - file: {name: ${directory}/mode, ensure: present, owner: root, group: root, mode: "{{ Data.deep.inner.token }}"}
    - file: {name: ${directory}/source, ensure: present, ${own}, source: "none-{{ Data.password }}"}
    - file: {name: ${directory}/error, ensure: present, ${own}, content: "{{ readFile('/nowhere/' + Data.password) }}"}
    - file: {name: ${directory}/lookup, ensure: present, ${own}, content: "{{ lookup(Data.deep.inner.token) }}"}
`
}

test('secrets of the data surface nowhere: not in values, differences, messages or errors, nor inside of larger text', async () => {
  const directory = temporaryDirectory()
  const found: readonly (readonly [string, string])[] = [
    ['content', `old pw=${PASSWORD}\n`],
    ['key', `added\n${KEY}`],
    ['owner', ''],
    ['mode', ''],
    ['source', ''],
  ]
  for (const [name, text] of found) writeFileSync(join(directory, name), text, { mode: 0o644 })
  const { run, results } = await audit(directory, policyIn(directory))
  const verdicts = Object.values(results).map(({ verdict }) => verdict)
  expect(verdicts.slice(0, 3)).toEqual(['drifted', 'drifted', 'drifted'])
  expect(verdicts.slice(3)).toEqual(['error', 'error', 'error', 'error'])
  const shown = [...(await Promise.all(reportFormats.map(({ name }) => renderReport(run, name)))), JSON.stringify(run)]
  for (const secret of [PASSWORD, String(PIN), 'tok-12345', 'c2VjcmV0LWxpbmUtb25l', 'c2VjcmV0LWxpbmUtdHdv']) {
    for (const text of shown) expect(text).not.toContain(secret)
  }
  expect(results[`file#${directory}/content`]?.drift).toMatchObject([
    { property: 'content', desired: { redacted: true } },
  ])
})

test('secrets that come from a flag are secrets as well', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'content'), '', { mode: 0o644 })
  const { run } = await audit(directory, policyIn(directory), { set: ['password=from-the-flag'] })
  expect(JSON.stringify(run)).not.toContain('from-the-flag')
})

test('an annotation that cannot be evaluated does not reveal its intermediate value', async () => {
  const text = `data:
  # @sensitive
  # @validate int(upper(value)) > 3
  pin: ${PASSWORD}
ccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}
`
  const problems = await problemsOf(temporaryDirectory(), text)
  expect(problems).toEqual(['3:5 key "pin" validation "int(upper(value)) > 3" failed'])
})

test('an annotation that fails does not show the value', async () => {
  const text = `data:
  # @sensitive
  # @validate isInt(value)
  pin: ${PASSWORD}
ccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}
`
  expect(await problemsOf(temporaryDirectory(), text)).toEqual(['3:5 key "pin" failed validation "isInt(value)"'])
})
