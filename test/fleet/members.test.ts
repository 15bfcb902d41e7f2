import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type InProcess, runInProcess } from '../support/command-line.ts'
import { needsPrograms } from '../support/programs.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { ownCertificates } from '../support/web-server.ts'

interface Fleet {
  readonly directory: string
  readonly fleet: string
  readonly hosts: () => string
}

async function newFleet(certificates = ownCertificates('nats.example.com')): Promise<Fleet> {
  const directory = temporaryDirectory()
  const fleet = join(directory, 'fleet')
  const server = ['--server', 'nats.example.com', ...certificates]
  expect(await runInProcess('fleet', 'init', fleet, ...server)).toMatchObject({ code: 0 })
  return { directory, fleet, hosts: () => readFileSync(join(fleet, 'server/hosts.conf'), 'utf8') }
}

async function enrol({ fleet }: Fleet, name: string, ...more: readonly string[]): Promise<string> {
  const { code, stdout } = await runInProcess('fleet', 'enrol', name, '--fleet', fleet, ...more)
  expect(code).toBe(0)
  return stdout.trim()
}

async function answer({ directory }: Fleet, invitation: string, agent: string): Promise<InProcess> {
  return runInProcess('fleet', 'join', invitation, '--agent', join(directory, agent))
}

async function accept({ fleet }: Fleet, answer: string): Promise<InProcess> {
  return runInProcess('fleet', 'accept', answer.trim(), '--fleet', fleet)
}

test('a host that was invited may connect once its answer is accepted', async () => {
  const fleet = await newFleet()
  const roster = join(fleet.fleet, 'operator/roster.yaml')
  writeFileSync(roster, '# ours\nhosts:\n  - name: web01 # the first\n    labels: { role: web }\n  - db01\n')
  const { stdout } = await answer(fleet, await enrol(fleet, 'web01', '--ring', 'canary', '--interval', '15m'), 'web01')
  expect(fleet.hosts()).not.toContain('dg.v1.full.web01')
  expect(await accept(fleet, stdout)).toMatchObject({ code: 0 })
  expect(fleet.hosts()).toContain('dg.v1.full.web01')
  expect(readFileSync(roster, 'utf8')).toMatch(
    /^# ours\nhosts:\n {2}- name: web01 # the first\n {4}labels: \{ role: web \}\n {4}ring: canary\n {4}interval: 15m\n {4}key: U\w{55}\n {2}- db01\n$/,
  )
})

test.skipIf(needsPrograms('openssl'))('private keys are readable by their owner alone', async () => {
  const fleet = await newFleet([])
  await answer(fleet, await enrol(fleet, 'web01'), 'web01')
  const keys = ['operator/policy.pem', 'operator/ca.key', 'operator/nats.nk', 'viewer/nats.nk', 'server/server.key']
  for (const path of [...keys.map((key) => join(fleet.fleet, key)), join(fleet.directory, 'web01/host.pem')]) {
    expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o600])
  }
})

test('an answer works once', async () => {
  const fleet = await newFleet()
  const { stdout } = await answer(fleet, await enrol(fleet, 'web01'), 'web01')
  expect((await accept(fleet, stdout)).code).toBe(0)
  expect(await accept(fleet, stdout)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('web01 already has a key'),
  })
})

test('an answer to an invitation that was replaced is refused', async () => {
  const fleet = await newFleet()
  const { stdout } = await answer(fleet, await enrol(fleet, 'web01'), 'web01')
  await enrol(fleet, 'web01')
  expect(await accept(fleet, stdout)).toMatchObject({ code: 1, stderr: expect.stringContaining('invite it again') })
  expect(fleet.hosts()).not.toContain('web01')
})

test('an answer that comes too late is refused', async () => {
  const fleet = await newFleet()
  const { stdout } = await answer(fleet, await enrol(fleet, 'web01', '--valid', '1ms'), 'web01')
  expect(await accept(fleet, stdout)).toMatchObject({ code: 1, stderr: expect.stringContaining('or is too late') })
})

test('a key that was put in the place of the host’s is refused', async () => {
  const fleet = await newFleet()
  const invitation = await enrol(fleet, 'web01')
  const [mine, other] = [await answer(fleet, invitation, 'web01'), await answer(fleet, invitation, 'other')].map(
    ({ stdout }) => JSON.parse(Buffer.from(stdout.trim().split('.')[1] ?? '', 'base64url').toString()),
  )
  const forged = Buffer.from(JSON.stringify({ ...mine, key: other.key })).toString('base64url')
  expect(await accept(fleet, `dg-acceptance-1.${forged}`)).toMatchObject({ code: 1 })
  expect(fleet.hosts()).not.toContain(other.key)
})

test('two hosts cannot have one key', async () => {
  const fleet = await newFleet()
  const [web, db] = [await enrol(fleet, 'web01'), await enrol(fleet, 'db01')]
  expect((await accept(fleet, (await answer(fleet, web, 'cloned')).stdout)).code).toBe(0)
  expect(await accept(fleet, (await answer(fleet, db, 'cloned')).stdout)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('with the key of web01'),
  })
})

test('a host that is in a fleet does not follow the invitation of another one', async () => {
  const [mine, other] = [await newFleet(), await newFleet()]
  await answer(mine, await enrol(mine, 'web01'), 'web01')
  expect(await answer(mine, await enrol(other, 'web01'), 'web01')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('belongs to another fleet'),
  })
})

test('a key is kept nowhere where others write', async () => {
  const fleet = await newFleet()
  mkdirSync(join(fleet.directory, 'web01'))
  chmodSync(join(fleet.directory, 'web01'), 0o777)
  expect(await answer(fleet, await enrol(fleet, 'web01'), 'web01')).toMatchObject({ code: 1, stdout: '' })
  expect(readdirSync(join(fleet.directory, 'web01'))).toEqual([])
})

test.each(['', 'x', 'dg-invitation-1.', 'dg-invitation-1.e30', 'dg-acceptance-1.e30'])(
  '%j is no invitation and no answer',
  async (word) => {
    const fleet = await newFleet()
    expect(await answer(fleet, word, 'web01')).toMatchObject({ code: 1, stdout: '' })
    expect(await accept(fleet, word)).toMatchObject({ code: 1, stdout: '' })
  },
)

test('a fleet begins in a directory of its own, or not at all', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'mine'), '')
  expect(await runInProcess('fleet', 'init', directory, '--server', 'nats.example.com')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('already contains files'),
  })
  const missing = ['--tls-cert', '/none', '--tls-key', '/none', '--tls-ca', '/none']
  expect(await runInProcess('fleet', 'init', join(directory, 'fleet'), '--server', 'x', ...missing)).toMatchObject({
    code: 1,
  })
  expect(readdirSync(directory)).toEqual(['mine'])
})

test('a host that is retired may connect no more once another is accepted', async () => {
  const fleet = await newFleet()
  await accept(fleet, (await answer(fleet, await enrol(fleet, 'web01'), 'web01')).stdout)
  const roster = join(fleet.fleet, 'operator/roster.yaml')
  writeFileSync(roster, readFileSync(roster, 'utf8').replace('ring: all', 'ring: all\n    retired: 2026-11-01'))
  await accept(fleet, (await answer(fleet, await enrol(fleet, 'db01'), 'db01')).stdout)
  expect(fleet.hosts()).toContain('dg.v1.full.db01')
  expect(fleet.hosts()).not.toContain('dg.v1.full.web01')
})
