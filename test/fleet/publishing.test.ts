import { put } from '../support/contract.ts'
import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type Assigned, keepUp } from '../../src/fleet/nats/assigned.ts'
import { streamMessages, streamRange } from '../../src/fleet/nats/stream-messages.ts'
import { filesIn } from '../support/bundles.ts'
import { runInProcess } from '../support/command-line.ts'
import { needsNats } from '../support/nats-server.ts'
import { startTestFleet, succeed } from './support.ts'

/** Writes files by path beside others. */
function add(folder: string, files: Readonly<Record<string, string>>): void {
  put(folder, files)
}

/** The files that a dry run lists, each with the place that names it. */
async function listed(source: string, ...more: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const output = await succeed('fleet', 'publish', source, '--dry-run', ...more)
  const rows = output.split('\n').slice(1)
  return Object.fromEntries(
    rows.map((row) => {
      const [, path = '', by = ''] = /^ +\S+ \S+  [0-9a-f]{64}  (.+?)  (.+)$/.exec(row) ?? []
      return [path, by.replace(`${dirname(source)}/`, '')]
    }),
  )
}

const MOTD = 'file: [{ /etc/motd: { ensure: present, owner: root, group: root, mode: "0644", source: files/motd } }]'

test.skipIf(needsNats)('keys beside a policy that mentions their directory stay where they are', async () => {
  const fleet = await startTestFleet()
  const text = `# the fleet of operator, server and viewer\npolicy: { id: site }\nccm: { resources: [{ ${MOTD} }] }\n`
  add(fleet.directory, { 'site.yaml': text, 'files/motd': 'hello\n' })
  const { code, stdout, stderr } = await runInProcess(
    'fleet',
    'publish',
    join(fleet.directory, 'site.yaml'),
    '--fleet',
    fleet.fleet,
  )
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^[0-9a-f]{64}  site\n$/) })
  expect(
    stderr
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/)[2]),
  ).toEqual(['manifest.yaml', 'files/motd'])
  const line = await fleet.operator()
  const digest = stdout.slice(0, 64)
  const stored = await line.last(`$JS.API.DIRECT.GET.KV_POLICY.$KV.POLICY.${digest}`, 5000)
  const bundle = join(filesIn({}), 'stored.tar.gz')
  writeFileSync(bundle, stored?.bytes ?? '')
  expect(Object.keys(await listed(bundle))).toEqual(['manifest.yaml', 'files/motd'])
})

test('each way by which a policy names a file packs it, with the line that names it', async () => {
  const folder = filesIn({
    'site.yaml': `policy: { id: site, description: "not \${ readFile('secret') }" }
data: { os: linux }
ccm:
  resources:
    - apply: [{ child/os.yaml: {} }]
    - apply: [{ other.yaml: { control: { if: "1 == 2" } } }]
    - file: [{ /etc/motd: { ensure: present, owner: root, group: root, mode: "0644", content: "{{ template('motd.templ') }}" } }]
    - file: [{ "/etc/\${Data.os}": { ensure: present, owner: root, group: root, mode: "0644", source: "os/\${Data.os}" } }]
    - scaffold: [{ /etc/app: { source: app, ensure: present } }]
    - file: [{ /etc/banner: { ensure: present, owner: root, group: root, mode: "0644", content: "{{ readFile('banner.txt') }}" } }]
    - exec: [{ check: { command: ./check.sh, cwd: scripts, unless: "true" } }]
    - file: [{ /etc/issue: { ensure: absent, control: { unless: "fileExists('marker')" } } }]
`,
    'banner.txt': 'x',
    'child/os.yaml':
      'ccm: { resources: [{ file: [{ /etc/a: { ensure: present, owner: root, group: root, mode: "0644", source: a.txt } }] }] }\n',
    'child/a.txt': '',
    'other.yaml': 'ccm: { resources_jet_file: other.jet }\n',
    'other.jet': '- file: [{ /etc/b: { ensure: present, owner: root, group: root, mode: "0644", source: b.txt } }]\n',
    'b.txt': '',
    'motd.templ': "{{ readFile('inner.txt') }}",
    'inner.txt': '',
    'os/linux': '',
    'os/freebsd': '',
    'app/.hidden': '',
    'app/app.conf': '',
    'scripts/check.sh': '',
    marker: '',
    secret: '',
    'notes.md': 'site.yaml child banner',
  })
  expect(await listed(join(folder, 'site.yaml'))).toEqual({
    'manifest.yaml': 'the policy',
    'child/os.yaml': 'site.yaml:5',
    'child/a.txt': 'child/os.yaml:1',
    'other.yaml': 'site.yaml:6',
    'other.jet': 'other.yaml:1',
    'b.txt': 'other.jet (rendered):1',
    'motd.templ': 'site.yaml:7',
    'inner.txt': 'site.yaml:7',
    'os/linux': 'site.yaml:8',
    'os/freebsd': 'site.yaml:8',
    'app/.hidden': 'site.yaml:9',
    'app/app.conf': 'site.yaml:9',
    'banner.txt': 'site.yaml:10',
    'scripts/check.sh': 'site.yaml:11',
    marker: 'site.yaml:12',
  })
})

