import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { expect, onTestFinished } from 'vitest'
import { openFleet } from '../../../src/fleet/fleet.ts'
import { loadRoster } from '../../../src/fleet/load-roster.ts'
import { type Assigned, keepUp } from '../../../src/fleet/nats/assigned.ts'
import { storedAssignments } from '../../../src/fleet/nats/assignments.ts'
import { enter, loginOfContext, readAgent } from '../../../src/fleet/nats/connect.ts'
import { storeBundle } from '../../../src/fleet/nats/stored-policies.ts'
import { beginRollout, type Begun, type Desired } from '../../../src/fleet/rollout/begin.ts'
import { type Controller, rolloutController } from '../../../src/fleet/rollout/controller.ts'
import { residentFleet } from '../../../src/fleet/resident.ts'
import { parseRings } from '../../../src/fleet/rollout/rings.ts'
import type { Line } from '../../../src/host/nats/line.ts'
import { readPrivateKey } from '../../../src/host/signing/keys.ts'
import { serveFleet } from '../../../src/fleet/web/server/serve.ts'
import { pack } from '../../support/bundles.ts'
import { runInProcess } from '../../support/command-line.ts'
import { startTestFleet, succeed, type TestFleet } from '../support.ts'

/** A fleet with hosts that keep up, scan and send over connections of their own. */
export interface RolloutFleet extends TestFleet {
  readonly line: Line
  readonly roster: string
  /** Puts a policy on the server, and gives its digest. `what` becomes a part of its text. */
  readonly publish: (what: PolicyKind) => Promise<string>
  readonly begin: (policy: string, wanted?: Partial<Desired> & { readonly ring?: string }) => Promise<Begun>
  /** A host asks what it is assigned, scans with that, and reports. */
  readonly turn: (name: string) => Promise<Assigned>
  /** The address of a web view that releases. */
  readonly serve: () => Promise<string>
  /** A controller, which looks as if it were so much later. */
  readonly controller: (does?: 'looks' | 'releases') => TestController
}

/** A controller with the hosts as the viewer of the fleet sees them. */
export interface TestController extends Pick<Controller, 'seen'> {
  readonly look: (laterMs?: number) => Promise<void>
}

/** What is in a policy: a file that is as it should be, one that is not, and one that cannot be looked at. */
export type PolicyKind = 'good' | 'better' | 'drifting' | 'still drifting' | 'broken'

const DAY_MS = 86_400_000

const OWNER = { owner: userInfo().username, group: execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim() }

