import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { countOf } from '../../../model/count-of.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import { parseSize } from '../../../model/size.ts'
import { EXIT } from '../../../model/gate.ts'
import { attempt } from '../../../fleet/agent/link.ts'
import { beTheAgent } from '../../../fleet/agent/lock.ts'
import { acceptanceWord, type Invitation, patternOfToken, readInvitation } from '../../../fleet/nats/enrolment.ts'
import { addressesOf, DEFAULT_PORT, fleetHome, type FleetPlan, makeFleet } from '../../../fleet/nats/home.ts'
import type { Approvers } from '../../../fleet/orders/approvers.ts'
import { sendKept } from '../../../fleet/nats/audit.ts'
import { enter, loginOfContext, readAgent } from '../../../fleet/nats/connect.ts'
import { agentHome, joinFleet } from '../../../fleet/nats/join.ts'
import { bootId } from '../../../fleet/nats/boot-id.ts'
import { listenerOn } from '../../../fleet/nats/local-server.ts'
import { rosterIn } from '../../../fleet/load-roster.ts'
import { followOperator } from '../../../fleet/nats/follow.ts'
import { readOutbox } from '../../../fleet/nats/outbox.ts'
import { enterAsOperator } from '../../../fleet/nats/operator-line.ts'
import { prepareStore } from '../../../fleet/nats/prepare.ts'
import { sendRuns } from '../../../fleet/nats/send.ts'
import { sentWords } from '../../../fleet/nats/sent-words.ts'
import { historyDirectory } from '../../../runs/history/directory.ts'
import { readHistory } from '../../../runs/history/read-history.ts'
import { createLocalTarget } from '../../../host/live/local-target.ts'
import { defined } from '../../../model/defined.ts'
import { VERSION } from '../../../engine/version.ts'
import { globMatcher } from '../../../model/selection.ts'
import type { Invocation } from '../../command.ts'
import { usageError } from '../../errors.ts'
import { AGENT_DIRECTORY } from '../../options/agent.ts'
import type { Io } from '../../output/io.ts'
import { wordOf } from './word-of.ts'
import type { FleetHomeFlags, InitFlags, JoinFlags, SendFlags } from './members.ts'

const FLEET = 'fleet'
const STORE = '/var/lib/driftgate-nats'
const SIZE = '20GiB'
const PORT = String(DEFAULT_PORT)

/** Creates the files of a fleet. Throws an `OperatorError`, as do the other commands here. */
export async function runInit(
  { operands: [directory = FLEET], options }: Invocation<InitFlags>,
  io: Io,
): Promise<number> {
  if (options.server === undefined)
    throw usageError('missing --server HOST: the address that hosts connect to', 'fleet init')
  const [first = '', ...others] = options.server.split(',')
  const [host = '', given] = first.split(':')
  const port = await portOf(given, options, io)
  makeFleet(directory, {
    servers: [{ host, port: Number(port) }, ...others.flatMap(addressesOf)],
    listen: options.listen ?? `0.0.0.0:${port}`,
    place: options.place,
    store: options.store ?? STORE,
    storeBytes: parseSize(options.size ?? SIZE) ?? 0,
    certificate: ownCertificate(options),
  })
  const where = options.place === undefined ? '' : `copy ${directory}/server to ${options.place} there, `
  io.say(`driftgate: created ${directory}. On ${[first, ...others].join(' and ')}: ${where}then start nats-server with its nats-server.conf
driftgate: next: driftgate fleet enrol NAME --fleet ${directory}\n`)
  return EXIT.ok
}

/**
 * Port of the server. If the server will run on this machine, a port in use is refused: the server would fail with
 * "address already in use", and hosts would connect to the other process.
 */
async function portOf(given: string | undefined, { place, listen }: InitFlags, io: Io): Promise<string> {
  const wanted = given ?? PORT
  if (place !== undefined) return wanted
  const local = listen?.slice(listen.lastIndexOf(':') + 1)
  const holder = await listenerOn(Number(local ?? wanted))
  if (holder === undefined) return wanted
  if (given !== undefined || local !== undefined)
    throw new OperatorError(
      `port ${local ?? wanted} of this host is in use by ${holder}, so nats-server cannot listen there: choose another port ` +
        'with --server HOST:PORT, or set --place for a server on another host',
    )
  for (let port = Number(PORT) + 1; port < Number(PORT) + MOST_PORTS; port++) {
    if ((await listenerOn(port)) !== undefined) continue
    io.say(`driftgate: port ${PORT} is in use by ${holder}: the fleet server uses port ${port}\n`)
    return String(port)
  }
  throw new OperatorError(
    `port ${PORT} is in use by ${holder}, and so are the ports after it: set one with --server HOST:PORT`,
  )
}

/** Number of ports to try. */
const MOST_PORTS = 100

function ownCertificate(options: InitFlags): FleetPlan['certificate'] {
  const { 'tls-cert': certificate, 'tls-key': key, 'tls-ca': authority } = options
  if (certificate === undefined && key === undefined && authority === undefined) return undefined
  if (certificate === undefined || key === undefined || authority === undefined)
    throw usageError('--tls-cert, --tls-key and --tls-ca require each other', 'fleet init')
  return { certificate, key, authority }
}

