import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { jobOf } from '../../src/cli/remote-job.ts'
import { OperatorError } from '../../src/model/operator-error.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const KEY = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const DER = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' })

function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryDirectory()
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

function policy(...resources: readonly string[]): string {
  return `ccm:\n  resources:\n${resources.map((resource) => `    - ${resource}\n`).join('')}`
}

const OWNED = 'owner: root, group: root, mode: "0640"'
const copyOf = (source: string): string => `file: {name: /srv/copy, ensure: present, ${OWNED}, source: ${source}}`
const MOTD = 'file: {name: /etc/motd, ensure: absent}'

interface Packed {
  readonly travels: readonly string[]
  readonly said: string
}

async function packed(
  folder: string,
  operand: string,
  { isUntrusted = false, plugin }: { readonly isUntrusted?: boolean; readonly plugin?: string } = {},
): Promise<Packed> {
  let said = ''
  const { payload } = await jobOf({
    command: 'scan',
    policies: [join(folder, operand)],
    words: [],
    options: {
      become: undefined,
      'connect-timeout': undefined,
      timeout: undefined,
      'remote-binary': undefined,
      untrusted: isUntrusted,
      ...(plugin === undefined ? {} : { plugin: [plugin] }),
    },
    say: (text) => void (said += text),
  })
  const { files } = payload.order
  expect(payload.contents.map(({ length }) => length)).toEqual(files.map(({ size }) => size))
  return { travels: files.map(({ path }) => relative(folder, path)).toSorted(), said }
}

test('private files beside a policy are not sent, even if comments mention them, and each is reported', async () => {
  const folder = folderWith({
    'site.yaml': `# the fleet lies in fleet/, its seed is fleet/host.nk\n${policy(copyOf('motd'))}`,
    motd: 'hello\n',
    'fleet/server.key': KEY,
    'fleet/host.nk': `SU${'A'.repeat(56)}\n`,
    'fleet/operator.der': DER,
    'fleet/operator.pub': 'no secret\n',
    'deploy.env': 'TOKEN=1\n',
  })
  writeFileSync(join(folder, 'tool'), 'a program\n')
  chmodSync(join(folder, 'tool'), 0o4755)
  symlinkSync('fleet/server.key', join(folder, 'link'))
  const { travels, said } = await packed(folder, 'site.yaml')
  expect(travels).toEqual(['fleet/operator.pub', 'motd', 'site.yaml'])
  expect(said.split('\n').toSorted()).toEqual(
    [
      '',
      `driftgate: ${folder}/deploy.env is not sent: files of this name contain passwords, and no policy names it`,
      `driftgate: ${folder}/fleet/host.nk is not sent: it contains a key seed, and no policy names it`,
      `driftgate: ${folder}/fleet/operator.der is not sent: it contains a private key, and no policy names it`,
      `driftgate: ${folder}/fleet/server.key is not sent: it contains a private key, and no policy names it`,
      `driftgate: ${folder}/link is not sent: it contains a private key, and no policy names it`,
      `driftgate: ${folder}/tool is not sent: it is setuid or setgid, and no policy names it`,
    ].toSorted(),
  )
})

test('of folders that a policy lies in among other things, private files stay that its text mentions', async () => {
  const folder = folderWith({ 'site.yaml': `# not web.pem\n${policy(MOTD)}`, 'web.pem': KEY, other: 'x' })
  chmodSync(folder, 0o1777)
  const { travels, said } = await packed(folder, 'site.yaml')
  expect(travels).toEqual(['site.yaml'])
  expect(said).toContain(`${folder}/web.pem is not sent`)
})

test('private files above a policy stay that a comment mentions', async () => {
  const folder = folderWith({
    'web/site.yaml': `# see ../keys\n${policy(MOTD)}`,
    'keys/web.pem': KEY,
    'keys/readme': '',
  })
  const { travels, said } = await packed(folder, 'web/site.yaml')
  expect(travels).toEqual(['keys/readme', 'web/site.yaml'])
  expect(said).toContain(`${folder}/keys/web.pem is not sent`)
})

