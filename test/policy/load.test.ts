import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadDocuments, loadPolicy } from '../../src/policy/load.ts'
import { localSource } from '../../src/policy/fetch/files.ts'
import { resourceTypes } from '../support/resource-types.ts'
import { asOrdinaryUser } from '../support/unprivileged.ts'

const SOUND = 'ccm: {resources: [{file: {name: /a, ensure: absent}}]}\n'
const options = { types: resourceTypes }
let directory = ''

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'driftgate-policy-'))
  await chmod(directory, 0o755)
})

afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})

/** The problems of a load as `message` or `line:column message`, the temporary directory left out. */
async function problemsOf(...sources: readonly string[]): Promise<string[]> {
  const result = await loadPolicy(sources, options)
  if (result.ok) return []
  return result.problems.map(({ position, message }) =>
    (position === undefined ? message : `${position.file}:${position.line}:${position.column} ${message}`).replaceAll(
      `${directory}/`,
      '',
    ),
  )
}

test('files and directories, each policy once, those of a directory by name', async () => {
  await mkdir(join(directory, 'dir/nested.yaml'), { recursive: true })
  for (const name of ['b.yml', 'a.yaml', 'c.json', 'd.YAML', 'e.Yml', 'f.JSON', '.hidden.yaml', 'notes.txt']) {
    await writeFile(join(directory, 'dir', name), SOUND)
  }
  await writeFile(join(directory, 'z.policy'), `\uFEFF${SOUND}`)
  const file = join(directory, 'z.policy')
  const result = await loadPolicy([file, join(directory, 'dir'), file], options)
  if (!result.ok) throw new Error('all are sound')
  expect(result.value.map(({ id }) => id)).toEqual(['z', 'a', 'b', 'c', 'd', 'e', 'f'])
  expect(result.value[1]).toMatchObject({
    source: join(directory, 'dir/a.yaml'),
    workingDirectory: join(directory, 'dir'),
    sha256: createHash('sha256').update(SOUND).digest('hex'),
  })
  expect(result.value[0]?.sha256).toBe(createHash('sha256').update(`\uFEFF${SOUND}`).digest('hex'))
})

test('the problems of all files come together', async () => {
  await writeFile(join(directory, 'a.yaml'), 'x: 1\n')
  await writeFile(join(directory, 'b.yaml'), SOUND)
  await writeFile(join(directory, 'c.yaml'), '')
  expect(await problemsOf(join(directory, 'a.yaml'), join(directory, 'none.yaml'), directory)).toEqual([
    'none.yaml: cannot be read: no such file or directory',
    'a.yaml:1:1 a policy needs a "ccm" section with its resources',
    'a.yaml:1:1 unknown key "x"',
    'c.yaml:1:1 the policy is empty',
  ])
})

test.each([
  ['without any policy', [], ['missing policies']],
  ['in an empty directory', ['.'], ['.: the directory has no .yaml, .yml or .json file']],
  ['below a file', ['file/x.yaml'], ['file/x.yaml: cannot be read: a part of the path is not a directory']],
])('there is nothing to load %s', async (_title, names, problems) => {
  await writeFile(join(directory, 'file'), '')
  expect(await problemsOf(...names.map((name) => `${directory}/${name}`))).toEqual(problems)
})

test('the schema that an editor uses beside policies is not a policy of the directory', async () => {
  await writeFile(join(directory, 'policy.schema.json'), '{}')
  expect(await problemsOf(directory)).toEqual([expect.stringContaining('has no .yaml, .yml or .json file')])
  await writeFile(join(directory, 'a.yaml'), 'ccm: { resources: [{ file: [{ /x: { ensure: absent } }] }] }')
  expect(await problemsOf(directory)).toEqual([])
})

test('bytes that are not UTF-8 are told with their place', async () => {
  // A replacement character that is really there is fine; e9 alone is Latin-1.
  const bytes = Buffer.concat([Buffer.from('# \uFFFD é\nccm: x'), Buffer.from([0xe9, 0x0a])])
  await writeFile(join(directory, 'a.yaml'), bytes)
  await writeFile(join(directory, 'b.yaml'), Buffer.concat([Buffer.from('\uFEFFab'), Buffer.from([0xff])]))
  expect(await problemsOf(directory)).toEqual([
    'a.yaml:2:7 not valid UTF-8: save the file as UTF-8',
    'b.yaml:1:3 not valid UTF-8: save the file as UTF-8',
  ])
})

test('a file above the limit is not read', async () => {
  await writeFile(join(directory, 'a.yaml'), '')
  await truncate(join(directory, 'a.yaml'), 64 * 1024 * 1024 + 1)
  expect(await problemsOf(directory)).toEqual(['a.yaml: cannot be read: it is larger than 67108864 bytes'])
})

test('a file that may not be read says so', async () => {
  await writeFile(join(directory, 'a.yaml'), SOUND)
  await chmod(join(directory, 'a.yaml'), 0)
  const problems = await asOrdinaryUser(() => problemsOf(directory))
  expect(problems).toEqual(['a.yaml: cannot be read: permission denied'])
})

test('a pipe is not waited for', async () => {
  execFileSync('mkfifo', [join(directory, 'pipe.yaml')])
  expect(await problemsOf(directory)).toEqual(['pipe.yaml: cannot be read: it is not a regular file'])
})

test('standard input is a policy in the current directory', async () => {
  const readStdin = (): ReturnType<typeof localSource.readStdin> =>
    Promise.resolve({ file: '-', bytes: Buffer.from(SOUND), workingDirectory: '/srv' })
  const result = await loadDocuments(['-', '-'], { ...options, source: { ...localSource, readStdin } })
  expect(result).toMatchObject({
    ok: true,
    value: [{ policy: { id: 'stdin', source: '-', workingDirectory: '/srv' } }],
  })
  expect(result.ok && result.value.length).toBe(1)
})
