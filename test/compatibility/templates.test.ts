import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { renderReport, scan } from '../../src/index.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { fileResources, load, loadSound, MINE, problemsOf, resultOf, resultsOf, scanWith } from './support.ts'

test('a broken template affects only its resource', async () => {
  const directory = temporaryDirectory()
  const run = await scanWith(
    directory,
    fileResources(
      `- /nowhere/template: { ensure: present, content: "{{ lookup('data.missing') }}", mode: "0644", ${MINE} }`,
      `- /nowhere/control: { ensure: absent, control: { if: "lookup('data.missing')" } }`,
      '- /nowhere/sound: { ensure: absent }',
    ),
  )
  expect(resultsOf(run).map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ['error', 'template'],
    ['error', 'template'],
    ['compliant', undefined],
  ])
})

test('templates are expanded exactly once', async () => {
  const directory = temporaryDirectory()
  const path = `${directory}/file`
  const text = `data: { greeting: "{{ '{{ 1 + 41 }}' }}" }\n${fileResources(
    `- ${path}: { ensure: present, content: "{{ Facts.hostile }} {{ Data.greeting }}", mode: "0644", ${MINE} }`,
  )}`
  await scanWith(directory, text, { fix: true, fact: ['hostile={{ 1 + 41 }}'] })
  expect(readFileSync(path, 'utf8')).toBe('{{ 1 + 41 }} {{ 1 + 41 }}')
})

test('shell variables can be written', async () => {
  const directory = temporaryDirectory()
  const path = `${directory}/script`
  const content = "echo $HOME $$${HOME} $(id) {{ '{{' }} x }}"
  await scanWith(
    directory,
    fileResources(`- ${path}: { ensure: present, content: ${JSON.stringify(content)}, mode: "0755", ${MINE} }`),
    { fix: true },
  )
  expect(readFileSync(path, 'utf8')).toBe('echo $HOME $${HOME} $(id) {{ x }}')
})

test('secrets are redacted in every channel', async () => {
  const directory = temporaryDirectory()
  const path = `${directory}/file`
  writeFileSync(path, 'password = hunter2-old')
  const text = [
    'data:',
    '  # @sensitive',
    '  password: hunter2-new',
    fileResources(
      `- ${path}: { ensure: present, content: "password = {{ Data.password }}", mode: "0644", ${MINE} }`,
      `- ${path}.own: { ensure: present, content: hunter2-own, mode: "0644", ${MINE}, sensitive: true }`,
      `- "/nowhere/{{ Data.password }}": { ensure: present, mode: "{{ Data.password }}", ${MINE} }`,
    ),
  ].join('\n')
  writeFileSync(`${path}.own`, 'hunter2-other')
  const run = await scanWith(directory, text)
  expect(resultsOf(run).map(({ verdict }) => verdict)).toEqual(['drifted', 'drifted', 'error'])
  for (const format of ['text', 'json', 'junit']) {
    const report = await renderReport(run, format)
    expect(report).not.toMatch(/hunter2-(new|own|other)/)
    expect(report).toMatch(/secret|redacted/)
  }
})

test('unless is not evaluated after a false if', async () => {
  const directory = temporaryDirectory()
  const control = '{ if: "false", unless: "lookup(\'data.missing\')" }'
  const run = await scanWith(
    directory,
    fileResources(`- /nowhere/ruled-out: { ensure: absent, control: ${control} }`, '- /nowhere/x: { ensure: absent }'),
  )
  expect(resultsOf(run).map(({ verdict }) => verdict)).toEqual(['not-applicable', 'compliant'])
  const broken = fileResources('- /x: { ensure: absent, control: { if: "false", unless: "1 +" } }')
  expect(await problemsOf(directory, broken)).toEqual([expect.stringMatching(/^4:\d+ /)])
})

test('facts have their documented names', async () => {
  const directory = temporaryDirectory()
  const template = "{{ Facts.host.info.os }} {{ lookup('facts.host.info.os') }} {{ Facts.host.info.OS }}"
  const path = `${directory}/file`
  await scanWith(
    directory,
    fileResources(`- ${path}: { ensure: present, content: "${template}", mode: "0644", ${MINE} }`),
    { fix: true },
  )
  expect(readFileSync(path, 'utf8')).toBe(`${process.platform} ${process.platform} ${process.platform}`)
})

