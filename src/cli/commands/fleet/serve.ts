import { BlockList, isIP } from 'node:net'
import { defined } from '../../../model/defined.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import type { FleetSettings } from '../../../fleet/fleet.ts'
import { auditReader } from '../../../fleet/nats/audit-reader.ts'
import { forgeryRecord } from '../../../fleet/nats/forgeries.ts'
import { type Controller, rolloutController } from '../../../fleet/rollout/controller.ts'
import { residentFleet } from '../../../fleet/resident.ts'
import { serveFleet, type ServeSettings } from '../../../fleet/web/server/serve.ts'
import { usageError } from '../../errors.ts'
import { watchInterruption } from '../../interruption.ts'
import type { Io } from '../../output/io.ts'
import type { FleetFlags } from './options.ts'

const DEFAULT_PLACE = '127.0.0.1:8642'

/** Serves the web view until SIGTERM or SIGINT, and returns the exit code. Throws an `OperatorError`. */
export async function runServe(options: FleetFlags, fleet: FleetSettings, io: Io): Promise<number> {
  const say = (message: string): void => io.say(`driftgate: ${escapeForTerminal(message)}\n`)
  const settings = { ...placeOf(options), say }
  const rollout = rolloutOf(options, fleet)
  // A view that releases nothing also writes nothing.
  const forgeries = options.release && typeof fleet.from !== 'string' ? forgeryRecord(fleet.from) : undefined
  const audit = typeof fleet.from === 'string' ? undefined : auditReader(fleet.from)
  const resident = residentFleet({ ...fleet, failOn: options['fail-on'], ...defined({ rollout, forgeries, audit }) })
  const interruption = watchInterruption(io, (name) => say(`${name}: stopping; a second signal stops at once`))
  try {
    await serveFleet(resident, settings, {
      signal: interruption.signal,
      listening: (address) => say(`serving the fleet view at ${address}`),
    })
    return EXIT.ok
  } finally {
    interruption.release()
  }
}

/** A directory has no rollout. */
function rolloutOf({ release }: FleetFlags, { from }: FleetSettings): Controller | undefined {
  if (typeof from !== 'string') return rolloutController(from, release ? 'releases' : 'looks')
  if (release) throw usageError('--release needs --context: a directory has no rollout', 'fleet')
  return undefined
}

function placeOf(options: FleetFlags): Omit<ServeSettings, 'say'> {
  const {
    listen = DEFAULT_PLACE,
    'tls-cert': certificate,
    'tls-key': key,
    tokens,
    host,
    label,
    ring,
    control,
  } = options
  if (host.length + label.length + ring.length + control.length > 0) {
    throw usageError(
      'fleet serve shows all hosts: filter on its pages instead of with --host, --label, --ring and --control',
      'fleet',
    )
  }
  const [, bracketed, plain = bracketed ?? '', port = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(listen) ?? []
  if (isIP(plain) === 0 || Number(port) > 65_535) {
    throw usageError(
      `--listen must be an address and a port such as ${DEFAULT_PLACE} or [::1]:8642, found "${listen}"`,
      'fleet',
    )
  }
  if ((certificate === undefined) !== (key === undefined)) {
    throw usageError('--tls-cert and --tls-key require each other', 'fleet')
  }
  const tls = certificate === undefined || key === undefined ? undefined : { certificate, key }
  if (!isLoopback(plain) && (tls === undefined || tokens === undefined)) {
    const missing =
      tls === undefined ? '--tls-cert and --tls-key, to encrypt the connection' : '--tokens, the access tokens'
    throw usageError(`other hosts can reach ${plain}: add ${missing}, or listen on 127.0.0.1`, 'fleet')
  }
  return { address: plain, port: Number(port), ...defined({ tls, tokens }) }
}

function isLoopback(address: string): boolean {
  const loopback = new BlockList()
  loopback.addSubnet('127.0.0.0', 8, 'ipv4')
  loopback.addAddress('::1', 'ipv6')
  return loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
