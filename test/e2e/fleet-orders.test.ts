import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { enter } from '../../src/fleet/nats/connect.ts'
import { type Order, readOrder, signOrder } from '../../src/fleet/orders/order.ts'
import { signedToo } from '../../src/host/signing/envelope.ts'
import { makeKey, namedKey, readPrivateKey } from '../../src/host/signing/keys.ts'
import { driftgate as runHere } from '../support/command-line.ts'
import {
  driftgate,
  type Outcome,
  ownFile,
  PROGRAM,
  type Running,
  start,
  startDriftgate,
  temporaryDirectory,
  UNPRIVILEGED,
} from '../support/driftgate.ts'
import { cannotMount } from '../support/mount.ts'
import { freePort, needsNats, startNats } from '../support/nats-server.ts'
import { asOrdinaryUser } from '../support/unprivileged.ts'

// As an ordinary user, so that fixes have a state, and a lock, of their own.
const TIMEOUT_MS = 180_000
const HOSTS = ['web01', 'web02'] as const

/** A fleet with a running server, hosts that take orders which two of anna, ben and carl approved, and the policy `site`. */
interface OrderFleet {
  readonly cwd: string
  readonly path: (name: string) => string
  readonly run: (...args: readonly string[]) => Promise<Outcome>
  /** Standard output of what must succeed. */
  readonly succeed: (...args: readonly string[]) => Promise<string>
  /** What the agent of a host says when it does everything once. */
  readonly once: (host: string) => Promise<string>
  readonly agent: (host: string) => Running
  /** An order in a file, approved by these; gives its id. */
  readonly approved: (file: string, draft: readonly string[], approvers: readonly string[]) => Promise<string>
  /** How it stands with each host. */
  readonly standings: (id: string) => Promise<Readonly<Record<string, string>>>
  /** Puts values where a host reads orders, as an attacker in control of the server could. */
  readonly put: (host: string, envelopes: readonly unknown[]) => Promise<void>
}

/** Each host audits the same machine, so `resources` see what either of them does. */
async function startOrderFleet(
  resources: (path: (name: string) => string) => readonly object[],
  uid = UNPRIVILEGED,
): Promise<OrderFleet> {
  const cwd = temporaryDirectory(uid)
  const user = uid === undefined ? {} : { uid }
  const path = (name: string): string => join(cwd, name)
  const asUser = uid === UNPRIVILEGED ? asOrdinaryUser<Outcome> : <T>(work: () => T) => work()
  const run = (...args: readonly string[]): Promise<Outcome> => asUser(() => runHere(args, { cwd }))
  const succeed = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args)
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' })
    return stdout.trim()
  }
  const address = `127.0.0.1:${await freePort()}`
  await succeed('fleet', 'init', '--server', address, '--listen', address, '--store', path('store'), '--size', '64MiB')
  for (const name of ['anna', 'ben', 'carl']) await succeed('evidence', 'key', `${name}.key`)
  await succeed('fleet', 'approvers', '--needed', '2', 'anna.key.pub', 'ben.key.pub', 'carl.key.pub')
  for (const host of HOSTS) {
    const answer = await succeed('fleet', 'join', await succeed('fleet', 'enrol', host), '--agent', host)
    await succeed('fleet', 'accept', answer)
  }
  await startNats(path('fleet/server/nats-server.conf'))
  await succeed('fleet', 'prepare')
  writeFileSync(path('site.json'), JSON.stringify({ policy: { id: 'site' }, ccm: { resources: resources(path) } }))
  const [digest = ''] = (await succeed('fleet', 'publish', 'site.json')).split(' ')
  await succeed('fleet', 'assign', '--to', 'ring.all', '--policy', digest, '--reason', 'a test')
  const once = async (host: string): Promise<string> =>
    (await driftgate(['agent', '--agent', host, '--once', '--splay', '0s'], { cwd, ...user })).stderr
  for (const host of HOSTS) expect(await once(host)).toContain('assigned: version 1')
  return {
    cwd,
    path,
    run,
    succeed,
    once,
    agent: (host) => startDriftgate(['agent', '--agent', host, '--splay', '0s'], { cwd, ...user }),
    async approved(file, draft, approvers) {
      const text = await succeed('fleet', 'order', 'draft', ...draft, '--reason', 'CHG-7')
      writeFileSync(path(file), text)
      if (uid !== undefined) chmodSync(path(file), 0o666)
      for (const name of approvers) await succeed('fleet', 'order', 'approve', file, '--key', `${name}.key`)
      return orderIn(path(file)).id
    },
    async standings(id) {
      const { stdout } = await run('fleet', 'orders', id, '--format', 'json')
      const { orders }: { orders: { hosts: { host: string; standing: string }[] }[] } = JSON.parse(stdout)
      return Object.fromEntries(orders[0]?.hosts.map(({ host, standing }) => [host, standing]) ?? [])
    },
    async put(host, envelopes) {
      const [seed, authority] = ['operator/nats.nk', 'server/ca.pem'].map((name) =>
        readFileSync(path(`fleet/${name}`), 'utf8'),
      )
      const line = await enter({ url: `tls://${address}`, seed: seed?.trim() ?? '', authority: authority ?? '' })
      const body = JSON.stringify(envelopes)
      expect(JSON.parse(await line.ask(`$KV.ORDER.host.${host}`, { body, timeoutMs: 5000 }))).toHaveProperty('seq')
      await line.close()
    },
  }
}