test('a child manifest of Goss brings what it includes', async () => {
  const folder = filesIn({
    'site.yaml': 'policy: { id: site }\nccm: { resources: [{ apply: [{ goss.yaml: {} }] }] }\n',
    'goss.yaml': 'gossfile:\n  "parts/*.yaml": {}\nfile:\n  /etc/passwd: { exists: true }\n',
    'parts/one.yaml': 'gossfile:\n  ../two.yaml: {}\n',
    'two.yaml': 'port:\n  tcp:22: { listening: true }\n',
    'three.yaml': 'port:\n  tcp:23: { listening: true }\n',
  })
  expect(await listed(join(folder, 'site.yaml'))).toEqual({
    'manifest.yaml': 'the policy',
    'goss.yaml': 'site.yaml:2',
    'parts/one.yaml': 'goss.yaml:2',
    'two.yaml': 'parts/one.yaml:2',
  })
})

test('a private file is refused with its place, and packed with --allow-private', async () => {
  const folder = filesIn({ 'site.yaml': `policy: { id: site }\nccm: { resources: [{ ${MOTD} }] }\n` })
  add(folder, { 'files/motd': '-----BEGIN PRIVATE KEY-----\n' })
  const site = join(folder, 'site.yaml')
  expect(await runInProcess('fleet', 'publish', site, '--dry-run')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(
      `files/motd (${site}:2) would be sent to every host, and it contains a private key`,
    ),
  })
  const allowed = await listed(site, '--allow-private', join(folder, 'files/motd'))
  expect(allowed).toHaveProperty(['files/motd'], 'site.yaml:2')
})

test('a folder is published without what is private in it, which is said', async () => {
  const folder = filesIn({ 'manifest.yaml': `policy: { id: site }\nccm: { resources: [{ ${MOTD} }] }\n` })
  add(folder, { 'files/motd': '', 'deploy/id_rsa': '-----BEGIN RSA PRIVATE KEY-----\n', 'README.md': '' })
  const { code, stdout, stderr } = await runInProcess('fleet', 'publish', folder, '--dry-run')
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'driftgate: omitted deploy/id_rsa: it contains a private key\n',
  })
  expect(stdout).toContain(`README.md  in ${folder}\n`)
  expect(stdout).toContain(`files/motd  ${folder}/manifest.yaml:2\n`)
})

test.skipIf(needsNats)(
  'a bundle that no host is assigned any more can be erased, on the server and on hosts',
  async () => {
    const fleet = await startTestFleet()
    const run = (...args: readonly string[]) => runInProcess('fleet', ...args, '--fleet', fleet.fleet)
    // Larger than a message: the parts go, too, but for those of another bundle.
    const noise = randomBytes(2_000_000).toString('base64')
    const folder = filesIn({ 'site.yaml': `policy: { id: site }\nccm: { resources: [{ ${MOTD} }] }\n` })
    add(folder, { 'files/motd': noise })
    const digest = (await succeed('fleet', 'publish', join(folder, 'site.yaml'), '--fleet', fleet.fleet)).slice(0, 64)
    const ssh = (await succeed('fleet', 'publish', '@ssh', '--fleet', fleet.fleet)).slice(0, 64)
    const assign = (bundle: string) => run('assign', '--to', 'ring.all', '--policy', bundle, '--reason', 'x')
    expect(await assign(digest)).toMatchObject({ code: 0 })
    const line = await fleet.web01()
    const [path = ''] = policiesOf(await keepUp(line, fleet.agent))
    expect(existsSync(path)).toBe(true)
    expect(await run('unpublish', digest)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ring.all is assigned this bundle: assign other policies first'),
    })
    await assign(ssh)
    expect(await run('unpublish', digest)).toMatchObject({ code: 0 })
    await keepUp(line, fleet.agent)
    expect(existsSync(path)).toBe(false)
    const operator = await fleet.operator()
    const kept: string[] = []
    for await (const { subject } of streamMessages(operator, 'KV_POLICY', await streamRange(operator, 'KV_POLICY')))
      kept.push(subject)
    expect(kept).toEqual([`$KV.POLICY.${ssh}`])
    expect(await run('unpublish', digest)).toMatchObject({ code: 1, stderr: expect.stringContaining('has no policy') })
    expect((await run('audit')).stdout).toContain('deleted the bundle from the server')
  },
)

function policiesOf(assigned: Assigned): readonly string[] {
  return 'policies' in assigned ? assigned.policies : []
}