test.each([
  ['a source', policy(copyOf('web.pem')), { 'web.pem': KEY }],
  ['a source above', policy(copyOf('../web.pem')), { '../web.pem': KEY }],
  ['a source with a template', `data: {name: web}\n${policy(copyOf('"${Data.name}.pem"'))}`, { 'web.pem': KEY }],
  ['the folder of a template', policy(copyOf('"keys/${Facts.host.info.hostname}.pem"')), { 'keys/a.pem': KEY }],
  [
    'a read of a template',
    policy(`file: {name: /srv/copy, ensure: present, ${OWNED}, content: "{{ readFile('web.pem') }}"}`),
    { 'web.pem': KEY },
  ],
  ['a child', policy('apply: {name: child.yaml}'), { 'child.yaml': policy(copyOf('web.pem')), 'web.pem': KEY }],
  ['a link', policy(copyOf('link')), { 'web.pem': KEY }],
])('a private file travels that a policy names by %s', async (how, text, files) => {
  const named = Object.entries(files).map(([name, content]) => [join('web', name), content] as const)
  const folder = folderWith({ 'web/site.yaml': text, ...Object.fromEntries(named), 'web/other.key': DER })
  if (how === 'a link') symlinkSync('web.pem', join(folder, 'web/link'))
  const { travels, said } = await packed(folder, 'web/site.yaml')
  expect(travels).toEqual(
    ['web/site.yaml', ...named.map(([name]) => name), ...(how === 'a link' ? ['web/link'] : [])].toSorted(),
  )
  expect(said).toBe(
    `driftgate: ${folder}/web/other.key is not sent: it contains a private key, and no policy names it\n`,
  )
})

test('each policy of a folder is sent, with any content', async () => {
  const holding = policy(`file: {name: /srv/key, ensure: present, ${OWNED}, content: ${JSON.stringify(KEY)}}`)
  const folder = folderWith({ 'policies/a.yaml': holding, 'policies/b.yaml': policy(MOTD) })
  expect(await packed(folder, 'policies')).toEqual({ travels: ['policies/a.yaml', 'policies/b.yaml'], said: '' })
})

test('policies of others get no private file', async () => {
  const folder = folderWith({ 'site.yaml': policy(copyOf('web.pem')), 'web.pem': KEY })
  expect(await packed(folder, 'site.yaml', { isUntrusted: true })).toEqual({
    travels: ['site.yaml'],
    said: `driftgate: ${folder}/web.pem is not sent: it contains a private key, and untrusted policies do not receive such files\n`,
  })
})

test('nothing travels while it is unknown whether a policy names a private file', async () => {
  const folder = folderWith({ 'site.yaml': policy('file: {name: /etc/motd, ensure: there}'), 'web.pem': KEY })
  const error = await packed(folder, 'site.yaml').catch((error: unknown) => error)
  expect(error).toBeInstanceOf(OperatorError)
  const [first, ...others] = error instanceof OperatorError ? error.problems : []
  expect(first?.message).toContain(`${folder}/web.pem is next to the policies, and it contains a private key`)
  expect(others.map(({ position }) => position?.line)).toEqual([3])
})

test('policies that cannot be loaded here travel where no private file lies beside them', async () => {
  const folder = folderWith({ 'site.yaml': policy('file: {name: /etc/motd, ensure: there}'), 'web.crt': 'public' })
  expect(await packed(folder, 'site.yaml')).toEqual({ travels: ['site.yaml', 'web.crt'], said: '' })
})

test('a plugin takes along its package and what that depends on, and nothing else of the folders of packages', async () => {
  const packageOf = (name: string, needs: readonly string[] = []): string =>
    JSON.stringify({ name, main: 'main.js', dependencies: Object.fromEntries(needs.map((each) => [each, '*'])) })
  const folder = folderWith({
    'site/policy.yaml': policy(MOTD),
    'node_modules/acme/package.json': packageOf('acme', ['near', 'far', 'driftgate', 'missing']),
    'node_modules/acme/main.js': 'export {}',
    'node_modules/acme/node_modules/near/package.json': packageOf('near'),
    'node_modules/acme/node_modules/other/package.json': packageOf('other'),
    'node_modules/far/package.json': packageOf('far', ['acme', '@scope/deep']),
    'node_modules/@scope/deep/package.json': packageOf('deep'),
    'node_modules/driftgate/package.json': packageOf('driftgate'),
    'node_modules/unused/package.json': packageOf('unused'),
    'alone/plugin.mjs': 'export {}',
    'alone/other.mjs': 'export {}',
  })
  const travels = async (plugin: string): Promise<readonly string[]> =>
    (await packed(folder, 'site/policy.yaml', { plugin: join(folder, plugin) })).travels
  expect(await travels('node_modules/acme/main.js')).toEqual([
    'node_modules/@scope/deep/package.json',
    'node_modules/acme/main.js',
    'node_modules/acme/node_modules/near/package.json',
    'node_modules/acme/package.json',
    'node_modules/far/package.json',
    'site/policy.yaml',
  ])
  expect(await travels('alone/plugin.mjs')).toEqual(['alone/plugin.mjs', 'site/policy.yaml'])
})
