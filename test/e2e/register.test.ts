import { chownSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { describe, expect, it } from 'vitest'
import { driftgate, type Outcome } from '../support/driftgate.ts'
import { contextOf, makeRegistry, startJetStream, withNats } from '../support/nats.ts'
import { freePort, type NatsServer, needsNats } from '../support/nats-server.ts'
import { needsRoot, temporaryDirectory } from '../support/temporary.ts'

// State is kept below the home of an unprivileged user, so no fix of another test is in the way.
const NOBODY = 65534

const OWNED = 'owner: nobody, group: nogroup, mode: "0644"'

const WEB = 'cluster: prod, service: web, protocol: http, address: 10.0.0.1, priority: 10'

interface Scene {
  readonly home: string
  /** Scans the resources in list form, whose names start with `@/`, with these options. */
  readonly scan: (resources: readonly string[], ...args: readonly string[]) => Promise<Outcome>
}

function sceneOf(server: Pick<NatsServer, 'port'>, data = ''): Scene {
  const home = temporaryDirectory()
  chownSync(home, NOBODY, NOBODY)
  const { XDG_CONFIG_HOME } = contextOf(server as NatsServer)
  chownSync(join(XDG_CONFIG_HOME, 'nats/context/CCM.json'), NOBODY, NOBODY)
  for (const part of ['', 'nats', 'nats/context']) chownSync(join(XDG_CONFIG_HOME, part), NOBODY, NOBODY)
  return {
    home,
    scan(resources, ...args) {
      const policy = join(home, 'policy.yaml')
      const list = resources.map((each) => `    - file: { ${each.replace('@', home)} }\n`).join('')
      writeFileSync(policy, `${data}ccm:\n  resources:\n${list}`)
      const env = { TMPDIR: home, XDG_CONFIG_HOME }
      return driftgate(['scan', policy, '--verbose', ...args], { cwd: home, uid: NOBODY, env })
    },
  }
}

function file(name: string, registrations: string, more = ''): string {
  return `name: "@/${name}", ensure: present, content: x, ${OWNED}, register_when_stable: [${registrations}]${more}`
}

interface Stored {
  readonly subject: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** What the stream of the registry holds, in the order in which it came. */
async function storedIn(server: NatsServer, stream = 'REGISTRATION'): Promise<readonly Stored[]> {
  return await withNats(server, async (connection) => {
    const { streams } = await jetstreamManager(connection)
    const { first_seq: first, last_seq: last, messages } = (await streams.info(stream)).state
    const found: Stored[] = []
    for (let seq = first; messages > 0 && seq <= last; seq++) {
      const message = await streams.getMessage(stream, { seq }).catch(() => null)
      if (message === null) continue
      const headers = Object.fromEntries([...(message.header ?? [])].map(([name, values]) => [name, values.join()]))
      found.push({ subject: message.subject, headers, body: message.json() })
    }
    return found
  })
}

async function registry(stream?: string): Promise<NatsServer> {
  const server = await startJetStream()
  await withNats(server, (connection) => makeRegistry(connection, stream))
  return server
}

const subjectsOf = async (server: NatsServer): Promise<readonly string[]> =>
  (await storedIn(server)).map(({ subject }) => subject.split('.').slice(4, 8).join(' '))

describe.skipIf(needsRoot ?? needsNats)('register_when_stable', () => {
  it('is published by a fix with --register, and stored once however often', async () => {
    const server = await registry()
    const { scan } = sceneOf(server, 'data: { port: 80 }\n')
    const resources = [file('a', `{ ${WEB}, port: "{{ Data.port }}", ttl: 1d, annotations: { version: 1.20 } }`)]
    const fixed = await scan(resources, '--fix', '--register')
    expect(fixed.code).toBe(0)
    const stored = {
      subject: 'choria.ccm.registration.v1.prod.http.web.10_0_0_1.b5dab0e5bff8ac7a',
      headers: { 'Nats-Rollup': 'sub', 'Nats-TTL': '86400s', 'Nats-Expected-Stream': 'REGISTRATION' },
      body: {
        cluster: 'prod',
        service: 'web',
        protocol: 'http',
        address: '10.0.0.1',
        port: 80,
        priority: 10,
        annotations: { version: '1.20' },
        ttl: '86400s',
      },
    }
    expect(await storedIn(server)).toEqual([stored])
    // What is right already is said again, since entries end with their time.
    const again = await scan(resources, '--fix', '--register')
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('registered as prod/web at http://10.0.0.1:80'),
    })
    expect(await storedIn(server)).toEqual([stored])
  })

  it('is not published without --register, nor by an audit, and that is said', async () => {
    const server = await registry()
    const { scan } = sceneOf(server)
    const resources = [file('a', `{ ${WEB}, port: 80 }`)]
    const note = 'register_when_stable: nothing was registered; use "driftgate scan --fix --register"'
    expect(await scan(resources, '--fix')).toMatchObject({ code: 0, stdout: expect.stringContaining(note) })
    expect(await scan(resources)).toMatchObject({ code: 0, stdout: expect.stringContaining(note) })
    expect(await scan(resources, '--register')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--register requires --fix'),
    })
    const probed = await scan(resources, '--fix', '--register', '--probe', 'true')
    expect(probed).toMatchObject({ code: 1, stderr: expect.stringContaining('may revert the fix') })
    expect(await storedIn(server)).toEqual([])
  })

  it('is only of what is right and whose checks are OK', async () => {
    const server = await registry()
    const { scan } = sceneOf(server)
    const resources = ['ok', 'warn', 'bad', 'out'].map((name) => {
      const check = { ok: 'true', warn: 'sh -c "exit 1"', bad: 'false', out: 'true' }[name] ?? ''
      const more = `, health_checks: [{ command: ${JSON.stringify(check)} }]`
      return file(
        name,
        `{ ${WEB.replace('web', name)}, port: 80 }`,
        name === 'out' ? ', control: { if: "false" }' : more,
      )
    })
    const failing = `name: "@/no/such/directory", ensure: present, content: x, ${OWNED}, register_when_stable: [{ ${WEB}, port: 80 }]`
    const { stdout } = await scan([...resources, failing], '--fix', '--register')
    expect(stdout).toContain('not registered: health check sh -c "exit 1" is WARNING')
    expect(await subjectsOf(server)).toEqual(['prod http ok 10_0_0_1'])
  })

  it('is an error of its resource where the server is away, and of no other', async () => {
    const { scan, home } = sceneOf({ port: await freePort() })
    const resources = [file('a', `{ ${WEB}, port: 80 }`), `name: "@/b", ensure: present, content: x, ${OWNED}`]
    const first = await scan(resources, '--fix', '--register', '--report', 'json')
    const verdicts = (text: string): unknown =>
      (
        JSON.parse(text) as { policies: [{ resources: { verdict: string; errors?: string[] }[] }] }
      ).policies[0].resources.map(({ verdict, errors }) => [verdict, errors?.[0]?.replace(/: nats.*/, '')])
    const message = 'not registered as prod/web at http://10.0.0.1:80'
    expect(verdicts(first.stdout)).toEqual([
      ['fix-failed', message],
      ['fixed', undefined],
    ])
    expect(readFileSync(join(home, 'a'), 'utf8')).toBe('x')
    const second = await scan(resources, '--fix', '--register', '--report', 'json')
    expect(verdicts(second.stdout)).toEqual([
      ['error', message],
      ['compliant', undefined],
    ])
    expect(first.code).not.toBe(0)
    expect(second.code).toBe(3)
  })

  it('goes to the stream that is named, and is an error where the stream is another', async () => {
    const server = await registry('SERVICES')
    const { scan } = sceneOf(server)
    const resources = [file('a', `{ ${WEB}, port: 80 }`)]
    const wrong = await scan(resources, '--fix', '--register')
    expect(wrong.code).not.toBe(0)
    expect(wrong.stdout).toContain('not registered as prod/web at http://10.0.0.1:80')
    expect(await scan(resources, '--fix', '--register', '--registration', 'SERVICES')).toMatchObject({ code: 0 })
    expect(await storedIn(server, 'SERVICES')).toHaveLength(1)
  })
})