function orderIn(path: string): Order {
  const read = readOrder(JSON.parse(readFileSync(path, 'utf8')))
  if ('message' in read) throw new Error(read.message)
  return read.order
}

function file(path: string, properties: Readonly<Record<string, unknown>>): object {
  return { file: [{ [path]: ownFile(properties, UNPRIVILEGED) }] }
}

function reportsOf({ path }: OrderFleet, host: string): readonly Run[] {
  const history = path(`${host}/history`)
  const names = readdirSync(history).filter((name) => name.endsWith('.json.gz'))
  return names.map((name) => JSON.parse(gunzipSync(readFileSync(join(history, name))).toString('utf8')))
}

const motd = (path: (name: string) => string): readonly object[] => [
  file(path('motd'), { content: 'welcome\n' }),
  file(path('other'), { content: 'left\n' }),
]

test.skipIf(needsNats)(
  'a sufficiently approved order fixes its resource once, and nothing else, and the log records it',
  async () => {
    const fleet = await startOrderFleet(motd)
    const { path, run, succeed, once, approved, standings } = fleet
    const draft = ['--host', 'web01', '--host', 'web02', '--resource', '*motd']
    const id = await approved('order.json', draft, ['anna'])
    const tooFew = 'driftgate: this order cannot be sent: approved only by anna, but it needs 2 of anna, ben, carl\n'
    expect(await run('fleet', 'order', 'send', 'order.json')).toMatchObject({ code: 1, stderr: tooFew })
    expect(await run('fleet', 'order', 'approve', 'order.json', '--key', 'anna.key')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is already signed with this key'),
    })
    await succeed('fleet', 'order', 'approve', 'order.json', '--key', 'carl.key')
    const shown = await succeed('fleet', 'order', 'show', 'order.json')
    expect(shown).toMatch(/on 2 hosts: web01, web02\n {2}resource +property +from +to\n/)
    expect(shown).toContain(`  file#${path('motd')}  ensure    absent  present\n`)
    expect(shown).not.toMatch(/sha256 [0-9a-f]{12}/)
    expect(shown).toMatch(/signed by the operator\nsigned by anna\nsigned by carl\napproved$/)
    expect(shown).not.toContain('other')
    await succeed('fleet', 'order', 'send', 'order.json')
    expect(await standings(id)).toEqual({ web01: 'pending', web02: 'pending' })

    expect(await once('web01')).toContain(`order ${id} done: 1 resource repaired`)
    expect(readFileSync(path('motd'), 'utf8')).toBe('welcome\n')
    expect(existsSync(path('other'))).toBe(false)
    // What web01 has repaired is no more as it was approved for web02, which looks at the same machine.
    expect(await once('web02')).toContain(
      `order ${id} refused: changed since approval: file#${path('motd')}: it is compliant`,
    )
    expect(await standings(id)).toEqual({ web01: 'done', web02: 'refused' })

    rmSync(path('motd'))
    await succeed('fleet', 'order', 'send', 'order.json')
    expect(await once('web01')).not.toContain('order')
    expect(existsSync(path('motd'))).toBe(false)

    const [ordered] = reportsOf(fleet, 'web01').filter((report) => report.run.order !== undefined)
    expect(ordered?.run).toMatchObject({ order: id, mode: 'fix' })
    const words = ordered?.policies[0]?.resources.map(({ name, verdict }) => [name, verdict])
    expect(words).toEqual([
      [path('motd'), 'fixed'],
      [path('other'), 'drifted'],
    ])
    expect(reportsOf(fleet, 'web02').some((report) => report.run.mode === 'fix')).toBe(false)
    expect(await succeed('fleet', 'orders')).toMatch(new RegExp(`^${id} .*1 done, 1 refused .*site: CHG-7$`, 'm'))
    expect(await succeed('fleet', 'audit')).toMatch(
      new RegExp(
        `order +.* ${id}: sent to 2 hosts: 1 resource of site \\w{64}, approved by anna, carl, SHA-256 \\w{64}; CHG-7`,
      ),
    )
    expect(existsSync(path(`web01/orders/${id}.plan`))).toBe(false)
  },
  TIMEOUT_MS,
)

