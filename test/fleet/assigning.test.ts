import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keepUp } from '../../src/fleet/nats/assigned.ts'
import type { Assignment } from '../../src/fleet/nats/assignment.ts'
import { keepAudit, sendKept } from '../../src/fleet/nats/audit.ts'
import { makeKeys, readPrivateKey } from '../../src/host/signing/keys.ts'
import { filesIn, pack } from '../support/bundles.ts'
import { type InProcess, runInProcess } from '../support/command-line.ts'
import { needsNats, startNats } from '../support/nats-server.ts'
import { startTestFleet, succeed, type TestFleet } from './support.ts'

const MOTD =
  'policy: { id: site }\nccm: { resources: [{ file: [{ /etc/motd: { ensure: present, owner: root, group: root, mode: "0644" } }] }] }\n'

function run({ fleet }: TestFleet, ...args: readonly string[]): Promise<InProcess> {
  return runInProcess('fleet', ...args, '--fleet', fleet, '--author', 'anna')
}

async function publish(fleet: TestFleet, ...sources: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await run(fleet, 'publish', ...sources)
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.split('  ')[0] ?? '')
}

async function listed({ fleet }: TestFleet, ...args: readonly string[]) {
  const { code, stdout } = await runInProcess('fleet', 'assignments', ...args, '--fleet', fleet, '--format', 'json')
  return { code, assignments: JSON.parse(stdout).assignments as readonly { readonly assignment?: Assignment }[] }
}

async function acts({ fleet }: TestFleet) {
  const { code, stdout } = await runInProcess('fleet', 'audit', '--fleet', fleet, '--format', 'json')
  const {
    entries,
  }: { readonly entries: readonly { readonly entry?: Record<string, string>; readonly refused?: string }[] } =
    JSON.parse(stdout)
  return {
    code,
    acts: entries.map(({ entry, refused }) => refused ?? `${entry?.['act']} ${entry?.['author']} ${entry?.['about']}`),
  }
}

test.skipIf(needsNats)('an assigned policy reaches the host, and the activity log records the author', async () => {
  const fleet = await startTestFleet()
  const site = join(filesIn({ 'site.yaml': MOTD }), 'site.yaml')
  const [digest = '', ssh = ''] = await publish(fleet, site, '@ssh')
  expect(await publish(fleet, site)).toEqual([digest])
  const assign = (...args: readonly string[]): Promise<InProcess> => run(fleet, 'assign', '--to', 'ring.all', ...args)
  expect(await assign('--policy', digest, '--policy', ssh, '--reason', 'first', '--interval', '2h')).toMatchObject({
    code: 0,
    stderr: 'driftgate: ring.all is assigned site, ssh, version 1\n',
  })
  await run(fleet, 'assign', '--to', 'host.web01', '--policy', digest, '--reason', 'a test')
  await assign('--policy', ssh, '--reason', 'second')

  expect(await keepUp(await fleet.web01(), fleet.agent)).toMatchObject({
    kind: 'assigned',
    assignment: { version: 2, author: 'anna', reason: 'a test', policies: [{ name: 'site', sha256: digest }] },
  })
  expect(await listed(fleet)).toMatchObject({
    code: 0,
    assignments: [
      { to: 'host.web01', assignment: { version: 2 } },
      { to: 'ring.all', assignment: { version: 3, reason: 'second' } },
    ],
  })
  expect(await listed(fleet, 'ring.all')).toMatchObject({
    assignments: [{ assignment: { version: 3 } }, { assignment: { version: 1, interval: '2h' } }],
  })
  const shown = await runInProcess('fleet', 'assignments', 'ring.all', '--fleet', fleet.fleet)
  expect(shown.stdout.split('\n')[2]).toMatch(
    new RegExp(
      `^ring\\.all  1        20\\d\\d-\\S+ \\S+Z  anna  site@${digest.slice(0, 12)} ssh@\\w{12} every 2h: first$`,
    ),
  )
  expect((await acts(fleet)).acts.slice(1)).toEqual([
    `publish anna ${digest}`,
    `publish anna ${ssh}`,
    `publish anna ${digest}`,
    'assign anna ring.all',
    'assign anna host.web01',
    'assign anna ring.all',
  ])
})

