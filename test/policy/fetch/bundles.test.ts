import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Run } from '../../../src/model/run.ts'
import { scan } from '../../../src/engine/local.ts'
import { loadDocuments, type LoadedPolicies, loadPolicy } from '../../../src/policy/load.ts'
import { renderPolicy } from '../../../src/engine/inspect/render/index.ts'
import { resourceTypes } from '../../support/resource-types.ts'
import { checksumOfFile, filesIn, pack, packDirectory, serve, serveFile } from '../../support/bundles.ts'
import { tarBytes } from '../../support/tar-bytes.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const SOUND = 'ccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}\n'

let temporary = ''

beforeEach(() => {
  temporary = temporaryDirectory()
  vi.stubEnv('TMPDIR', temporary)
  return () => vi.unstubAllEnvs()
})

/** What lies among the temporary files beside those of the tests themselves. */
function leftovers(): string[] {
  return readdirSync(temporary).filter((name) => !name.startsWith('driftgate-test-'))
}

function problemsIn(loaded: LoadedPolicies): string[] {
  return loaded.ok ? [] : loaded.problems.map(({ message }) => message)
}

async function scanned(loaded: Extract<LoadedPolicies, { ok: true }>): Promise<Run> {
  try {
    return await scan(loaded.value)
  } finally {
    await loaded.dispose()
  }
}

async function problemsOf(source: string, checksum?: string): Promise<string[]> {
  const loaded = await loadPolicy(source, checksum === undefined ? {} : { checksum })
  expect(loaded.ok).toBe(false)
  expect(leftovers()).toEqual([])
  return problemsIn(loaded)
}

test.each(['b.tar.gz', 'b.tgz', 'b.tar', 'b.zip', 'B.TGZ'])(
  'a policy is read from %s and leaves nothing',
  async (name) => {
    const archive = pack(name.toLowerCase(), { 'manifest.yaml': SOUND, 'files/a': 'x' })
    const loaded = await loadPolicy(archive)
    if (!loaded.ok) throw new Error(problemsIn(loaded).join())
    const [policy] = loaded.value
    expect(policy).toMatchObject({ id: 'manifest', source: `${archive}!/manifest.yaml` })
    const { workingDirectory = '' } = policy ?? {}
    expect(dirname(dirname(workingDirectory))).toBe(temporary)
    expect(statSync(dirname(workingDirectory)).mode & 0o777).toBe(0o700)
    expect(readdirSync(workingDirectory).toSorted()).toEqual(['files', 'manifest.yaml'])
    await loaded.dispose()
    expect(leftovers()).toEqual([])
  },
)

test('a policy may lie in the only folder, whose files it names', async () => {
  const target = join(temporaryDirectory(), 'motd')
  writeFileSync(target, 'hello\n')
  const { uid, gid, mode } = statSync(target)
  const archive = pack('web.tgz', {
    'web-1.0/policy.yaml': JSON.stringify({
      ccm: {
        resources: [
          {
            file: {
              name: target,
              ensure: 'present',
              source: 'files/motd',
              owner: String(uid),
              group: String(gid),
              mode: (mode & 0o777).toString(8),
            },
          },
        ],
      },
    }),
    'web-1.0/files/motd': 'hello\n',
    'README.md': 'about',
  })
  const loaded = await loadPolicy(archive)
  if (!loaded.ok) throw new Error(problemsIn(loaded).join())
  expect(loaded.value[0]?.source).toBe(`${archive}!/web-1.0/policy.yaml`)
  const run = await scanned(loaded)
  expect(run.policies[0]?.resources).toMatchObject([{ verdict: 'compliant' }])
  expect(leftovers()).toEqual([])
})

test.each([
  [{ 'manifest.yaml': SOUND, 'policy.yaml': SOUND }, 'contains both manifest.yaml and policy.yaml'],
  [{ 'other.yaml': SOUND }, 'has no manifest.yaml or policy.yaml'],
  [{ 'a/policy.yaml': SOUND, 'b/policy.yaml': SOUND }, 'has no manifest.yaml or policy.yaml'],
  [{ 'a/b/policy.yaml': SOUND }, 'has no manifest.yaml or policy.yaml'],
])('of %j it cannot be told which policy is meant', async (files, message) => {
  const archive = pack('b.tgz', files)
  expect(await problemsOf(archive)).toEqual([expect.stringContaining(`${archive}: the bundle ${message}`)])
})

