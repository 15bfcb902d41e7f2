import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { defined } from '../../model/defined.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import type { Line } from '../../host/nats/line.ts'
import { readPrivateKey } from '../../host/signing/keys.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { lastOfEach } from '../nats/assignments.ts'
import { fleetHome } from '../nats/home.ts'
import { askJetStream } from '../nats/jetstream.ts'
import { tellHosts } from '../nats/notice.ts'
import { asOperator, type Operator, raiseVersion } from '../nats/operator.ts'
import { readRecord } from './records.ts'
import { sealedRecords } from './sealed-file.ts'
import { type Restoring, restoreStream } from './snapshot.ts'

export interface RestoreSettings {
  readonly passphrase: string
  readonly author: string
}

/** Result of a restore. */
export interface Restored {
  readonly streams: number
  readonly messages: number
  /** Addressees whose assignment was signed again. */
  readonly assigned: readonly string[]
  /** Time since which hosts resend their messages, in ISO 8601. */
  readonly since: string
}

/** Files that contain the directory of the fleet. */
const NAMING = [
  'operator/context.json',
  'viewer/context.json',
  'server/nats-server.conf',
  'server/driftgate-nats.service',
]

/** Restores the files of a backup to a new directory, all or none. Throws an `OperatorError`. */
export function restoreFiles(directory: string, path: string, passphrase: string): number {
  const target = resolve(directory)
  let draft: string | undefined
  try {
    mkdirSync(dirname(target), { recursive: true })
    draft = mkdtempSync(join(dirname(target), `.${basename(target)}-`))
    let count = 0
    let root = ''
    for (const bytes of sealedRecords(path, passphrase)) {
      const { record, payload } = readRecord(bytes)
      if (record.kind === 'head') root = record.root
      if (record.kind !== 'file') continue
      const place = join(draft, record.path)
      if (relative(draft, place).startsWith(`..${sep}`)) throw new OperatorError(`${path} names a file outside of it`)
      mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
      const isNaming = root !== target && NAMING.includes(record.path)
      const content = isNaming ? Buffer.from(payload).toString('utf8').replaceAll(`${root}/`, `${target}/`) : payload
      replaceFile(place, content, { mode: record.mode })
      count++
    }
    mkdirSync(join(draft, 'operator/pending'), { recursive: true, mode: 0o700 })
    renameSync(draft, target)
    return count
  } catch (error) {
    if (draft !== undefined) rmSync(draft, { recursive: true, force: true })
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`cannot restore ${path} to ${target}: ${systemReason(error)}`, { cause: error })
  }
}

/** True if the files of a fleet exist. */
export function hasFleet(directory: string): boolean {
  return existsSync(fleetHome(directory).context)
}

/**
 * Restores a backup to a server and tells hosts to resend later messages. Assignments are signed again, since hosts
 * reject older versions. Throws an `OperatorError`, also if the server is not empty.
 */
export async function restoreServer(directory: string, path: string, settings: RestoreSettings): Promise<Restored> {
  const { passphrase, author } = settings
  return await asOperator(
    directory,
    async (operator) => {
      const restored = await restoreStreams(operator.line, path, passphrase)
      const { since } = restored
      const reason = `as before, after the backup of ${since} was restored`
      raiseVersion(directory)
      const assigned: string[] = []
      for (const { to, said } of lastOfEach(await operator.assignments())) {
        if ('message' in said) continue
        const { policies, interval } = said.assignment
        const bundles = policies.map(({ sha256 }) => sha256)
        await operator.assign({ to, bundles, author, reason, ...defined({ interval }) })
        assigned.push(to)
      }
      await announce(operator, directory, { since, author, path })
      return { ...restored, assigned }
    },
    'the server has nothing yet',
  )
}

async function announce(
  { line, note }: Operator,
  directory: string,
  { since, author, path }: { readonly since: string; readonly author: string; readonly path: string },
): Promise<void> {
  const key = readPrivateKey(fleetHome(directory).policyKey)
  await tellHosts(line, [key], { restored: { id: randomUUID(), since } })
  await note({
    act: 'restore',
    author,
    about: 'fleet',
    text: `restored ${resolve(path)} as of ${since}`,
  })
}

async function restoreStreams(line: Line, path: string, passphrase: string): Promise<Omit<Restored, 'assigned'>> {
  let restoring: Restoring | undefined
  let since = ''
  const counts = { streams: 0, messages: 0 }
  for (const bytes of sealedRecords(path, passphrase)) {
    const { record, payload } = readRecord(bytes)
    if (record.kind === 'head') ({ since } = record)
    if (record.kind === 'chunk') await restoring?.chunk(payload)
    if (record.kind !== 'stream') continue
    await restoring?.finish()
    const { name, config, state } = record
    await makeRoom(line, name)
    restoring = await restoreStream(line, name, { config, state })
    counts.streams++
    counts.messages += 'messages' in state && typeof state.messages === 'number' ? state.messages : 0
  }
  await restoring?.finish()
  return { ...counts, since }
}

/** Removes an empty stream created by "driftgate fleet prepare". */
async function makeRoom(line: Line, name: string): Promise<void> {
  const found = await askJetStream<{ readonly state: { readonly last_seq: number } }>(line, `STREAM.INFO.${name}`)
  if ('refusal' in found) return
  if (found.answer.state.last_seq > 0)
    throw new OperatorError(
      `the server has ${name} with messages already: a backup is restored to a server that stores nothing; stop it and move its ` +
        'directory of what it stores away if that is to be replaced',
    )
  const said = await askJetStream(line, `STREAM.DELETE.${name}`)
  if ('refusal' in said) throw new OperatorError(`the server does not replace ${name}: ${said.refusal.description}`)
}
