import { existsSync } from 'node:fs'
import { countOf } from '../../../core/count-of.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import { parseDuration } from '../../../core/duration.ts'
import { parseSize } from '../../../core/size.ts'
import { EXIT } from '../../../core/gate.ts'
import { attempt } from '../../../agent/link.ts'
import { beTheAgent } from '../../../agent/lock.ts'
import { acceptanceWord, invitationWord, readAcceptance, readInvitation } from '../../../fleet/nats/enrolment.ts'
import { addressesOf, DEFAULT_PORT, fleetHome, type FleetPlan, makeFleet } from '../../../fleet/nats/home.ts'
import type { Approvers } from '../../../fleet/orders/approvers.ts'
import { sendKept } from '../../../fleet/nats/audit.ts'
import { enter, loginOfContext, readAgent } from '../../../fleet/nats/connect.ts'
import { agentHome, joinFleet } from '../../../fleet/nats/join.ts'
import { bootId } from '../../../fleet/nats/boot-id.ts'
import { accept, invite } from '../../../fleet/nats/members.ts'
import { listenerOn } from '../../../fleet/nats/local-server.ts'
import { rosterIn } from '../../../fleet/load-roster.ts'
import { isSafeName, NAME_RULE } from '../../../fleet/nats/names.ts'
import { followNotice } from '../../../fleet/nats/notice.ts'
import { readOutbox } from '../../../fleet/nats/outbox.ts'
import { prepareStore } from '../../../fleet/nats/prepare.ts'
import { sendRuns } from '../../../fleet/nats/send.ts'
import { sentWords } from '../../../fleet/nats/sent-words.ts'
import { historyDirectory } from '../../../history/directory.ts'
import { readHistory } from '../../../history/read-history.ts'
import { createLocalTarget } from '../../../target/local/local-target.ts'
import { defined } from '../../../core/defined.ts'
import { VERSION } from '../../../engine/version.ts'
import { localSource } from '../../../fetch/files.ts'
import type { Invocation } from '../../command.ts'
import { usageError } from '../../errors.ts'
import { AGENT_DIRECTORY } from '../../options/agent.ts'
import type { Io } from '../../output/io.ts'
import { whoAmI } from './who-am-i.ts'
import type { EnrolFlags, FleetHomeFlags, InitFlags, JoinFlags, SendFlags } from './members-options.ts'

const FLEET = 'fleet'
const STORE = '/var/lib/driftgate-nats'
const SIZE = '20GiB'
const RING = 'all'
const HOUR = '1h'
const PORT = String(DEFAULT_PORT)

/** Makes the files of a fleet. Throws `OperatorError`s, as the others do. */
export async function runInit(
  { operands: [directory = FLEET], options }: Invocation<InitFlags>,
  io: Io,
): Promise<number> {
  if (options.server === undefined) throw usageError('say how hosts call the server: --server HOST', 'fleet init')
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
  io.say(`driftgate: made ${directory}. On ${[first, ...others].join(' and ')}: ${where}then start nats-server with nats-server.conf of it
driftgate: next: driftgate fleet enrol NAME --fleet ${directory}\n`)
  return EXIT.ok
}

/**
 * The port of the server. Where it will run on this machine, a port that another process has is no use: it would end with "address already in
 * use", and hosts would ask that other process.
 */
async function portOf(given: string | undefined, { place, listen }: InitFlags, io: Io): Promise<string> {
  const wanted = given ?? PORT
  if (place !== undefined) return wanted
  const local = listen?.slice(listen.lastIndexOf(':') + 1)
  const holder = await listenerOn(Number(local ?? wanted))
  if (holder === undefined) return wanted
  if (given !== undefined || local !== undefined)
    throw new OperatorError(
      `port ${local ?? wanted} of this machine is taken by ${holder}, so the nats-server of the fleet could not listen there: name another port ` +
        'with --server HOST:PORT, or say with --place where on another machine it will run',
    )
  for (let port = Number(PORT) + 1; port < Number(PORT) + MOST_PORTS; port++) {
    if ((await listenerOn(port)) !== undefined) continue
    io.say(`driftgate: port ${PORT} is taken by ${holder}: the nats-server of the fleet gets port ${port}\n`)
    return String(port)
  }
  throw new OperatorError(
    `port ${PORT} is taken by ${holder}, and so are those after it: name one with --server HOST:PORT`,
  )
}

/** How many ports are tried. */
const MOST_PORTS = 100

function ownCertificate(options: InitFlags): FleetPlan['certificate'] {
  const { 'tls-cert': certificate, 'tls-key': key, 'tls-ca': authority } = options
  if (certificate === undefined && key === undefined && authority === undefined) return undefined
  if (certificate === undefined || key === undefined || authority === undefined)
    throw usageError('--tls-cert, --tls-key and --tls-ca belong together', 'fleet init')
  return { certificate, key, authority }
}