test('problems of a policy have their place in the bundle', async () => {
  const archive = pack('b.zip', { 'top/policy.yaml': 'ccm: {}\nx: 1\n' })
  const loaded = await loadPolicy(archive)
  expect(loaded.ok || loaded.problems[1]?.position).toEqual({ file: `${archive}!/top/policy.yaml`, line: 2, column: 1 })
})

test.each([
  ['a name that climbs', tarBytes([{ name: '../evil', content: 'x' }])],
  ['an absolute name', tarBytes([{ name: '/evil', content: 'x' }])],
  ['a link that leads out', tarBytes([{ name: 'link', type: '2', link: '../../outside' }])],
  ['a device', tarBytes([{ name: 'null', type: '3' }])],
  ['no archive at all', Buffer.from('hello')],
])('a bundle with %s is refused and leaves nothing', async (_, bytes) => {
  const archive = join(temporaryDirectory(), 'b.tar')
  writeFileSync(archive, bytes)
  expect(await problemsOf(archive)).toEqual([expect.stringContaining(`${archive}: cannot be unpacked: `)])
})

test('a bundle that is not there is a problem', async () => {
  const [message] = await problemsOf(join(temporary, 'none.tgz'))
  expect(message).toBe(`${temporary}/none.tgz: cannot be read: no such file or directory`)
})

test('a directory is not taken for a bundle because of its name', async () => {
  const directory = join(filesIn({ 'policies.zip/a.yaml': SOUND }), 'policies.zip')
  const loaded = await loadPolicy(directory)
  expect(loaded.ok && loaded.value[0]?.source).toBe(join(directory, 'a.yaml'))
})

test('a remote bundle is downloaded with credentials that nothing shows', async () => {
  const archive = pack('b.tgz', { 'policy.yaml': SOUND })
  const asked: (string | undefined)[] = []
  const address = await serve((request, response) => {
    asked.push(request.headers.authorization)
    response.end(readFileSync(archive))
  })
  const host = address.slice('http://'.length)
  const loaded = await loadPolicy(`http://me:sesame@${host}/x/b.tgz?token=hidden`, {
    checksum: checksumOfFile(archive),
  })
  if (!loaded.ok) throw new Error(problemsIn(loaded).join())
  expect(loaded.value[0]?.source).toBe(`http://${host}/x/b.tgz?…!/policy.yaml`)
  expect(asked).toEqual([`Basic ${Buffer.from('me:sesame').toString('base64')}`])
  const run = await scanned(loaded)
  expect(JSON.stringify(run)).not.toMatch(/sesame|hidden/)
  expect(leftovers()).toEqual([])
})

test('a remote bundle that is another one is refused', async () => {
  const address = await serveFile(pack('b.tgz', { 'policy.yaml': SOUND }))
  const [message] = await problemsOf(`${address}/b.tgz`, `sha256:${'0'.repeat(64)}`)
  expect(message).toContain(`${address}/b.tgz: cannot be downloaded: checksum mismatch, expected "000`)
})

test('an error response of a server is a problem without credentials', async () => {
  const address = await serve((_request, response) => void response.writeHead(404).end())
  const [message] = await problemsOf(`${address.replace('//', '//me:sesame@')}/b.tgz`)
  expect(message).toBe(`${address}/b.tgz: cannot be downloaded: HTTP request failed with status 404: Not Found`)
})

test('an address that names no archive is a problem, and nothing is asked of it', async () => {
  const [message] = await problemsOf('https://host.invalid/policy.yaml')
  expect(message).toBe(
    'https://host.invalid/policy.yaml: it is not an archive: the name must end in .tar.gz, .tgz, .tar or .zip',
  )
})

test('an unparsable address is a problem', async () => {
  expect(await problemsOf('http://[/b.tgz')).toEqual([
    'http://[/b.tgz: it is not an archive: the name must end in .tar.gz, .tgz, .tar or .zip',
  ])
})

test('an interruption ends a download', async () => {
  const controller = new AbortController()
  const address = await serve(() => controller.abort('SIGINT'))
  const loaded = await loadPolicy(`${address}/b.tgz`, { signal: controller.signal })
  expect(problemsIn(loaded)[0]).toMatch(/interrupted$/)
  expect(leftovers()).toEqual([])
})