/** Joins this host to a fleet and prints its answer. */
export async function runJoin({ operands: [word = ''], options }: Invocation<JoinFlags>, io: Io): Promise<number> {
  const invitation = invitationIn(await wordOf(word, io), options.name)
  const directory = options.agent ?? AGENT_DIRECTORY
  const release = existsSync(agentHome(directory).settings) ? await beTheAgent(directory, keepsOldKey) : undefined
  try {
    const { key, approvers: trusted } = joinFleet(directory, invitation, !options['no-orders'])
    await io.print(`${acceptanceWord(invitation, key)}\n`)
    io.say(`driftgate: pass this answer to "driftgate fleet accept"; it contains no secret
driftgate: then: systemctl enable --now driftgate-agent\n`)
    if (trusted !== undefined) io.say(ordersTaken(trusted))
    return EXIT.ok
  } finally {
    release?.()
  }
}

/** A token is valid for any name that matches its pattern. */
function invitationIn(word: string, given: string | undefined): Invitation {
  const pattern = patternOfToken(word)
  const called = given ?? shortName(hostname())
  if (pattern !== undefined && !globMatcher(pattern)(called))
    throw usageError(
      `the token is for hosts named ${pattern}, and this host is ${called}: pass --name NAME`,
      'fleet join',
    )
  const invitation = readInvitation(word, called)
  if (invitation === undefined)
    throw usageError('this is not an invitation: "driftgate fleet enrol" prints one', 'fleet join')
  if (given !== undefined && invitation.name !== given)
    throw usageError(`the invitation is for ${invitation.name}, not for ${given}`, 'fleet join')
  return invitation
}

function shortName(name: string): string {
  return name.split('.', 1).join('').toLowerCase()
}

function keepsOldKey(directory: string): string {
  return `an agent is running for ${directory} and would keep its present key: stop it first ("systemctl stop driftgate-agent")`
}

/** A read-only unit could not carry out orders. */
function ordersTaken({ needed, approvers }: Approvers): string {
  return `driftgate: this host accepts fix orders approved by ${needed} of ${approvers.map(({ name }) => name).join(', ')}
driftgate: first run: driftgate agent --unit > /etc/systemd/system/driftgate-agent.service: its unit needs write access\n`
}

/** Creates the streams and buckets of the server. */
export async function runPrepare({ options: { fleet = FLEET } }: Invocation<FleetHomeFlags>, io: Io): Promise<number> {
  const { url } = loginOfContext(fleetHome(fleet).context)
  const line = await enterAsOperator(fleet)
  try {
    const { hosts } = rosterIn(fleetHome(fleet).roster)
    const { streams, crowded } = await prepareStore(line, { hosts: hosts.size, servers: url.split(',').length })
    for (const { name, became } of streams) await io.print(`${name} ${became}\n`)
    if (crowded.length > 0) io.say(tooCrowded(hosts.size, crowded))
    await sendKept(line, fleetHome(fleet).audit)
  } finally {
    await line.close()
  }
  return EXIT.ok
}

function tooCrowded(hosts: number, streams: readonly string[]): string {
  return `driftgate: the server has too little storage for ${countOf(hosts, 'host')}: one host could fill ${streams.join(', ')}
driftgate: raise max_file_store and max_file in nats-server.conf, reload the server and run "driftgate fleet prepare" again\n`
}

/** Sends the queued runs. */
export async function runSend({ options }: Invocation<SendFlags>, io: Io): Promise<number> {
  const state = options.agent ?? AGENT_DIRECTORY
  const { name: host, login } = readAgent(state)
  // Two concurrent senders would each save their own state and lose that of the other.
  const release = await beTheAgent(state, otherSends)
  try {
    const { directory, runs } = await readHistory(historyDirectory(options.history, io.env))
    const line = await enter(login)
    try {
      const followed = await attempt(followOperator(line, state, (text) => io.say(`driftgate: ${text}\n`)))
      if (followed !== undefined) io.say(`driftgate: ${followed.trouble}\n`)
      const outbox = readOutbox(state)
      const { hostname } = createLocalTarget().system
      const sender = { version: VERSION, ...defined({ bootId: bootId() }) }
      let isAllSent = true
      const say = (text: string): void => {
        isAllSent = false
        io.say(`driftgate: ${text}\n`)
      }
      // The host key may have been replaced.
      const { key, nextKey } = readAgent(state)
      const about = { host, hostname, key, ...defined({ nextKey }) }
      const sent = await sendRuns({ line, ...about, directory, runs, outbox, state, sender, say })
      io.say(`${sentWords(host, sent)}\n`)
      return isAllSent ? EXIT.ok : EXIT.notPerformed
    } finally {
      await line.close()
    }
  } finally {
    release()
  }
}

function otherSends(directory: string): string {
  return `an agent or another "fleet send" is running for ${directory} and sends the runs: wait for it, or stop it first ("systemctl stop driftgate-agent")`
}
