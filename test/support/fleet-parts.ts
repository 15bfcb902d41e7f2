import { expect } from 'vitest'
import { enter, readAgent } from '../../src/fleet/nats/connect.ts'
import { type AgentFleet, asOperator } from './agent-fleet.ts'
import { driftgate } from './command-line.ts'
import { type Running, startDriftgate, type StartOptions } from './driftgate.ts'

/** What the words of a viewer begin with. */
const VIEW = ['--context', 'fleet/viewer/context.json', '--roster', 'fleet/operator/roster.yaml'] as const

/** Runs `driftgate fleet` for a fleet, which must succeed, and gives its standard output. */
export async function run({ cwd }: AgentFleet, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await driftgate(['fleet', ...args], { cwd })
  expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' })
  return stdout.trim()
}

/** Adds a host, whose agent lives in the directory of its name. */
export async function addHost(fleet: AgentFleet, name: string, { ring = 'all', interval = '1h' } = {}): Promise<void> {
  const invitation = await run(fleet, 'enrol', name, '--ring', ring, '--interval', interval)
  await run(fleet, 'accept', await run(fleet, 'join', invitation, '--agent', name))
  await letIn(fleet, name)
}

/** Lets the server read again who may connect, and waits until the host of a directory is one of them. */
export async function letIn(fleet: AgentFleet, directory: string): Promise<void> {
  fleet.reload()
  const { login } = readAgent(fleet.path(directory))
  const isIn = async (): Promise<boolean> => {
    const line = await enter(login)
    await line.close()
    return true
  }
  await expect.poll(() => isIn().catch(() => false), { timeout: 90_000 }).toBe(true)
}

export function agentIn(
  { cwd }: AgentFleet,
  directory: string,
  more: readonly string[] = [],
  env?: StartOptions['env'],
) {
  const words = ['agent', '--agent', directory, '--splay', '0s', ...more]
  return startDriftgate(words, { cwd, ...(env && { env }) })
}

export interface ServedFleet extends Running {
  /** What it answers at a path, a page or a document. */
  readonly text: (path: string) => Promise<string>
  readonly shows: (path: string) => Promise<Shown>
}

/** What of documents is looked at. */
export interface Shown {
  readonly exit: { readonly code: number; readonly reasons: readonly string[] }
  readonly counts: object
  readonly troubles: readonly string[]
  readonly hosts?: readonly object[]
  readonly runs?: readonly object[]
}

/** Starts the viewer, and gives it once it answers. */
export async function serveFleet({ cwd }: AgentFleet, ...more: readonly string[]): Promise<ServedFleet> {
  const running = startDriftgate(['fleet', 'serve', ...VIEW, '--listen', '127.0.0.1:0', ...more], { cwd })
  let said = ''
  running.child.stderr?.on('data', (text: string) => (said += text))
  await running.said('serving the fleet view at http://127.0.0.1:')
  const [address = ''] = /http:\S+?(?=\/?\s)/.exec(said) ?? []
  const text = async (path: string): Promise<string> => (await fetch(`${address}${path}`)).text()
  const shows = async (path: string): Promise<Shown> => JSON.parse(await text(path))
  await expect.poll(async () => (await fetch(`${address}/api/fleet`)).status, { timeout: 90_000 }).toBe(200)
  return { ...running, text, shows }
}

/** What `driftgate fleet hosts` says of hosts, by name. */
export async function hostsSeen({ cwd }: AgentFleet): Promise<Readonly<Record<string, object | undefined>>> {
  const { stdout } = await driftgate(['fleet', 'hosts', ...VIEW, '--format', 'json'], { cwd })
  const { hosts }: { readonly hosts: readonly { readonly name: string }[] } = JSON.parse(stdout)
  return Object.fromEntries(hosts.map((host) => [host.name, host]))
}

/** A message as the server has it, with the headers that its host has signed. */
export interface StoredBytes {
  readonly subject: string
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/** Reads a message of a stream as an attacker in control of the server. */
export async function storedBytes({ cwd }: AgentFleet, stream: string, seq: number): Promise<StoredBytes> {
  const found: StoredBytes[] = []
  await asOperator(cwd, async (line) => {
    const said = await line.ask(`$JS.API.STREAM.MSG.GET.${stream}`, { body: JSON.stringify({ seq }), timeoutMs: 5000 })
    const { message }: { readonly message: Readonly<Record<'subject' | 'data' | 'hdrs', string>> } = JSON.parse(said)
    const lines = Buffer.from(message.hdrs ?? '', 'base64')
      .toString()
      .matchAll(/^(Dg-\w+): (.*?)\r$/gm)
    const headers = Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]))
    found.push({ subject: message.subject, body: Buffer.from(message.data, 'base64'), headers })
  })
  const [first] = found
  if (first === undefined) throw new Error('no message')
  return first
}

/** Puts a message onto the server as an attacker in control of it. */
export async function putBytes({ cwd }: AgentFleet, { subject, body, headers }: StoredBytes): Promise<void> {
  await asOperator(cwd, async (line) => {
    expect(JSON.parse(await line.ask(subject, { body, headers, timeoutMs: 5000 }))).toHaveProperty('seq')
  })
}