test.each([
  [
    ['http://a.invalid/b.tgz', 'http://b.invalid/b.tgz'],
    `sha256:${'0'.repeat(64)}`,
    'requires exactly one remote bundle, found 2',
  ],
  [['b.tgz'], `sha256:${'0'.repeat(64)}`, 'requires exactly one remote bundle, found none'],
  [['http://a.invalid/b.tgz'], 'md5:0', 'a checksum must be "sha256:" and 64 hex digits'],
])('of %j with checksum %s nothing is loaded', async (sources, checksum, message) => {
  const loaded = await loadPolicy(sources, { checksum })
  expect(problemsIn(loaded)).toEqual([expect.stringContaining(message)])
})

/** What a policy in a bundle with that resource comes to: its problems, or the verdict with its message. */
async function judge(resource: Readonly<Record<string, unknown>>, root: string): Promise<string[]> {
  writeFileSync(join(root, 'policy.yaml'), JSON.stringify({ ccm: { resources: [resource] } }))
  const loaded = await loadPolicy(packDirectory('b.tar', root))
  if (!loaded.ok) return loaded.problems.map(({ position, message }) => `${position?.line}: ${message}`)
  const run = await scanned(loaded)
  return run.policies.flatMap(({ resources }) =>
    resources.map(({ verdict, reason, message, errors }) => `${verdict} ${reason}: ${errors?.join() ?? message}`),
  )
}

const OUT = 'is outside the bundle, whose policy may only use files next to it'
const file = (more: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  file: { name: '/nowhere/x', ensure: 'present', owner: 'root', group: 'root', mode: '0644', ...more },
})

test.each([
  ['an absolute source', file({ source: '/etc/passwd' }), `1: source ${OUT}`],
  ['a source above', file({ source: 'a/../../../etc/passwd' }), `1: source ${OUT}`],
  ['a source disguised as an address', file({ source: 'http://../../../etc/passwd' }), `1: source ${OUT}`],
  ['a computed source', file({ source: "{{ '/etc' + '/passwd' }}" }), `error invalid: source: ${OUT}`],
  ['a file that is read', file({ content: "{{ readFile('/etc/passwd') }}" }), `the file ${OUT}`],
  ['a file that is read above', file({ content: "{{ file('../../x') }}" }), `the file ${OUT}`],
  ['a template', file({ content: "{{ template('/etc/x.templ') }}" }), `the file ${OUT}`],
  ['a jet file', file({ content: "{{ jet('/etc/x.jet') }}" }), `the file ${OUT}`],
  ['a scaffold', { scaffold: { name: '/nowhere', ensure: 'present', source: '/etc' } }, `1: source ${OUT}`],
])('a policy in a bundle cannot reach out by %s', async (_, resource, expected) => {
  const [found = ''] = await judge(resource, temporaryDirectory())
  expect(found).toContain(expected)
})

test.each(['jet', 'go'])('a template of a scaffold in %s reads files of the bundle only', async (engine) => {
  const [left, right] = engine === 'jet' ? ['[[', ']]'] : ['{{', '}}']
  const scaffold = { scaffold: { name: '/nowhere', ensure: 'present', engine, source: 'templates' } }
  const call = (path: string): string =>
    engine === 'jet' ? `${left} readFile("${path}") ${right}` : `${left} readFile "${path}" ${right}`
  const [own] = await judge(scaffold, filesIn({ 'templates/a': call('motd'), motd: 'hello' }))
  expect(own).toMatch(/^drifted/)
  const [foreign] = await judge(scaffold, filesIn({ 'templates/a': call('/etc/passwd') }))
  expect(foreign).toContain(`the file ${OUT}`)
})

test('a policy that is no bundle may name files anywhere', async () => {
  const root = filesIn({ 'dir/policy.yaml': JSON.stringify({ ccm: { resources: [file({ source: '../x' })] } }), x: '' })
  const loaded = await loadPolicy(join(root, 'dir/policy.yaml'))
  expect(loaded.ok).toBe(true)
})

test('the policy of a bundle is printed with sources that are those of the bundle', async () => {
  const resources = [file({ source: 'files/x' })]
  const archive = pack('b.tgz', { 'policy.yaml': JSON.stringify({ ccm: { resources } }), 'files/x': 'x' })
  const loaded = await loadDocuments([archive], { beside: '' })
  const [document] = loaded.ok ? loaded.value : []
  if (document === undefined) throw new Error('it should have been loaded')
  const { text } = renderPolicy(document, { types: resourceTypes, secrets: 'hide' })
  await loaded.dispose()
  expect(text).toContain('source: files/x')
  expect(text).toContain('keep this file next to them')
})