/** Prints an invitation. */
export async function runEnrol({ operands: [name = ''], options }: Invocation<EnrolFlags>, io: Io): Promise<number> {
  if (!isSafeName(name)) throw usageError(`${JSON.stringify(name)} is no name of a host: ${NAME_RULE}`, 'fleet enrol')
  const { fleet = FLEET, ring = RING, interval = HOUR, valid = HOUR } = options
  const invitation = invite(fleet, { name, ring, interval, validMs: parseDuration(valid) ?? 0 })
  await io.print(`${invitationWord(invitation)}\n`)
  io.say(`driftgate: on ${name} within ${valid}: driftgate fleet join WORD; whoever has the word can become ${name}\n`)
  return EXIT.ok
}

/** Makes a host part of a fleet and prints its answer. */
export async function runJoin({ operands: [word = ''], options }: Invocation<JoinFlags>, io: Io): Promise<number> {
  const invitation = readInvitation(await wordOf(word))
  if (invitation === undefined)
    throw usageError('this is no invitation: "driftgate fleet enrol" prints one', 'fleet join')
  const directory = options.agent ?? AGENT_DIRECTORY
  const release = existsSync(agentHome(directory).settings) ? await beTheAgent(directory, keepsOldKey) : undefined
  try {
    const { key, approvers: trusted } = joinFleet(directory, invitation, !options['no-orders'])
    await io.print(`${acceptanceWord(invitation, key)}\n`)
    io.say(`driftgate: give this word to "driftgate fleet accept"; it holds no secret
driftgate: then: systemctl enable --now driftgate-agent\n`)
    if (trusted !== undefined) io.say(ordersTaken(trusted))
    return EXIT.ok
  } finally {
    release?.()
  }
}

function keepsOldKey(directory: string): string {
  return `an agent is running for ${directory} and would go on with the key that it has: stop it first ("systemctl stop driftgate-agent")`
}

/** A unit that may only look could carry out none. */
function ordersTaken({ needed, approvers }: Approvers): string {
  return `driftgate: this host takes fix orders that ${needed} of ${approvers.map(({ name }) => name).join(', ')} approved
driftgate: before: driftgate agent --unit > /etc/systemd/system/driftgate-agent.service, since its unit has to be one that may change things\n`
}

/** Takes the answer of a host. */
export async function runAccept(
  { operands: [word = ''], options }: Invocation<FleetHomeFlags>,
  io: Io,
): Promise<number> {
  const answer = readAcceptance(await wordOf(word))
  if (answer === undefined) throw usageError('this is no answer: "driftgate fleet join" prints one', 'fleet accept')
  const { fleet = FLEET } = options
  const { name, ring } = accept(fleet, answer, whoAmI())
  io.say(`driftgate: ${name} is in ring ${ring}; for the server: copy ${fleet}/server/hosts.conf to it and reload it
driftgate: (systemctl reload driftgate-nats, or SIGHUP)\n`)
  return EXIT.ok
}

/** Makes what the server stores in. */
export async function runPrepare({ options: { fleet = FLEET } }: Invocation<FleetHomeFlags>, io: Io): Promise<number> {
  const login = loginOfContext(fleetHome(fleet).context)
  const { url } = login
  const line = await enter(login)
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
  return `driftgate: the server has too little room for ${countOf(hosts, 'host')}: one host could fill ${streams.join(', ')}
driftgate: raise max_file_store and max_file in nats-server.conf, reload the server and run "driftgate fleet prepare" again\n`
}

/** Sends what the server does not have yet. */
export async function runSend({ options }: Invocation<SendFlags>, io: Io): Promise<number> {
  const state = options.agent ?? AGENT_DIRECTORY
  const { name, login, key } = readAgent(state)
  // Two that send at once would each write down what they know, and not what the other one has sent.
  const release = await beTheAgent(state, otherSends)
  try {
    const { directory, runs } = await readHistory(historyDirectory(options.history, io.env))
    const line = await enter(login)
    try {
      const followed = await attempt(followNotice(line, state, (text) => io.say(`driftgate: ${text}\n`)))
      if (followed !== undefined) io.say(`driftgate: ${followed.trouble}\n`)
      const outbox = readOutbox(state)
      const { hostname } = createLocalTarget().system
      const sender = { version: VERSION, ...defined({ bootId: bootId() }) }
      let isAllSent = true
      const say = (text: string): void => {
        isAllSent = false
        io.say(`driftgate: ${text}\n`)
      }
      const sent = await sendRuns({ line, host: name, hostname, key, directory, runs, outbox, state, sender, say })
      io.say(`${sentWords(name, sent)}\n`)
      return isAllSent ? EXIT.ok : EXIT.notPerformed
    } finally {
      await line.close()
    }
  } finally {
    release()
  }
}

function otherSends(directory: string): string {
  return `an agent or another "fleet send" is running for ${directory} and sends: leave it to that, or stop it first ("systemctl stop driftgate-agent")`
}

async function wordOf(operand: string): Promise<string> {
  if (operand !== '-') return operand
  const read = await localSource.readStdin()
  if ('message' in read) throw new OperatorError(read.message)
  return Buffer.from(read.bytes).toString('utf8').trim()
}
