import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rosterIn } from '../../src/fleet/load-roster.ts'
import { type InProcess, runInProcess } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { ownCertificates } from '../support/web-server.ts'

interface Fleet {
  readonly directory: string
  readonly run: (...args: readonly string[]) => Promise<InProcess>
  /** Makes a file in the directory, and gives its path. */
  readonly file: (name: string, text: string) => string
  readonly join: (word: string, agent: string, ...more: readonly string[]) => Promise<InProcess>
  readonly accept: (...answers: readonly string[]) => Promise<InProcess>
  readonly roster: () => ReturnType<typeof rosterIn>['hosts']
  readonly hosts: () => string
}

async function newFleet(): Promise<Fleet> {
  const directory = temporaryDirectory()
  const fleet = join(directory, 'fleet')
  const server = ['--server', 'nats.example.com', ...ownCertificates('nats.example.com')]
  expect((await runInProcess('fleet', 'init', fleet, ...server)).code).toBe(0)
  return {
    directory,
    run: (...args) => runInProcess('fleet', ...args, '--fleet', fleet),
    file(name, text) {
      writeFileSync(join(directory, name), text)
      return join(directory, name)
    },
    join: (word, agent, ...more) =>
      runInProcess('fleet', 'join', word.trim(), '--agent', join(directory, agent), ...more),
    accept: (...answers) => runInProcess('fleet', 'accept', answers.join('\n').trim(), '--fleet', fleet),
    roster: () => rosterIn(join(fleet, 'operator/roster.yaml')).hosts,
    hosts: () => readFileSync(join(fleet, 'server/hosts.conf'), 'utf8'),
  }
}

async function tokenFor({ run }: Fleet, pattern: string, uses: number, ...more: readonly string[]): Promise<string> {
  const { code, stdout } = await run('enrol', '--pattern', pattern, '--uses', String(uses), ...more)
  expect(code).toBe(0)
  return stdout
}

test('a token enrols as many hosts as it says, each under its own name', async () => {
  const fleet = await newFleet()
  const token = await tokenFor(fleet, 'web-*', 2, '--ring', 'canary')
  const answers: string[] = []
  for (const name of ['web-1', 'web-2', 'web-3']) {
    const { code, stdout } = await fleet.join(token, name, '--name', name)
    expect(code).toBe(0)
    answers.push(stdout)
  }
  const { code, stderr } = await fleet.accept(...answers)
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('web-3: the token') })
  expect(stderr).toContain('used up')
  expect([...fleet.roster().values()].map(({ name, ring }) => [name, ring])).toEqual([
    ['web-1', 'canary'],
    ['web-2', 'canary'],
  ])
  expect(fleet.hosts()).not.toContain('web-3')
})

test('the uses of a token are counted from one command to the next', async () => {
  const fleet = await newFleet()
  const token = await tokenFor(fleet, 'web-*', 1)
  expect((await fleet.accept((await fleet.join(token, 'a', '--name', 'web-1')).stdout)).code).toBe(0)
  const second = await fleet.accept((await fleet.join(token, 'b', '--name', 'web-2')).stdout)
  expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('used up') })
  expect([...fleet.roster().keys()]).toEqual(['web-1'])
})

test('a token is refused for a name that does not fit, on the host and where its answer was forged', async () => {
  const fleet = await newFleet()
  const token = await tokenFor(fleet, 'web-*', 5)
  expect(await fleet.join(token, 'db', '--name', 'db-1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the token is for hosts named web-*, and this host is db-1'),
  })
  // A host with the token can make an answer for any name.
  const read = JSON.parse(Buffer.from(token.trim().slice('dg-token-1.'.length), 'base64url').toString())
  const forged = `dg-token-1.${Buffer.from(JSON.stringify({ ...read, pattern: '*' })).toString('base64url')}`
  const { code, stdout } = await fleet.join(forged, 'db', '--name', 'db-1')
  expect(code).toBe(0)
  expect(await fleet.accept(stdout)).toMatchObject({ code: 1, stderr: expect.stringContaining('db-1 was not invited') })
  expect(fleet.roster().size).toBe(0)
})

test('a token that has expired is refused, and so is the name of a member', async () => {
  const fleet = await newFleet()
  const late = (await fleet.join(await tokenFor(fleet, 'web-*', 5, '--valid', '1ms'), 'a', '--name', 'web-1')).stdout
  expect(await fleet.accept(late)).toMatchObject({ code: 1, stderr: expect.stringContaining('has expired') })
  const token = await tokenFor(fleet, 'web-*', 5)
  expect((await fleet.accept((await fleet.join(token, 'a', '--name', 'web-1')).stdout)).code).toBe(0)
  const key = fleet.roster().get('web-1')?.key
  const thief = await fleet.join(token, 'thief', '--name', 'web-1')
  expect(await fleet.accept(thief.stdout)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('already has a key'),
  })
  expect(fleet.roster().get('web-1')?.key).toBe(key)
})

test('the hosts of a CSV file are invited, and all their answers accepted at once, with their labels', async () => {
  const fleet = await newFleet()
  const csv = fleet.file('hosts.csv', 'name,ring,interval,role,site\nweb01,,,web,"Bonn, Rhein"\ndb01,slow,1d,,\n')
  const { code, stdout } = await fleet.run('enrol', '--from', csv, '--ring', 'early')
  expect(code).toBe(0)
  const words = stdout.trim().split('\n')
  expect(words.map((line) => line.split(' ')[0])).toEqual(['web01', 'db01'])
  const answers: string[] = []
  for (const line of words) {
    const [name = '', word = ''] = line.split(' ')
    answers.push((await fleet.join(word, name)).stdout)
  }
  expect(await fleet.accept(...answers)).toMatchObject({ code: 0, stderr: expect.stringContaining('2 hosts enrolled') })
  expect(fleet.roster().get('web01')).toMatchObject({ ring: 'early', labels: { role: 'web', site: 'Bonn, Rhein' } })
  expect(fleet.roster().get('db01')).toMatchObject({ ring: 'slow', intervalMs: 86_400_000, labels: {} })
  // Once more invites those that are missing.
  fleet.file('hosts.csv', 'name\nweb01\nweb02\n')
  const again = await fleet.run('enrol', '--from', csv)
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('1 host invited, 1 already enrolled') })
  expect(again.stdout).toMatch(/^web02 dg-invitation-1\.\S+\n$/)
})

test('every error in a CSV file is reported with its line, and no host is invited', async () => {
  const fleet = await newFleet()
  const text = 'name,ring,interval\nweb01,all,1h\nWEB,all,1h\nweb01,all,1h\nweb03,all\nweb04,A,soon\n"web05,all,1h\n'
  const csv = fleet.file('hosts.csv', text)
  const { code, stdout, stderr } = await fleet.run('enrol', '--from', csv)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  const told = [...stderr.matchAll(/hosts\.csv:(\d+):1/g)].map(([, line]) => Number(line))
  expect(told).toEqual([3, 4, 5, 6, 6, 7])
})

test('contradictory or incomplete options are refused', async () => {
  const fleet = await newFleet()
  for (const args of [[], ['web01', '--pattern', 'a*', '--uses', '1'], ['--pattern', 'a*'], ['web01', '--on', 'x']])
    expect([args, (await fleet.run('enrol', ...args)).code]).toEqual([args, 1])
})
