import { createPublicKey } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Assignment, signAssignment } from '../../src/fleet/nats/assignment.ts'
import { enter, loginOfContext, readAgent } from '../../src/fleet/nats/connect.ts'
import { natsSource } from '../../src/fleet/nats/nats-source.ts'
import { storeBundle } from '../../src/fleet/nats/stored-policies.ts'
import type { SenderNote } from '../../src/fleet/messages/sender.ts'
import type { ReceivedPolicy } from '../../src/fleet/source.ts'
import type { Line } from '../../src/host/nats/line.ts'
import { readPrivateKey } from '../../src/host/signing/keys.ts'
import { OperatorError } from '../../src/model/operator-error.ts'
import { pack } from './bundles.ts'
import { driftgate as runHere } from './command-line.ts'
import { driftgate, type Outcome, type Running, startDriftgate, temporaryDirectory } from './driftgate.ts'
import { freePort, type NatsServer, startNats } from './nats-server.ts'

/** A fleet with a running server and the host web01, which is in ring `all`. */
export interface AgentFleet {
  readonly cwd: string
  readonly path: (name: string) => string
  /** Ends the server at once; done when it has gone. */
  readonly stop: () => Promise<void>
  /** Starts it again, with the configuration as it is now. */
  readonly start: () => Promise<void>
  /** Lets it read again who may connect. */
  readonly reload: () => void
  /** Signs an assignment of these policies, texts by name, for the ring. */
  readonly assign: (version: number, policies: Readonly<Record<string, string>>) => Promise<void>
  /** Takes all the room for reports that the server has. */
  readonly fill: () => Promise<void>
  /** Lets it keep more messages of one host than it does otherwise. */
  readonly keepAll: () => Promise<void>
  /** How many messages of hosts it has ever stored. */
  readonly messages: () => Promise<number>
  /** Starts the agent of the host with these words behind it. */
  readonly agent: (...words: readonly string[]) => Running
  /** The same once. */
  readonly once: () => Promise<Outcome>
  /** How many runs its history holds. */
  readonly stored: () => number
  /** The runs that a viewer hears, in the order in which the server got them. */
  readonly heard: () => Promise<readonly Heard[]>
  /** Resolves once the server has so many runs. */
  readonly arrived: (count: number) => Promise<void>
}

/** Starts it on a port of the loopback interface. It ends with the test. */
export async function startAgentFleet({ size = '64MiB', interval = '1h' } = {}): Promise<AgentFleet> {
  const cwd = temporaryDirectory()
  const path = (name: string): string => join(cwd, name)
  const address = `127.0.0.1:${await freePort()}`
  const succeed = async (args: readonly string[], text?: string): Promise<string> => {
    const { code, stdout, stderr } = await runHere(args, { cwd, ...(text !== undefined && { stdin: { text } }) })
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' })
    return stdout
  }
  const place = ['--listen', address, '--store', path('store'), '--size', size]
  await succeed(['fleet', 'init', 'fleet', '--server', address, ...place])
  const invitation = await succeed(['fleet', 'enrol', 'web01', '--fleet', 'fleet', '--interval', interval])
  const answer = await succeed(['fleet', 'join', '-', '--agent', 'agent'], invitation)
  await succeed(['fleet', 'accept', '-', '--fleet', 'fleet'], answer)
  const config = path('fleet/server/nats-server.conf')
  let server: NatsServer = await startNats(config)
  await succeed(['fleet', 'prepare', '--fleet', 'fleet'])
  const heard = (): Promise<readonly Heard[]> => heardIn(cwd)
  const words = ['agent', '--agent', 'agent', '--splay', '0s']
  return {
    cwd,
    path,
    stop: () => server.kill(),
    async start() {
      server = await startNats(config)
    },
    reload: () => void process.kill(server.pid, 'SIGHUP'),
    assign: (version, policies) => asOperator(cwd, (line) => assign(line, cwd, { version, policies })),
    fill: () => asOperator(cwd, fill),
    keepAll: () => asOperator(cwd, keepAll),
    async messages() {
      let count = 0
      await asOperator(cwd, async (line) => {
        for (const stream of STREAMS) count += (await infoOf(line, stream)).state.last_seq
      })
      return count
    },
    agent: (...more) => startDriftgate([...words, ...more], { cwd }),
    once: () => driftgate([...words, '--once'], { cwd }),
    stored() {
      const history = path('agent/history')
      return existsSync(history) ? readdirSync(history).filter((name) => name.endsWith('.json.gz')).length : 0
    },
    heard,
    async arrived(count) {
      // A server that reads its configuration again may drop a question.
      const soFar = (): Promise<readonly unknown[]> =>
        heard().catch((error: unknown) => {
          if (error instanceof OperatorError) return []
          throw error
        })
      while ((await soFar()).length < count) await setTimeout(20)
    },
  }
}

