import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { connect, nkeyAuthenticator } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loginOfContext } from '../../src/fleet/nats/connect.ts'
import { makeKeys } from '../../src/host/signing/keys.ts'
import { type AgentFleet, end, startAgentFleet, wanting } from '../support/agent-fleet.ts'
import { type Outcome, PROGRAM, start } from '../support/driftgate.ts'
import { addHost, agentIn, hostsSeen, letIn, putBytes, run, serveFleet, storedBytes } from '../support/fleet-parts.ts'
import { cannotMount } from '../support/mount.ts'
import { needsNats } from '../support/nats-server.ts'

const LATER = { timeout: 60_000 }

describe.skipIf(needsNats)('keys and servers stolen from a fleet', () => {
  test('the key of a host is stolen: it forges that host alone', async () => {
    const fleet = await startAgentFleet()
    await addHost(fleet, 'db01')
    await fleet.assign(1, { site: wanting(fleet, 'site', 'absent') })
    await fleet.once()
    await agentIn(fleet, 'db01', ['--once']).outcome
    const messages = await fleet.messages()
    const settings = copied(fleet, 'thief')
    writeFileSync(settings, readFileSync(settings, 'utf8').replace('"web01"', '"db01"'))
    const { stderr } = await agentIn(fleet, 'thief', ['--once']).outcome
    expect(stderr).toMatch(/the server did not return host\.db01 of ASSIGN: Permissions Violation/)
    expect(stderr).toMatch(/the server did not take run .*: Permissions Violation/)
    expect(await fleet.messages()).toBe(messages)
    const seen = { presence: 'reporting', answer: 'compliant' }
    expect(await hostsSeen(fleet)).toMatchObject({ web01: seen, db01: seen })

    // With the server besides.
    const signed = await storedBytes(fleet, 'DG_FULL', 1)
    expect(signed.subject).toBe('dg.v1.full.web01')
    await putBytes(fleet, { ...signed, subject: 'dg.v1.full.db01' })
    const trouble = expect.stringContaining('it is not signed by the key of db01, and names another one')
    expect(await hostsSeen(fleet)).toMatchObject({ web01: seen, db01: { presence: 'forged', trouble } })
  })

  test('a host gets another key: the next use of the old one is refused, and nothing that it signed counts', async () => {
    const fleet = await startAgentFleet()
    await fleet.assign(1, { site: wanting(fleet, 'site', 'absent') })
    await fleet.once()
    copied(fleet, 'thief')
    const thief = agentIn(fleet, 'thief')
    await thief.said('connected to the server')
    const roster = fleet.path('fleet/operator/roster.yaml')
    writeFileSync(roster, readFileSync(roster, 'utf8').replace(/^ +key: .*\n/m, ''))
    rmSync(fleet.path('agent/host.pem'))
    await run(fleet, 'accept', await run(fleet, 'join', await run(fleet, 'enrol', 'web01'), '--agent', 'agent'))
    await letIn(fleet, 'agent')
    await thief.said('the key of this host was revoked')
    await end(thief)
    const messages = await fleet.messages()
    expect((await agentIn(fleet, 'thief', ['--once']).outcome).stderr).toContain('the key of this host was revoked')
    expect(await fleet.messages()).toBe(messages)
    expect(await hostsSeen(fleet)).toMatchObject({ web01: { presence: 'forged', policies: [] } })

    expect(await fleet.once()).toMatchObject({ code: 0 })
    const trouble = expect.stringContaining('it is not signed by the key of web01, and names another one')
    expect(await hostsSeen(fleet)).toMatchObject({ web01: { presence: 'forged', trouble, policies: [{ id: 'site' }] } })
  })

  test('the key that signs policies is stolen: hosts audit and change nothing, and the record has no such act', async () => {
    const fleet = await startAgentFleet()
    writeFileSync(fleet.path('site.yaml'), wanting(fleet, 'site', 'absent'))
    const [sha256 = ''] = (await run(fleet, 'publish', 'site.yaml')).split(' ')
    const assign = (why: string): Promise<string> =>
      run(fleet, 'assign', '--to', 'ring.all', '--policy', sha256, '--reason', why, '--author', 'anna')
    await assign('ours')
    await fleet.once()
    const planted = fleet.path('planted')
    writeFileSync(planted, 'as it was', { mode: 0o600 })
    await fleet.assign(2, { theirs: theirs(fleet) })
    const audited = await agentIn(fleet, 'agent', ['--once', '--no-commands']).outcome
    expect(audited.stderr).toMatch(/assigned: version 2 .* by tester/)
    expect(audited.stderr).toContain('1 drifted, 1 error')
    expect(existsSync(fleet.path('guarded'))).toBe(false)
    expect((await fleet.once()).stderr).toContain('2 drifted')
    // A guard is a part of an audit, a fix is not.
    expect(existsSync(fleet.path('guarded'))).toBe(true)
    expect(existsSync(fleet.path('ran'))).toBe(false)
    expect([readFileSync(planted, 'utf8'), statSync(planted).mode & 0o7777]).toEqual(['as it was', 0o600])

    expect(await run(fleet, 'assignments', 'ring.all')).toMatch(/^ring\.all +2 .* tester +theirs@/m)
    expect(await run(fleet, 'audit')).toContain('version 1:')
    expect(await run(fleet, 'audit')).not.toContain('version 2:')
    expect(await hostsSeen(fleet)).toMatchObject({ web01: { policies: [{ id: 'theirs' }] } })

    const { privatePem, publicPem } = makeKeys()
    writeFileSync(fleet.path('agent/policy.pub'), publicPem)
    const { code, stderr } = await fleet.once()
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('the stored assignment is not used'),
    })
    expect(stderr).not.toMatch(/drifted|compliant/)
    writeFileSync(fleet.path('fleet/operator/policy.pub'), publicPem)
    writeFileSync(fleet.path('fleet/operator/policy.pem'), privatePem)
    await assign('ours again')
    expect((await fleet.once()).stderr).toMatch(/assigned: version \d+ for ring\.all, site, by anna: ours again/)
  })

  test('the server is taken: what is old is refused or counts once', async () => {
    const fleet = await startAgentFleet()
    await fleet.assign(1, { site: wanting(fleet, 'site', 'absent') })
    await fleet.once()
    await fleet.assign(2, { site: wanting(fleet, 'site', 'present') })
    const agent = fleet.agent()
    await agent.said('1 resource: 1 drifted')
    await fleet.arrived(fleet.stored())
    const count = (await fleet.heard()).length
    const before = await hostsSeen(fleet)
    expect(before).toMatchObject({ web01: { presence: 'reporting', answer: 'drifted' } })

    await putBytes(fleet, await storedBytes(fleet, 'KV_ASSIGN', 1))
    await agent.said('version 2 for ring.all stays in force: ')
    await putBytes(fleet, await storedBytes(fleet, 'DG_FULL', 1))
    expect(await hostsSeen(fleet)).toEqual(before)
    expect(await fleet.heard()).toHaveLength(count)
    expect((await end(agent)).stderr).toContain('its version 1 is not newer than 2')
  })

  test('the server is taken: what it acknowledges and keeps back makes its host silent', async () => {
    const fleet = await startAgentFleet({ interval: '1s' })
    await fleet.assign(1, { site: wanting(fleet, 'site', 'absent') })
    const agent = fleet.agent()
    const viewer = await serveFleet(fleet)
    const seen = (): Promise<object> => viewer.shows('/api/fleet')
    await expect.poll(seen, LATER).toMatchObject({ counts: { presence: { reporting: 1 } } })
    await keepBack(fleet)
    const messages = await fleet.messages()
    const stored = fleet.stored()
    while (fleet.stored() < stored + 3) await setTimeout(20)
    await expect.poll(seen, LATER).toMatchObject({
      counts: { undecided: 1, presence: { silent: 1 } },
      exit: { code: 3, reasons: ['1 host is silent'] },
    })
    expect(await fleet.messages()).toBe(messages)
    expect((await end(agent)).stderr).not.toContain('did not')
  })

  test.skipIf(cannotMount)(
    'a host is cloned with its key: alternating starts are detected, with any findings (needs to mount)',
    async () => {
      const fleet = await startAgentFleet()
      mkdirSync(fleet.path('state'))
      await fleet.assign(1, { site: wanting({ ...fleet, cwd: fleet.path('state') }, 'site', 'absent') })
      await fleet.once()
      copied(fleet, 'clone')
      const clone = (): Promise<Outcome> => onCopy(fleet, ['agent', '--agent', 'clone', '--splay', '0s', '--once'])
      expect((await fleet.once()).stderr).toContain('1 compliant')
      expect((await clone()).stderr).toContain('1 drifted')
      expect((await clone()).stderr).toContain('1 drifted')
      await fleet.once()
      expect(await hostsSeen(fleet)).toMatchObject({
        web01: {
          presence: 'forged',
          answer: 'undecided',
          trouble: expect.stringContaining('two machines use the key of web01'),
        },
      })
    },
  )
})