test.skipIf(needsNats)(
  'a host goes by its own file of approvers, its assignment and its clock',
  async () => {
    const fleet = await startOrderFleet(motd)
    const { path, succeed, once, approved, standings } = fleet
    const sent = async (name: string, ...more: readonly string[]): Promise<string> => {
      const id = await approved(name, ['--host', 'web01', ...more], ['anna', 'ben'])
      await succeed('fleet', 'order', 'send', name)
      return id
    }
    const later = await sent('later.json', '--not-before', new Date(Date.now() + 3_600_000).toISOString())
    expect(await once('web01')).toContain(`order ${later} by `)
    expect(await standings(later)).toEqual({ web01: 'pending' })
    expect(existsSync(path('motd'))).toBe(false)

    const trusted = readFileSync(path('web01/approvers.json'), 'utf8')
    writeFileSync(path('web01/approvers.json'), trusted.replace('"needed": 2', '"needed": 3'))
    const third = await sent('third.json')
    expect(await once('web01')).toContain(
      `order ${third} refused: approved only by anna and ben, but it needs 3 of anna, ben, carl`,
    )
    writeFileSync(path('web01/approvers.json'), '{}')
    const damaged = await sent('damaged.json')
    expect(await once('web01')).toContain(
      `order ${damaged} refused: ${path('web01/approvers.json')} must contain "approvers"`,
    )
    rmSync(path('web01/approvers.json'))
    const none = await sent('none.json')
    expect(await once('web01')).toContain(`order ${none} refused: this host accepts no orders`)
    writeFileSync(path('web01/approvers.json'), trusted)

    const other = await sent('other.json')
    writeFileSync(path('site.json'), readFileSync(path('site.json'), 'utf8').replaceAll('welcome', 'hello'))
    const [digest = ''] = (await succeed('fleet', 'publish', 'site.json')).split(' ')
    await succeed('fleet', 'assign', '--to', 'ring.all', '--policy', digest, '--reason', 'newer')
    expect(await once('web01')).toContain(
      `order ${other} refused: this host is not assigned site in the version of the order`,
    )
    expect(existsSync(path('motd'))).toBe(false)
    expect(Object.values(await standings(other))).toEqual(['refused'])
  },
  TIMEOUT_MS,
)