/** A policy that wants a file of the test's directory to be there, or not. */
export function wanting({ cwd }: AgentFleet, id: string, ensure: 'absent' | 'present'): string {
  const file = { [join(cwd, 'planted')]: { ensure, owner: 'root', group: 'root', mode: '0644' } }
  return JSON.stringify({ policy: { id }, ccm: { resources: [{ file: [file] }] } })
}

/** Ends an agent as systemd does, and gives what it has done. */
export function end({ child, outcome }: Running): Running['outcome'] {
  child.kill('SIGTERM')
  return outcome
}

/** Does some work as the operator of a fleet, who may do anything on its server. */
export async function asOperator(cwd: string, work: (line: Line) => Promise<void>): Promise<void> {
  const line = await enter(loginOfContext(join(cwd, 'fleet/operator/context.json')))
  try {
    await work(line)
  } finally {
    await line.close()
  }
}

interface Assigning {
  readonly version: number
  readonly policies: Readonly<Record<string, string>>
}

async function assign(line: Line, cwd: string, { version, policies }: Assigning): Promise<void> {
  const stored: Assignment['policies'][number][] = []
  for (const [name, text] of Object.entries(policies)) {
    const bundle = readFileSync(pack(`${name}.tar.gz`, { 'manifest.yaml': text }))
    stored.push({ name, sha256: await storeBundle(line, bundle) })
  }
  const key = readPrivateKey(join(cwd, 'fleet/operator/policy.pem'))
  const at = new Date().toISOString()
  const named = stored as unknown as Assignment['policies']
  const said = { to: 'ring.all', version, policies: named, reason: 'a test', author: 'tester', at } as const
  const body = JSON.stringify(signAssignment(said, key))
  expect(JSON.parse(await line.ask('$KV.ASSIGN.ring.all', { body, timeoutMs: 5000 }))).toHaveProperty('seq')
}

/** What a message takes beside its body. */
const OVERHEAD_BYTES = 100

/** Leaves room for no message, and never sends one that only just fits: for its subject nats-server 2.9 would remove the oldest. */
async function fill(line: Line): Promise<void> {
  for (;;) {
    const { config, state } = await infoOf(line, 'DG_FULL')
    const left = config.max_bytes - state.bytes
    if (left <= OVERHEAD_BYTES) return
    const body = Buffer.alloc(Math.min(100_000, left - OVERHEAD_BYTES))
    const subject = `dg.v1.full.nobody${state.messages}`
    expect(JSON.parse(await line.ask(subject, { body, timeoutMs: 5000 }))).toHaveProperty('seq')
  }
}

const STREAMS = ['DG_FULL', 'DG_LARGE', 'DG_STATE', 'DG_BEAT'] as const

async function keepAll(line: Line): Promise<void> {
  for (const stream of STREAMS) {
    const body = JSON.stringify({ ...(await infoOf(line, stream)).config, max_msgs_per_subject: -1 })
    const said = await line.ask(`$JS.API.STREAM.UPDATE.${stream}`, { body, timeoutMs: 5000 })
    expect(JSON.parse(said)).toHaveProperty('config.max_msgs_per_subject', -1)
  }
}

async function infoOf(line: Line, stream: string): Promise<StreamInfo> {
  return JSON.parse(await line.ask(`$JS.API.STREAM.INFO.${stream}`, { timeoutMs: 5000 })) as StreamInfo
}

interface StreamInfo {
  readonly config: { readonly max_bytes: number }
  readonly state: { readonly bytes: number; readonly last_seq: number; readonly messages: number }
}

/** A run that came in some way. */
interface Heard {
  readonly host: string
  readonly runId: string
  readonly policies: readonly Pick<ReceivedPolicy, 'id'>[]
  readonly sender?: SenderNote
}

async function heardIn(cwd: string): Promise<readonly Heard[]> {
  const agents = readdirSync(cwd).filter((name) => existsSync(join(cwd, name, 'agent.json')))
  const keys = agents
    .map((name) => readAgent(join(cwd, name)))
    .map(({ name, key }) => [name, createPublicKey(key)] as const)
  const source = natsSource(loginOfContext(join(cwd, 'fleet/viewer/context.json')), new Map(keys))
  const runs: Heard[] = []
  const add = (run: Heard): void => void runs.push(run)
  try {
    const unusable = await source.news({ add, still: add, gone: () => undefined }, 'everywhere')
    expect(unusable).toEqual([])
    return runs
  } finally {
    await source.close()
  }
}
