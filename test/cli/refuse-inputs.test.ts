import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runInProcess } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const POLICY = 'ccm: { resources: [{ file: [{ /nonexistent: { ensure: absent } }] }] }\n'

const CCM = 'manifests: [/nonexistent/site.yaml]\ninterval: 1h\n'

test.each([
  ['the policy', ['policies/site.yaml'], ['--report', 'json=policies/site.yaml']],
  ['a policy of a directory', ['policies'], ['--report', 'json=policies/../policies/site.yaml']],
  ['a symbolic link to it', ['policies'], ['--report', 'json=link.json']],
  ['a hard link to it', ['policies'], ['--report', 'junit=hard.xml']],
  ['its data', ['policies', '--data', 'data.yaml'], ['--report', 'text=data.yaml']],
  ['a waiver', ['policies', '--waivers', 'waivers.yaml'], ['--report', 'ndjson=waivers.yaml']],
  ['the baseline', ['policies', '--baseline', 'data.yaml'], ['--report', 'json=data.yaml']],
  ['output of --out', ['policies', '--facts', 'out/drift.json'], ['--out', 'out']],
  ['the plan', ['policies'], ['--save-plan', 'policies/site.yaml']],
])('a report is not written over what is read: %s', async (_what, inputs, outputs) => {
  const root = temporaryDirectory()
  mkdirSync(join(root, 'policies'))
  mkdirSync(join(root, 'out'))
  const files = ['policies/site.yaml', 'data.yaml', 'waivers.yaml', 'out/drift.json']
  for (const file of files) writeFileSync(join(root, file), POLICY)
  symlinkSync('policies/site.yaml', join(root, 'link.json'))
  linkSync(join(root, 'policies/site.yaml'), join(root, 'hard.xml'))
  const args = [...inputs, ...outputs].map((word) =>
    word.startsWith('--') ? word : word.replace(/(?<=^[a-z]*=|^(?!.*=))/, `${root}/`),
  )
  const { code, stderr } = await runInProcess('scan', ...args)
  expect([code, stderr]).toEqual([1, expect.stringContaining('which is an input: write to another file')])
  for (const file of files) expect(readFileSync(join(root, file), 'utf8')).toBe(POLICY)
})

test.each([
  ['the policy', ['policies/site.yaml'], 'policies/site.yaml'],
  ['a policy of a directory', ['policies'], 'policies/site.yaml'],
  ['a link to the data', ['policies', '--data', 'data.yaml'], 'link.prom'],
  ['a waiver', ['policies', '--waivers', 'waivers.yaml'], 'waivers.yaml'],
  ['a configuration of CCM', ['--ccm-config', 'ccm.yaml'], 'ccm.yaml'],
])('metrics of a watch are not written over what is read: %s', async (_what, inputs, metrics) => {
  const root = temporaryDirectory()
  mkdirSync(join(root, 'policies'))
  const files = { 'policies/site.yaml': POLICY, 'data.yaml': '{}\n', 'waivers.yaml': 'waivers: []\n', 'ccm.yaml': CCM }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text)
  symlinkSync('data.yaml', join(root, 'link.prom'))
  const args = [...inputs, '--metrics', metrics].map((word) => (word.startsWith('--') ? word : join(root, word)))
  const { code, stderr } = await runInProcess('watch', ...args, '--every', '1h')
  expect([code, stderr]).toEqual([1, expect.stringContaining('which is an input: write to another file')])
  for (const [file, text] of Object.entries(files)) expect(readFileSync(join(root, file), 'utf8')).toBe(text)
})

test('metrics of an agent are not written over its data', async () => {
  const root = temporaryDirectory()
  const data = join(root, 'data.yaml')
  writeFileSync(data, '{}\n')
  const { code, stderr } = await runInProcess(
    'agent',
    '--agent',
    join(root, 'agent'),
    '--data',
    data,
    '--metrics',
    data,
  )
  expect([code, stderr]).toEqual([1, expect.stringContaining('which is an input: write to another file')])
})

test('stored reports are not rendered over themselves', async () => {
  const root = temporaryDirectory()
  const [policy, report] = [join(root, 'site.yaml'), join(root, 'run.json')]
  writeFileSync(policy, POLICY)
  await runInProcess('scan', policy, '--quiet', '--report', `json=${report}`)
  const before = readFileSync(report, 'utf8')
  const { code, stderr } = await runInProcess('report', `html=${report}`, report)
  expect([code, stderr]).toEqual([1, expect.stringContaining('would overwrite')])
  expect(readFileSync(report, 'utf8')).toBe(before)
})

test('the text of a report file does not depend on --quiet and --verbose', async () => {
  const root = temporaryDirectory()
  const policy = join(root, 'site.yaml')
  writeFileSync(policy, POLICY)
  const written: string[] = []
  for (const loudness of [[], ['--quiet'], ['--verbose']]) {
    const file = join(root, 'report.txt')
    await runInProcess('scan', policy, ...loudness, '--report', `text=${file}`)
    written.push(readFileSync(file, 'utf8'))
  }
  expect(new Set(written).size).toBe(1)
})