/** A policy of an attacker who can sign it: set a file, run a command, and run one as a guard. */
function theirs({ cwd, path }: AgentFleet): string {
  const file = { ensure: 'present', owner: 'root', group: 'root', mode: '4777', content: 'theirs' }
  const exec = {
    command: `/usr/bin/touch ${path('ran')}`,
    unless: `touch ${path('guarded')}; exit 1`,
    provider: 'shell',
    cwd,
  }
  const resources = [{ file: [{ [path('planted')]: file }] }, { exec: [{ theirs: exec }] }]
  return JSON.stringify({ policy: { id: 'theirs' }, ccm: { resources } })
}

/** Makes the server acknowledge what hosts send, and store none of it. */
async function keepBack(fleet: AgentFleet): Promise<void> {
  const { url, seed, authority } = loginOfContext(fleet.path('fleet/operator/context.json'))
  const authenticator = nkeyAuthenticator(Buffer.from(seed))
  const connection = await connect({ servers: url, authenticator, tls: { ca: authority } })
  onTestFinished(async () => connection.close())
  const answer = (subject: string, text: string): void =>
    void connection.subscribe(subject, { callback: (_error, message) => void message.respond(text) })
  answer('dg.v1.*.web01', JSON.stringify({ stream: 'DG_STATE', seq: 1000 }))
  for (const stream of ['DG_FULL', 'DG_LARGE', 'DG_STATE', 'DG_BEAT']) {
    const { config } = (await connection.request(`$JS.API.STREAM.INFO.${stream}`)).json<{ readonly config: object }>()
    const update = JSON.stringify({ ...config, subjects: [`dg.v1.${stream.slice(3).toLowerCase()}.nobody`] })
    const said = (await connection.request(`$JS.API.STREAM.UPDATE.${stream}`, update)).json()
    expect(said).not.toHaveProperty('error')
  }
}

/** Copies what makes web01 a host of the fleet, and gives the path of its settings there. */
function copied({ path }: AgentFleet, name: string): string {
  cpSync(path('agent'), path(name), { recursive: true })
  return path(`${name}/agent.json`)
}

/** On a machine that was copied: started by itself, and with a file where the policy wants none. */
const COPIED = `mount --bind "$1" /proc/sys/kernel/random/boot_id
mount -t tmpfs tmpfs "$2"
touch "$2/planted"
shift 2
exec "$@"`

function onCopy({ cwd, path }: AgentFleet, words: readonly string[]): Promise<Outcome> {
  writeFileSync(path('boot-id'), 'e0c57f1e-3ae5-4a3c-9f86-6f4e1e8b5c11')
  const namespace = ['--mount', 'sh', '-ec', COPIED, 'sh', path('boot-id'), path('state')]
  return start('unshare', [...namespace, ...PROGRAM, ...words], { cwd }).outcome
}