test.skipIf(needsNats)(
  'a subscriber runs after a fix of an order only if its run was approved',
  async () => {
    const fleet = await startOrderFleet((path) => [
      file(path('conf'), { content: 'a\n' }),
      {
        exec: [
          {
            restart: {
              command: `/usr/bin/touch ${path('restarted')}`,
              refresh_only: true,
              subscribe: [`file#${path('conf')}`],
            },
          },
        ],
      },
    ])
    const { path, succeed, once, approved, put } = fleet
    const id = await approved('order.json', ['--host', 'web01'], ['anna', 'ben'])
    expect(await succeed('fleet', 'order', 'show', 'order.json')).toContain(
      '  exec#restart may follow\n    Would have executed via subscribe',
    )
    const order = orderIn(path('order.json'))
    const [fix] = order.fixes
    const bare = { ...order, id: crypto.randomUUID(), fixes: [{ ...fix, follows: [] }] } as const
    const [operator, anna, ben] = ['fleet/operator/policy.pem', 'anna.key', 'ben.key'].map((key) =>
      readPrivateKey(path(key)),
    )
    if (operator === undefined || anna === undefined || ben === undefined) throw new Error('a key is missing')
    await put('web01', [signedToo(signedToo(signOrder(bare, operator), anna), ben)])
    expect(await once('web01')).toContain(
      `order ${bare.id} refused: changed since approval: exec#restart would follow, but is not approved`,
    )
    expect(existsSync(path('conf'))).toBe(false)

    await succeed('fleet', 'order', 'send', 'order.json')
    expect(await once('web01')).toContain(`order ${id} done: 1 resource repaired`)
    expect(existsSync(path('restarted'))).toBe(true)
  },
  TIMEOUT_MS,
)

/** A host whose scan waits for a file `go`, and creates a file `looking` when it begins. */
function guarded(path: (name: string) => string): readonly object[] {
  writeFileSync(path('go'), '')
  const guard = `/bin/sh -c 'touch ${path('looking')}; until test -e ${path('go')}; do sleep 0.02; done'`
  return [
    file(path('motd'), { content: 'welcome\n' }),
    { exec: [{ guarded: { command: '/bin/false', unless: guard } }] },
  ]
}

test.skipIf(needsNats)(
  'approvers are checked again when an order is due, and its expiry after the scan',
  async () => {
    const { path, succeed, approved, agent, standings } = await startOrderFleet(guarded)
    const begin = new Date(Date.now() + 6_000).toISOString()
    const early = await approved('early.json', ['--host', 'web01', '--not-before', begin], ['anna', 'ben'])
    const running = agent('web01')
    await running.said('next at')
    for (const name of ['go', 'looking']) rmSync(path(name))
    const brief = await approved('brief.json', ['--host', 'web01', '--expires', '12s'], ['anna', 'ben'])
    await succeed('fleet', 'order', 'send', 'brief.json')
    await vi.waitUntil(() => existsSync(path('looking')), { timeout: 90_000, interval: 20 })
    await succeed('fleet', 'order', 'send', 'early.json')
    await running.said(`order ${early} by `)
    const trusted = readFileSync(path('web01/approvers.json'), 'utf8')
    writeFileSync(path('web01/approvers.json'), trusted.replace('"needed": 2', '"needed": 3'))
    const { expires } = orderIn(path('brief.json'))
    await vi.waitUntil(() => Date.now() > Date.parse(expires), { timeout: 90_000 })
    writeFileSync(path('go'), '')
    await running.said(`order ${brief} refused: it expired during the audit`)
    await running.said(`order ${early} refused: approved only by anna and ben, but it needs 3 of anna, ben, carl`)
    await expect.poll(() => standings(early), { timeout: 90_000 }).toEqual({ web01: 'refused' })
    expect(existsSync(path('motd'))).toBe(false)
    running.child.kill('SIGTERM')
    await running.outcome
  },
  TIMEOUT_MS,
)

test.skipIf(needsNats)(
  'an order that is asked for again while it is carried out is carried out once',
  async () => {
    const fleet = await startOrderFleet(guarded)
    const { path, succeed, approved, agent, standings } = fleet
    const id = await approved('order.json', ['--host', 'web01'], ['anna', 'ben'])
    const running = agent('web01')
    await running.said('next at')
    for (const name of ['go', 'looking']) rmSync(path(name))
    await succeed('fleet', 'order', 'send', 'order.json')
    await vi.waitUntil(() => existsSync(path('looking')), { timeout: 90_000, interval: 20 })
    const { policy } = orderIn(path('order.json'))
    await succeed('fleet', 'assign', '--to', 'ring.all', '--policy', policy.sha256, '--reason', 'asks again')
    await running.said('assigned: version 2')
    writeFileSync(path('go'), '')
    await running.said('1 resolved')
    await expect.poll(() => standings(id), { timeout: 90_000 }).toEqual({ web01: 'done' })
    running.child.kill('SIGTERM')
    const { stderr } = await running.outcome
    expect(stderr.match(new RegExp(`order ${id} (?:done|refused|failed)`, 'g'))).toEqual([`order ${id} done`])
  },
  TIMEOUT_MS,
)

