import { DAY_MS } from '../../../model/duration.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import { makeBundle } from '../../../fleet/evidence/bundle.ts'
import { messageBundle } from '../../../fleet/evidence/message-bundle.ts'
import { rosterIn } from '../../../fleet/load-roster.ts'
import { keysOf } from '../../../fleet/nats/host-keys.ts'
import { enter, loginOfContext } from '../../../fleet/nats/connect.ts'
import { hostMessages } from '../../../fleet/nats/host-messages.ts'
import { isSafeName } from '../../../fleet/nats/names.ts'
import { openMessage } from '../../../fleet/nats/read-message.ts'
import type { StoredMessage } from '../../../fleet/nats/stored-messages.ts'
import { usageError } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import type { EvidenceInvocation } from './evidence.ts'

/** Prints the evidence bundle of a host. Throws an `OperatorError` if the host has no runs. */
export async function runEvidence({ options }: EvidenceInvocation, io: Io): Promise<number> {
  const { from, context, roster, host, since, until } = options
  if ((from === undefined) === (context === undefined)) throw usageError(ONE_SOURCE, 'fleet evidence')
  if (host === undefined) throw usageError('missing --host NAME', 'fleet evidence')
  const wanted = {
    host,
    sinceMs: since === undefined ? -Infinity : Date.parse(since),
    untilMs: until === undefined ? Infinity : Date.parse(until) + DAY_MS - 1,
  }
  if (from !== undefined && roster !== undefined) throw usageError('--roster requires --context', 'fleet evidence')
  const bundle =
    from === undefined ? await ofServer(context ?? '', { wanted, roster, io }) : await ofDirectory(from, wanted, io)
  await io.print(`${JSON.stringify(bundle)}\n`)
  return EXIT.ok
}

const ONE_SOURCE = 'missing --from DIR (histories) or --context FILE (fleet server)'

interface Desired {
  readonly host: string
  readonly sinceMs: number
  readonly untilMs: number
}

async function ofDirectory(directory: string, wanted: Desired, io: Io): Promise<object> {
  const { bundle, trouble } = await makeBundle({ directory, ...wanted })
  for (const each of trouble) io.say(`driftgate: skipping ${escapeForTerminal(each)}\n`)
  if (bundle.unsigned.length > 0) io.say(`driftgate: ${bundle.unsigned.length} of these runs are unsigned\n`)
  return bundle
}

interface OfServer {
  readonly wanted: Desired
  readonly roster: string | undefined
  readonly io: Io
}

async function ofServer(context: string, { wanted, roster, io }: OfServer): Promise<object> {
  const { host } = wanted
  const keys = roster === undefined ? undefined : keysOf(rosterIn(roster))
  const login = loginOfContext(context)
  if (!isSafeName(host)) throw new OperatorError(`${JSON.stringify(host)} is not a valid host name`)
  const line = await enter(login)
  let stored: readonly StoredMessage[]
  try {
    stored = await hostMessages(line, host)
  } finally {
    await line.close()
  }
  for (const message of keys === undefined ? [] : stored) {
    const opened = openMessage(message, keys ?? new Map())
    if ('reason' in opened) io.say(`driftgate: ${escapeForTerminal(`${message.place}: ${opened.reason}`)}\n`)
  }
  return messageBundle(stored, wanted)
}
