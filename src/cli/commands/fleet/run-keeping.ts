import { statSync } from 'node:fs'
import { countOf } from '../../../model/count-of.ts'
import { EXIT } from '../../../model/gate.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import { formatSize } from '../../../model/size.ts'
import { systemReason } from '../../../model/system-reason.ts'
import { VERSION } from '../../../engine/version.ts'
import { backUp } from '../../../fleet/backup/backup.ts'
import { hasFleet, restoreFiles, restoreServer } from '../../../fleet/backup/restore.ts'
import { addressesOf } from '../../../fleet/nats/home.ts'
import { type Departure, leave } from '../../../fleet/nats/leaving.ts'
import { moveFleet } from '../../../fleet/nats/move.ts'
import { rotate, type RotationStep } from '../../../fleet/nats/rotate.ts'
import { type HostRotation, rotateHosts } from '../../../fleet/nats/rotate-hosts.ts'
import { readWhole } from '../../../host/live/read-whole.ts'
import type { Invocation } from '../../command.ts'
import { usageError } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import type { BackupFlags, LeaveFlags, MoveFlags, RotateFlags } from './keeping.ts'
import { complainOfServers } from './members.ts'
import { whoAmI } from './who-am-i.ts'

const FLEET = 'fleet'

/** Revokes or retires a host. Throws an `OperatorError`, as do the other commands here. */
export async function runLeave(
  how: Departure,
  { operands: [host = ''], options }: Invocation<LeaveFlags>,
  io: Io,
): Promise<number> {
  const { fleet = FLEET, reason = '', author = whoAmI() } = options
  if (reason.trim() === '')
    throw usageError(
      'missing --reason TEXT: the activity log shows it',
      how === 'revoked' ? 'fleet revoke' : 'fleet retire',
    )
  const reload = leave(fleet, host, how, { author, reason })
  const done = `${host} is ${how}`
  if (reload.kind === 'reloaded') {
    io.say(`driftgate: ${done}; the server on this host has revoked its key\n`)
    return EXIT.ok
  }
  const why = reload.kind === 'refused' ? ` (the server on this host cannot be reloaded: ${reload.reason})` : ''
  io.say(`driftgate: ${done} in the roster, but the server accepts its key until it reloads hosts.conf${why}:
driftgate: copy ${fleet}/server/hosts.conf to the server and reload it ("systemctl reload driftgate-nats", or SIGHUP)\n`)
  return EXIT.ok
}

export async function runBackup({ operands: [file = ''], options }: Invocation<BackupFlags>, io: Io): Promise<number> {
  const { fleet = FLEET, author = whoAmI() } = options
  const passphrase = passphraseOf(options, 'fleet backup')
  const { files, messages, bytes } = await backUp(fleet, file, { passphrase, author, version: VERSION })
  const held = `${countOf(files, 'file')} and ${countOf(messages, 'message')} of the server, ${formatSize(bytes)}`
  io.say(`driftgate: wrote ${file}: ${held}; it cannot be read without the passphrase\n`)
  return EXIT.ok
}

export async function runRestore({ operands: [file = ''], options }: Invocation<BackupFlags>, io: Io): Promise<number> {
  const { fleet = FLEET, author = whoAmI() } = options
  const passphrase = passphraseOf(options, 'fleet restore')
  if (!hasFleet(fleet)) {
    io.say(`driftgate: restored ${countOf(restoreFiles(fleet, file, passphrase), 'file')} to ${fleet}\n`)
    io.say(`driftgate: next: start nats-server with nats-server.conf of ${fleet}/server, and run this command again\n`)
    return EXIT.notPerformed
  }
  const { streams, messages, assigned, since } = await restoreServer(fleet, file, { passphrase, author })
  const what = `${countOf(streams, 'stream')} with ${countOf(messages, 'message')}`
  io.say(`driftgate: the server has ${what}; hosts resend their runs since ${since}\n`)
  if (assigned.length > 0) io.say(`driftgate: signed the assignments of ${assigned.join(', ')} again\n`)
  return EXIT.ok
}