test.skipIf(needsNats)('a policy with a mistake is not published, and neither are those beside it', async () => {
  const fleet = await startTestFleet()
  const folder = filesIn({
    'good.yaml': MOTD,
    'bad.yaml': 'policy: { id: bad }\nccm: { resources: [{ file: [{ /etc/motd: { ensure: maybe } }] }] }\n',
    'anonymous.yaml': MOTD.replace('policy: { id: site }\n', ''),
    'beside.yaml': MOTD.replace('mode:', 'source: ../motd, mode:'),
  })
  const refused = async (...names: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(fleet, 'publish', ...names.map((name) => join(folder, name)))
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    return stderr
  }
  expect(await refused('good.yaml', 'bad.yaml')).toContain(`${join(folder, 'bad.yaml')}:2:`)
  expect(await refused('anonymous.yaml')).toContain('has no id')
  expect(await refused('beside.yaml')).toContain(`../motd (${join(folder, 'beside.yaml')}:2) is outside its directory`)
  expect((await acts(fleet)).acts).toEqual([expect.stringMatching(/^enrol .* web01$/)])
})

test.skipIf(needsNats)(
  'nothing is assigned that is not on the server, is no policy, or is two of one name',
  async () => {
    const fleet = await startTestFleet()
    const [digest = ''] = await publish(fleet, join(filesIn({ 'a.yaml': MOTD }), 'a.yaml'))
    const [same = ''] = await publish(fleet, join(filesIn({ 'a.yaml': `${MOTD}# other bytes\n` }), 'a.yaml'))
    const none = 'f'.repeat(64)
    const refused = async (...bundles: readonly string[]): Promise<string> => {
      const policies = bundles.flatMap((bundle) => ['--policy', bundle])
      const { code, stderr } = await run(fleet, 'assign', '--to', 'ring.all', ...policies, '--reason', 'x')
      expect(code).toBe(1)
      return stderr
    }
    expect(await refused(digest, none)).toContain(`the server has no policy bundle ${none}`)
    expect(await refused(digest, same)).toContain('two of the bundles contain a policy named site')
    expect(await refused()).toContain('missing --policy SHA256')
    expect((await listed(fleet)).assignments).toEqual([])
  },
)

test.skipIf(needsNats)('versions rise where the server has lost all, and where several assign at once', async () => {
  const fleet = await startTestFleet()
  const site = join(filesIn({ 'site.yaml': MOTD }), 'site.yaml')
  const [digest = ''] = await publish(fleet, site)
  const assign = (to: string): Promise<InProcess> =>
    run(fleet, 'assign', '--to', to, '--policy', digest, '--reason', 'x')
  expect(
    (await Promise.all([assign('ring.all'), assign('ring.a'), assign('ring.all')])).map(({ code }) => code),
  ).toEqual([0, 0, 0])
  const versions = [...(await listed(fleet, 'ring.all')).assignments, ...(await listed(fleet, 'ring.a')).assignments]
  expect(new Set(versions.map(({ assignment }) => assignment?.version))).toEqual(new Set([1, 2, 3]))

  await fleet.server.kill()
  rmSync(join(fleet.directory, 'store'), { recursive: true })
  await startNats(join(fleet.fleet, 'server/nats-server.conf'))
  await succeed('fleet', 'prepare', '--fleet', fleet.fleet)
  await publish(fleet, site)
  await assign('ring.all')
  expect(await listed(fleet)).toMatchObject({ assignments: [{ assignment: { version: 4 } }] })
})