test('a file .env is only read if an option names it', async () => {
  const directory = temporaryDirectory()
  writeFileSync(`${directory}/.env`, 'DRIFTGATE_TEST="from the file"\n')
  const named = `${directory}/.env`
  const content = '<{{ Environ.DRIFTGATE_TEST ?? `` }}>'
  const path = `${directory}/file`
  const policy = fileResources(`- ${path}: { ensure: present, content: "${content}", mode: "0644", ${MINE} }`)
  await scanWith(directory, policy, { fix: true, environ: {} })
  expect(readFileSync(path, 'utf8')).toBe('<>')
  await scanWith(directory, policy, { fix: true, environ: {}, envFile: named })
  expect(readFileSync(path, 'utf8')).toBe('<from the file>')
})

test('an unset variable has its default', async () => {
  const path = `${temporaryDirectory()}/file`
  const content = "<{{ Environ.DRIFTGATE_UNSET ?? 'd' }}>"
  const policy = fileResources(`- ${path}: { ensure: present, content: "${content}", mode: "0644", ${MINE} }`)
  await scanWith(temporaryDirectory(), policy, { fix: true, environ: {} })
  expect(readFileSync(path, 'utf8')).toBe('<d>')
})

test('custom facts that other users can change are not used', async () => {
  const directory = temporaryDirectory()
  mkdirSync(`${directory}/driftgate`)
  const file = `${directory}/driftgate/facts.yaml`
  const policy = fileResources('- "/nowhere/{{ Facts.role ?? \'none\' }}": { ensure: absent }')
  const environ = { XDG_CONFIG_HOME: directory }
  writeFileSync(file, 'role: web\n', { mode: 0o644 })
  expect((await loadSound(directory, policy, { environ }))[0]?.resources[0]?.name).toBe('/nowhere/web')
  execFileSync('chmod', ['0666', file])
  const loaded = await load(directory, policy, { environ })
  expect(loaded.ok && loaded.warnings.map(({ message }) => message)).toEqual([expect.stringContaining(file)])
  if (!loaded.ok) throw new Error('the policy is sound')
  expect(resultOf(await scan(loaded.value))).toMatchObject({ verdict: 'error', reason: 'not-observable' })
})

test('nil is never written', async () => {
  const run = await scanWith(
    temporaryDirectory(),
    `data: { empty: null }\n${fileResources(`- /nowhere/x: { ensure: present, content: "a {{ Data.empty }}", mode: "0644", ${MINE} }`)}`,
  )
  expect(resultOf(run)).toMatchObject({ verdict: 'error', reason: 'template' })
})

test.each(['Facts.nope', 'Facts.host.info.nope', 'Data.nope', 'Environ.NOPE_OF_TESTS', 'Data.a.nope'])(
  'reading a missing value is an error',
  async (expression) => {
    const run = await scanWith(
      temporaryDirectory(),
      `data: { a: {} }\n${fileResources(`- /nowhere/x: { ensure: absent, control: { if: "${expression} == 'x'" } }`)}`,
    )
    expect(resultOf(run)).toMatchObject({ verdict: 'error', reason: 'template' })
  },
)

test('a lookup of a missing fact in a level needs a default', async () => {
  const policy = (lookup: string): string =>
    `hierarchy: { order: ["role:{{ ${lookup} }}"] }\n${fileResources('- /nowhere/x: { ensure: absent }')}`
  expect(await problemsOf(temporaryDirectory(), policy("lookup('facts.role')"))).toEqual([
    expect.stringContaining('facts.role'),
  ])
  expect(await problemsOf(temporaryDirectory(), policy("lookup('facts.role', '')"))).toEqual([])
})

test('data of a missing fact is an error of the policy', async () => {
  const policy = `data: { a: "{{ Facts.nope }}" }\n${fileResources('- /nowhere/x: { ensure: absent }')}`
  expect(await problemsOf(temporaryDirectory(), policy)).toEqual([expect.stringContaining('"nope"')])
})

test('a resource reads values of an earlier one', async () => {
  const directory = temporaryDirectory()
  const path = `${directory}/file`
  writeFileSync(path, 'four', { mode: 0o640 })
  const run = await scanWith(
    directory,
    fileResources(
      `- ${path}: { ensure: present, content: five5, mode: "0644", ${MINE} }`,
      `- ${path}.size: { ensure: present, content: '{{ Resources["file#${path}"].size + 1 }}', mode: "0644", ${MINE} }`,
    ),
    { fix: true },
  )
  expect(resultsOf(run).map(({ verdict }) => verdict)).toEqual(['fixed', 'fixed'])
  expect(readFileSync(`${path}.size`, 'utf8')).toBe('6')
})