/** Starts one whose hosts are in these rings; web01 is in the ring all. */
export async function startRolloutFleet(rings: Readonly<Record<string, string>>): Promise<RolloutFleet> {
  const fleet = await startTestFleet()
  const names = ['web01', ...Object.keys(rings)]
  for (const [name, ring] of Object.entries(rings)) {
    const invitation = await succeed('fleet', 'enrol', name, '--ring', ring, '--interval', '1d', '--fleet', fleet.fleet)
    const answer = await succeed('fleet', 'join', invitation, '--agent', join(fleet.directory, name))
    await succeed('fleet', 'accept', answer, '--fleet', fleet.fleet)
  }
  process.kill(fleet.server.pid, 'SIGHUP')
  for (const name of ['there', 'also']) {
    mkdirSync(join(fleet.directory, name))
    chmodSync(join(fleet.directory, name), 0o755)
  }
  symlinkSync('loop', join(fleet.directory, 'loop'))
  const roster = join(fleet.fleet, 'operator/roster.yaml')
  writeFileSync(roster, readFileSync(roster, 'utf8').replace('interval: 1h', 'interval: 1d'))
  const lines = new Map(await Promise.all(names.map(async (name) => [name, await lineOf(fleet, name)] as const)))
  const line = await fleet.operator()
  return { ...fleet, line, roster, publish, begin, turn, serve, controller }

  async function publish(what: PolicyKind): Promise<string> {
    const paths: Readonly<Record<PolicyKind, readonly string[]>> = {
      good: ['there'],
      better: ['there', 'also'],
      drifting: ['there', 'missing'],
      'still drifting': ['missing', 'there', 'also'],
      broken: ['there', 'loop/file'],
    }
    const resources = paths[what].map((path) => ({
      file: [{ [join(fleet.directory, path)]: { ensure: 'directory', ...OWNER, mode: '0755' } }],
    }))
    const manifest = JSON.stringify({ policy: { id: 'site' }, ccm: { resources } })
    return await storeBundle(line, readFileSync(pack('site.tar.gz', { 'manifest.yaml': manifest })))
  }

  async function begin(
    sha256: string,
    { ring = 'canary,rest', ...wanted }: Partial<Desired> & { readonly ring?: string } = {},
  ): Promise<Begun> {
    const key = readPrivateKey(join(fleet.fleet, 'operator/policy.pem'))
    const read = parseRings('--rings', ring)
    const loaded = loadRoster(roster)
    if (!read.ok || !loaded.ok) throw new Error('rings or roster are not understood')
    const usual = { soak: '2h', stop: 'error>0 or silent>0 or new-drift>0', reason: 'a test', author: 'tester' }
    const asked = { bundles: [sha256], rings: read.value, ...usual, ...wanted } as const
    const { stored } = await storedAssignments(line, key)
    return await beginRollout(asked, { line, roster: loaded.value, key, stored, atLeast: 0 })
  }

  async function turn(name: string): Promise<Assigned> {
    const agent = join(fleet.directory, name)
    const assigned = await keepUp(lines.get(name), agent)
    if (assigned.kind === 'none') return assigned
    const history = join(fleet.directory, `${name}-history`)
    const { stderr } = await runInProcess('scan', ...assigned.policies, '--history', history, '--quiet')
    expect(stderr).toBe('')
    await succeed('fleet', 'send', '--agent', agent, '--history', history)
    return assigned
  }

  async function serve(): Promise<string> {
    const from = loginOfContext(join(fleet.fleet, 'viewer/context.json'))
    const settings = { from, rosterFile: roster, intervalMs: DAY_MS, failOn: 'info' } as const
    const resident = residentFleet({ ...settings, rollout: rolloutController(from, 'releases') })
    const ending = new AbortController()
    const place = { address: '127.0.0.1', port: 0, say: () => undefined }
    let served: Promise<void> = Promise.resolve()
    const address = await new Promise<string>((resolve, reject) => {
      served = serveFleet(resident, place, { signal: ending.signal, listening: resolve })
      served.catch(reject)
    })
    onTestFinished(async () => {
      ending.abort()
      await served
    })
    return address
  }

  function controller(does: 'looks' | 'releases' = 'releases'): TestController {
    const from = loginOfContext(join(fleet.fleet, 'viewer/context.json'))
    const own = rolloutController(from, does)
    const viewed = openFleet({ from, rosterFile: roster, intervalMs: DAY_MS })
    onTestFinished(async () => {
      await own.close()
      await viewed.close()
    })
    return {
      seen: own.seen,
      async look(laterMs = 0) {
        await viewed.look('everywhere')
        const nowMs = Date.now() + laterMs
        await own.look(viewed.view(nowMs).hosts, nowMs)
      },
    }
  }
}

async function lineOf(fleet: TestFleet, name: string): Promise<Line> {
  const opened: { line?: Line } = {}
  const tryIt = async (): Promise<boolean> => {
    opened.line = await enter(readAgent(join(fleet.directory, name)).login)
    return true
  }
  // The server reads who may connect a little after it was told to.
  await expect.poll(() => tryIt().catch(() => false), { timeout: 90_000 }).toBe(true)
  const { line } = opened
  if (line === undefined) throw new Error('no line')
  onTestFinished(async () => line.close())
  return line
}