/** Announces a new server address to hosts. */
export async function runMove({ operands: [text = ''], options }: Invocation<MoveFlags>, io: Io): Promise<number> {
  const wrong = complainOfServers(text)
  if (wrong !== undefined) throw usageError(`the address ${wrong}`, 'fleet move')
  const { fleet = FLEET, author = whoAmI() } = options
  const { url, isCertified } = await moveFleet(fleet, addressesOf(text), author)
  const certificate = isCertified
    ? `copy ${fleet}/server to the server host and reload the server: its certificate has both names`
    : 'your own certificate of the server must have the new name, too'
  io.say(`driftgate: hosts connect to ${url} once they have reported
driftgate: ${certificate}; copy ${fleet}/viewer to the host of the web view\n`)
  return EXIT.ok
}

/** Rotates keys, one step per call. */
export async function runRotate({ options }: Invocation<RotateFlags>, io: Io): Promise<number> {
  const { fleet = FLEET, author = whoAmI(), hosts, leaked: isLeaked, 'leave-hosts': leavesHosts } = options
  if (hosts && isLeaked) throw usageError(LEAKED_HOSTS, 'fleet rotate')
  if (hosts) return sayHosts(await rotateHosts(fleet, { author, leavesHosts }), fleet, io)
  const step = await rotate(fleet, { author, isLeaked, leavesHosts })
  const copy = `copy ${fleet}/server to the server and reload it`
  const view = `copy ${fleet}/viewer to the host of the web view and restart "driftgate fleet serve" there`
  const next: Readonly<Record<RotationStep, string>> = {
    both: `former and new keys are both valid; ${copy}; ${view}; then run this command again`,
    switched: `the new keys are in use; ${view}; run this command again once every host has reported`,
    finished: `the former keys are revoked; ${copy}; ${view}`,
  }
  io.say(`driftgate: ${next[step]}\n`)
  return EXIT.ok
}

const LEAKED_HOSTS =
  'a stolen host key could announce a new key: revoke it with "driftgate fleet revoke" and invite the host again'

function sayHosts({ told, admitted, replaced, behind, isOver }: HostRotation, fleet: string, io: Io): number {
  const copy = `copy ${fleet}/operator/roster.yaml to the host of the web view, then ${fleet}/server/hosts.conf to the server and reload it`
  const steps: readonly (readonly [string, readonly string[]])[] = [
    ['asked to create new keys', told],
    ['new keys valid in addition to the former ones', admitted],
    ['former keys revoked', replaced],
    [isOver ? 'former keys remain valid' : 'not yet reported with the new key', behind],
  ]
  for (const [what, names] of steps)
    if (names.length > 0) io.say(`driftgate: ${countOf(names.length, 'host')}, ${what}: ${names.join(', ')}\n`)
  if (admitted.length > 0 || replaced.length > 0) io.say(`driftgate: ${copy}\n`)
  io.say(isOver ? 'driftgate: this was the last step\n' : 'driftgate: run this command again after an interval\n')
  return told.length + admitted.length + replaced.length > 0 || isOver ? EXIT.ok : EXIT.notPerformed
}

const OTHERS = 0o077
const SHORTEST = 12
const LARGEST_BYTES = 64 * 1024

function passphraseOf({ 'passphrase-file': path }: BackupFlags, command: string): string {
  if (path === undefined) throw usageError('missing --passphrase-file FILE', command)
  try {
    const mode = statSync(path).mode
    if ((mode & OTHERS) !== 0) throw new OperatorError(`${path} is refused: other users can read it; run chmod 0600`)
    const [passphrase = ''] = readWhole(path, LARGEST_BYTES).toString('utf8').split(/\r?\n/)
    if (passphrase.length >= SHORTEST) return passphrase
    throw new OperatorError(`the passphrase in ${path} is too short: at least ${SHORTEST} characters are needed`)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`cannot read ${path}: ${systemReason(error)}`, { cause: error })
  }
}