test('links inside a bundle are followed, also those of the folder a source lies in', async () => {
  const root = filesIn({ 'files/real': 'x' })
  mkdirSync(join(root, 'links'))
  symlinkSync('../files', join(root, 'links/files'))
  const [found] = await judge(file({ source: 'links/files/real' }), root)
  expect(found).toMatch(/^drifted/)
})

test('a link that a run puts into the bundle does not lead out of it', async () => {
  const root = filesIn({ 'policy.yaml': JSON.stringify({ ccm: { resources: [file({ source: 'files/shadow' })] } }) })
  const loaded = await loadPolicy(packDirectory('b.tar', root))
  if (!loaded.ok) throw new Error(problemsIn(loaded).join())
  symlinkSync('/etc', join(loaded.value[0]?.workingDirectory ?? '', 'files'))
  const run = await scanned(loaded)
  expect(run.policies[0]?.resources).toMatchObject([
    { reason: 'invalid', errors: ['source: is below a symbolic link to a path outside the bundle'] },
  ])
})

/** A policy that applies a manifest below it, and the manifest. */
function applying(child: string): Record<string, string> {
  return { 'manifest.yaml': 'ccm: {resources: [{apply: [{sub/child.yaml: }]}]}\n', 'sub/child.yaml': child }
}

test('a child manifest may use files beside and above it in the bundle', async () => {
  const child = `ccm:
  resources:
    - file: {name: /nowhere/a, ensure: present, source: ../text, owner: root, group: root, mode: "0644"}
    - file: {name: "/nowhere/{{ readFile('own') }}", ensure: absent}
`
  const archive = pack('b.tgz', { ...applying(child), text: 'above', 'sub/own': 'own' })
  const loaded = await loadPolicy(archive)
  if (!loaded.ok) throw new Error(problemsIn(loaded).join())
  const { policies } = await scanned(loaded)
  expect(
    policies[0]?.resources.map(({ id, path, source, verdict }) => ({ id, path, verdict, file: source.file })),
  ).toEqual([
    { id: 'apply#sub/child.yaml', verdict: 'drifted', file: `${archive}!/manifest.yaml` },
    {
      id: 'file#/nowhere/a',
      path: ['apply#sub/child.yaml'],
      verdict: 'drifted',
      file: `${archive}!/sub/child.yaml`,
    },
    {
      id: 'file#/nowhere/own',
      path: ['apply#sub/child.yaml'],
      verdict: 'compliant',
      file: `${archive}!/sub/child.yaml`,
    },
  ])
  expect(leftovers()).toEqual([])
})

test.each([
  ['a source', 'file: {name: /a, ensure: present, source: ../../x, owner: root, group: root, mode: "0644"}'],
  ['a manifest', 'apply: {name: ../../x.yaml}'],
  ['a manifest by its absolute path', 'apply: {name: /etc/passwd}'],
])('a child manifest of a bundle stays confined to the bundle: %s', async (_title, resource) => {
  const problems = await problemsOf(pack('b.tgz', applying(`ccm: {resources: [{${resource}}]}\n`)))
  expect(problems).toEqual([
    expect.stringMatching(/is outside the bundle.*\(reached through apply#sub\/child.yaml at /),
  ])
})

test('a template of a child manifest cannot read files outside the bundle', async () => {
  const archive = pack('b.tgz', applying(SOUND.replace('/nowhere', `"/{{ readFile('/etc/hostname') }}"`)))
  const loaded = await loadPolicy(archive)
  if (!loaded.ok) throw new Error(problemsIn(loaded).join())
  const { policies } = await scanned(loaded)
  expect(policies[0]?.resources[1]).toMatchObject({ verdict: 'error', reason: 'template' })
  expect(policies[0]?.resources[1]?.message).toContain('is outside the bundle')
})

test('a link to a file outside the bundle cannot be a child manifest', async () => {
  const outside = temporaryDirectory()
  writeFileSync(join(outside, 'child.yaml'), SOUND)
  const directory = temporaryDirectory()
  const { 'manifest.yaml': manifest = '' } = applying('')
  writeFileSync(join(directory, 'manifest.yaml'), manifest)
  symlinkSync(outside, join(directory, 'sub'))
  expect((await problemsOf(packDirectory('b.tgz', directory))).length).toBeGreaterThan(0)
})