test.skipIf(needsNats)(
  'an order forged by the server is not carried out',
  async () => {
    const { path, run, once, approved, put } = await startOrderFleet(motd)
    const id = await approved('order.json', ['--host', 'web02'], ['anna', 'ben'])
    const genuine = JSON.parse(readFileSync(path('order.json'), 'utf8'))
    const thief = namedKey(makeKey())
    const forged = signedToo(signOrder({ ...orderIn(path('order.json')), id: crypto.randomUUID() }, thief), thief)
    const changed = {
      ...genuine,
      payload: Buffer.from(Buffer.from(genuine.payload, 'base64').toString().replaceAll('web02', 'web01')).toString(
        'base64',
      ),
    }
    await put('web01', [forged, changed, genuine, 'nonsense'])
    const said = await once('web01')
    expect(said).toContain('an order on the server is ignored: it is not signed with the policy key')
    expect(said).toContain(`the server has an order under the name of web01 that is not for it: ${id}`)
    expect(existsSync(path('motd'))).toBe(false)
    const { code, stderr } = await run('fleet', 'orders')
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining('an order for web01: it is not signed with the policy key'),
    })
  },
  TIMEOUT_MS,
)

test.skipIf(needsNats)(
  'later waves get nothing once a host has refused',
  async () => {
    const fleet = await startOrderFleet(motd)
    const { path, run, once, approved, agent, standings } = fleet
    const id = await approved('order.json', ['--host', 'web01', '--host', 'web02'], ['anna', 'ben'])
    writeFileSync(path('motd'), 'somebody else\n')
    const first = agent('web01')
    await first.said('connected to the server')
    const sent = await run('fleet', 'order', 'send', 'order.json', '--waves', '1,rest')
    expect(sent).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/^driftgate: web01 pending\n(?:.*\n)*driftgate: web01 refused, /m),
    })
    first.child.kill('SIGTERM')
    expect((await first.outcome).code).toBe(0)
    expect(await once('web02')).not.toContain('order')
    expect(await standings(id)).toEqual({ web01: 'refused', web02: 'unsent' })
    expect(readFileSync(path('motd'), 'utf8')).toBe('somebody else\n')
  },
  TIMEOUT_MS,
)

test.skipIf(needsNats)(
  'an agent that is killed while it repairs does not begin again',
  async () => {
    const slow = (path: (name: string) => string): readonly object[] => [
      {
        exec: [
          {
            slow: {
              command: `/bin/sh -c 'echo begun >>${path('begun')}; until test -e ${path('release')}; do sleep 0.02; done; touch ${path('made')}'`,
              creates: path('made'),
            },
          },
        ],
      },
    ]
    const fleet = await startOrderFleet(slow)
    const { path, succeed, approved, agent, once, standings } = fleet
    const id = await approved('order.json', ['--host', 'web01'], ['ben', 'carl'])
    const running = agent('web01')
    await running.said('connected to the server')
    await succeed('fleet', 'order', 'send', 'order.json')
    await vi.waitUntil(() => existsSync(path('begun')), { timeout: 90_000, interval: 20 })
    running.child.kill('SIGKILL')
    writeFileSync(path('release'), '')
    await running.outcome
    await vi.waitUntil(() => existsSync(path('made')), { timeout: 90_000, interval: 20 })
    rmSync(path('made'))
    expect(await once('web01')).toContain(`order ${id} failed: the agent was stopped during the order`)
    expect(readFileSync(path('begun'), 'utf8')).toBe('begun\n')
    expect(await standings(id)).toEqual({ web01: 'failed' })
  },
  TIMEOUT_MS,
)