test.skipIf(needsNats)(
  'a host whose assignment is withdrawn follows its ring, also where that was assigned before',
  async () => {
    const fleet = await startTestFleet()
    const folder = filesIn({ 'site.yaml': MOTD })
    const [digest = '', ssh = ''] = await publish(fleet, join(folder, 'site.yaml'), '@ssh')
    const assign = (to: string, bundle: string): Promise<InProcess> =>
      run(fleet, 'assign', '--to', to, '--policy', bundle, '--interval', '3h', '--reason', 'x')
    const withdraw = (name: string): Promise<InProcess> => run(fleet, 'withdraw', name, '--reason', 'over')
    const line = await fleet.web01()
    await assign('host.web01', digest)
    expect(await withdraw('web01')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ring.all has no assignment'),
    })
    expect(await withdraw('db01')).toMatchObject({ code: 1, stderr: expect.stringContaining('has no host db01') })

    for (const [version, ...order] of [
      [4, 'ring.all', 'host.web01'],
      [6, 'host.web01', 'ring.all'],
    ] as const) {
      for (const to of order) await assign(to, to === 'ring.all' ? ssh : digest)
      expect(await keepUp(line, fleet.agent)).toMatchObject({ assignment: { to: 'host.web01' } })
      expect(await withdraw('web01')).toMatchObject({
        code: 0,
        stderr: `driftgate: web01 no longer has its own assignment and uses version ${version} of ring.all\n`,
      })
      expect(await keepUp(line, fleet.agent)).toMatchObject({
        kind: 'assigned',
        assignment: { to: 'ring.all', version, interval: '3h', policies: [{ name: 'ssh', sha256: ssh }] },
      })
    }
    expect(await withdraw('web01')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no own assignment'),
    })
    expect(await listed(fleet)).toMatchObject({ code: 0, assignments: [{ to: 'ring.all' }] })
    expect(await listed(fleet, 'host.web01')).toMatchObject({
      code: 0,
      assignments: [{ isWithdrawn: true }, {}, {}, {}, {}],
    })
    expect((await acts(fleet)).acts.at(-1)).toBe('withdraw anna host.web01')
  },
)

test.skipIf(needsNats)('data on the server without a valid signature is shown as such', async () => {
  const fleet = await startTestFleet()
  const line = await fleet.operator()
  const { privatePem } = makeKeys()
  const path = join(fleet.directory, 'stranger.pem')
  writeFileSync(path, privatePem, { mode: 0o600 })
  const stranger = readPrivateKey(path)
  const kept = join(fleet.directory, 'kept')
  keepAudit(kept, stranger, { act: 'assign', author: 'anna', about: 'ring.all', text: 'never' })
  await sendKept(line, kept)
  expect(readdirSync(kept)).toEqual([])
  await line.ask('$KV.ASSIGN.ring.all', { body: '{}', timeoutMs: 5000 })
  expect(await acts(fleet)).toEqual({
    code: 3,
    acts: [expect.stringMatching(/^enrol/), `dg.v1.audit.assign: signed by an unknown key: ${stranger.id}`],
  })
  expect(await listed(fleet)).toEqual({
    code: 3,
    assignments: [{ to: 'ring.all', storedAt: expect.any(String), refused: 'the envelope is not a DSSE envelope' }],
  })
  const texts = [
    await runInProcess('fleet', 'audit', '--fleet', fleet.fleet),
    await runInProcess('fleet', 'assignments', '--fleet', fleet.fleet),
  ]
  expect(texts.map(({ stdout }) => stdout.trim().split('\n').at(-1))).toEqual([
    expect.stringContaining('not verified: dg.v1.audit.assign'),
    expect.stringMatching(/^ring\.all {2}- .*no host accepts it: the envelope is not a DSSE envelope$/),
  ])
})

test.skipIf(needsNats)(
  'an entry that came twice counts once, and one under the name of another act for nothing',
  async () => {
    const fleet = await startTestFleet()
    const line = await fleet.operator()
    await acts(fleet)
    const message: { readonly message: { readonly data: string } } = JSON.parse(
      await line.ask('$JS.API.STREAM.MSG.GET.DG_AUDIT', { body: '{"seq":1}', timeoutMs: 5000 }),
    )
    const body = Buffer.from(message.message.data, 'base64')
    for (const act of ['enrol', 'publish']) await line.ask(`dg.v1.audit.${act}`, { body, timeoutMs: 5000 })
    expect((await acts(fleet)).acts).toEqual([
      expect.stringMatching(/^enrol/),
      'dg.v1.audit.publish: the signed content is not an entry',
    ])
  },
)

test('a bundle with two policies of one folder is told', async () => {
  expect(
    (await runInProcess('fleet', 'publish', pack('a.tar.gz', { 'x.txt': '' }), '--fleet', '/none')).stderr,
  ).toContain('has no manifest.yaml or policy.yaml')
})
