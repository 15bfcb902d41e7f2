import { ACCOUNTS } from '../../../accounts/subject.ts'
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { known, type Reading, unknown } from '../../../../model/observation.ts'
import { textFromBytes } from '../../../../host/byte-text.ts'
import type { FileKind, FileStat, Target } from '../../../../host/target.ts'
import { homeOfAccount, homeOfEnvironment } from '../../../../host/live/own-home.ts'
import type { Measured } from '../resource.ts'
import type { Attributes, MeasureContext } from './measure-type.ts'

const FILE_TYPES: Readonly<Record<FileKind, string>> = {
  file: 'file',
  directory: 'directory',
  symlink: 'symlink',
  socket: 'socket',
  fifo: 'pipe',
  'block-device': 'block-device',
  'character-device': 'character-device',
}

/** The limit for contents, and for digests that are not streamed. */
const MAX_BYTES = 256 * 1024 * 1024

/** Files in /proc report a size of 0. */
const LEAST_BYTES = 1024 * 1024

/** Measures a file without following links, except for its contents. */
export async function measureFile({ request, target, signal }: MeasureContext): Promise<Reading<Attributes>> {
  const path = expandHome(target, request.id)
  if (path.kind === 'unknown') return path
  const hanging = await target.files.findHanging?.(() => [path.value], signal)
  if (hanging !== undefined) return hanging
  const seen = target.files.lstat(path.value)
  if (seen.kind === 'unknown') return seen
  if (seen.kind === 'absent') return known({ exists: () => known(false) })
  return known({ ...ofFile(target, path.value, seen.state), ...ofContent(target, path.value, signal) })
}

function ofFile(target: Target, path: string, stat: FileStat): Attributes {
  return {
    exists: () => known(true),
    mode: () => known(stat.mode.toString(8).padStart(4, '0')),
    size: () => known(stat.sizeBytes),
    uid: () => known(stat.uid),
    gid: () => known(stat.gid),
    owner: async () => nameOr(await target.names.findUserName(stat.uid), stat.uid),
    group: async () => nameOr(await target.names.findGroupName(stat.gid), stat.gid),
    filetype: () => known(FILE_TYPES[stat.kind]),
    // Only a link has a target.
    'linked-to': () => (stat.kind === 'symlink' ? target.files.linkTarget(path) : known('')),
  }
}

/** Without a name, the number is shown, as in ls(1). */
function nameOr(name: Reading<string | null>, id: number): Measured {
  return name.kind === 'unknown' ? name : known(name.value ?? String(id))
}

function ofContent(target: Target, path: string, signal: AbortSignal): Attributes {
  const contents = (): Measured => {
    const bytes = readWhole(target, path)
    return bytes.kind === 'unknown' ? bytes : known({ text: textFromBytes(Buffer.from(bytes.value)) })
  }
  const digest = (algorithm: string) => (): Measured => {
    const bytes = readWhole(target, path)
    return bytes.kind === 'unknown' ? bytes : known(createHash(algorithm).update(bytes.value).digest('hex'))
  }
  return {
    contents,
    contains: contents,
    md5: digest('md5'),
    async sha256() {
      const stat = statFollowed(target, path)
      if (stat.kind === 'unknown') return stat
      const found = await target.files.digest(path, stat.value, signal)
      return found.kind === 'unknown' ? found : known(found.value.sha256)
    },
    sha512: digest('sha512'),
  }
}

function readWhole(target: Target, path: string): Reading<Uint8Array> {
  const stat = statFollowed(target, path)
  if (stat.kind === 'unknown') return stat
  const { sizeBytes } = stat.value
  if (sizeBytes >= MAX_BYTES) return unknown('not-observable', `${path}: larger than ${MAX_BYTES} bytes`)
  const limit = Math.max(sizeBytes, LEAST_BYTES) + 1
  const bytes = target.files.readHead(path, limit)
  if (bytes.kind === 'unknown' || bytes.value.length < limit) return bytes
  return unknown('not-observable', `${path}: grew while being read`)
}

function statFollowed(target: Target, path: string): Reading<FileStat> {
  const stat = target.files.stat(path)
  if (stat.kind === 'unknown') return stat
  if (stat.kind === 'absent') return unknown('not-observable', `${path}: dangling link, so it has no content`)
  if (stat.state.kind === 'file') return known(stat.state)
  return unknown('not-observable', `${path}: not a regular file, so it has no content`)
}

const NO_HOME = '~: the running user has no account, and HOME is not a directory'

/** The path as Goss means it: `~` and `~name` are homes, and what is relative starts where driftgate was started. */
function expandHome({ open }: Pick<Target, 'open'>, id: string): Reading<string> {
  const [, name, rest = ''] = /^~([^/]*)(.*)$/s.exec(id) ?? []
  if (name === undefined) return known(resolve(id))
  if (name === '') {
    const home = homeOfAccount() ?? homeOfEnvironment()
    return home === undefined ? unknown('not-observable', NO_HOME) : known(resolve(`${home}${rest}`))
  }
  const set = open(ACCOUNTS).read()
  if (set.kind === 'unknown') return set
  const home = set.value.users.find((user) => user.name === name)?.home
  if (home === undefined) return unknown('not-observable', `${id}: no local account ${name}`)
  return known(resolve(`${home}${rest}`))
}