test.skipIf(needsNats)(
  'errors in drafting, showing and approving orders are reported',
  async () => {
    const { path, run, succeed, approved } = await startOrderFleet(motd)
    const signed = readOrder(JSON.parse(await succeed('fleet', 'order', 'draft', '--host', 'web01', '--reason', 'x')))
    if ('message' in signed) throw new Error(signed.message)
    const [before, expires] = [2, 1].map((hours) => new Date(Date.now() - hours * 3_600_000).toISOString())
    const old = { ...signed.order, notBefore: before ?? '', expires: expires ?? '' }
    writeFileSync(path('old.json'), JSON.stringify(signOrder(old, readPrivateKey(path('anna.key')))))
    await approved('order.json', ['--host', 'web01'], [])
    writeFileSync(path('nonsense.json'), '{}')
    mkdirSync(path('full'))
    const reason = ['--reason', 'x']
    for (const [args, message] of [
      [['order', 'draft', ...reason], 'missing --host NAME'],
      [['order', 'draft', '--host', 'web01'], 'missing --reason TEXT'],
      [['order', 'draft', '--host', 'db01', ...reason], 'db01 is not a host with a ring in the roster'],
      [['order', 'draft', '--host', 'web01', '--policy', 'ssh', ...reason], 'web01 is assigned no policy ssh'],
      [['order', 'draft', '--host', 'web01', '--resource', 'none#*', ...reason], 'web01 has no such drift'],
      [['order', 'draft', '--host', 'web01', '--expires', '25h', ...reason], 'must be a duration of at most 24h'],
      [['order', 'show'], 'missing FILE: the order to show'],
      [['order', 'show', 'nonsense.json'], 'nonsense.json is not an order'],
      [['order', 'show', 'absent.json'], 'cannot read absent.json: no such file or directory'],
      [['order', 'approve', 'order.json'], 'missing --key FILE'],
      [['order', 'approve', 'old.json', '--key', 'anna.key'], 'old.json expired at'],
      [['order', 'send', 'old.json'], 'this order cannot be sent: it is not signed with the policy key'],
      [['order', 'perhaps'], '"perhaps" is not one of draft, show, approve, send'],
      [['order', 'send', 'order.json', '--waves', '0'], 'must be numbers or percentages, such as 1,10%,rest'],
      [['orders', crypto.randomUUID()], 'the server has no order'],
      [['approvers', 'anna.key.pub'], 'missing --needed N: the number of required approvals'],
      [['approvers', '--needed', '2', 'anna.key.pub'], 'must set "needed" to the number of its 1 approvers'],
      [['approvers', '--needed', '1', 'anna.key.pub', 'anna.key.pub'], 'has a duplicate key'],
    ] as const)
      expect([args, await run('fleet', ...args)]).toMatchObject([
        args,
        { code: 1, stderr: expect.stringContaining(message) },
      ])
    expect(statSync(path('fleet/operator/approvers.json')).isFile()).toBe(true)
    const invitation = await succeed('fleet', 'enrol', 'db01')
    expect((await run('fleet', 'join', invitation, '--agent', 'db01')).stderr).toContain(
      'accepts fix orders approved by 2 of anna',
    )
    expect((await run('fleet', 'join', invitation, '--agent', 'db01', '--no-orders')).stderr).not.toContain(
      'fix orders',
    )
    expect(existsSync(path('db01/approvers.json'))).toBe(false)
  },
  TIMEOUT_MS,
)

const READ_ONLY = 'mount --bind /etc /etc && mount -o remount,bind,ro /etc && exec "$@"'

test.skipIf(needsNats ?? cannotMount)(
  'an agent in a unit that may change nothing refuses before it begins',
  async () => {
    const { cwd, path, run, succeed, approved, standings } = await startOrderFleet(motd, 0)
    const { stdout: unit } = await run('agent', '--unit', '--agent', 'web01')
    expect(unit).toContain('Applies fix orders')
    expect(unit).not.toContain('ProtectSystem')
    const id = await approved('order.json', ['--host', 'web01'], ['anna', 'ben'])
    await succeed('fleet', 'order', 'send', 'order.json')
    const agent = [...PROGRAM, 'agent', '--agent', 'web01', '--once']
    const { stderr } = await start('unshare', ['--mount', 'sh', '-c', READ_ONLY, 'sh', ...agent], { cwd }).outcome
    expect(stderr).toContain(`order ${id} refused: the agent unit has no write access: approvers are trusted now`)
    expect(existsSync(path('motd'))).toBe(false)
    expect(await standings(id)).toEqual({ web01: 'refused' })
  },
  TIMEOUT_MS,
)
