import { constants } from 'node:os'
import { dirname } from 'node:path'
import { getSystemErrorName } from 'node:util'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import type { AccessReader, BeyondMode, InodeFlags, WayStep } from '../../access.ts'
import { decodeAcl } from '../../acl.ts'
import { decodeCapabilities } from '../../capabilities.ts'
import { systemPath } from '../file-name.ts'
import { unreadable } from '../system-error.ts'
import { readRealPath } from '../tree-reader.ts'
import { type Helper, openHelper } from './helper.ts'
import { findReadingProgram, type SystemProgram } from './programs.ts'
import { readWay } from './way.ts'

/** Reads permissions beyond the mode. `find` returns the helper program; only tests override it. */
export function openAccessReader(find: () => Reading<SystemProgram> = findReadingProgram): AccessReader {
  const ways = new Map<string, Reading<readonly WayStep[]>>()
  const wayTo = (directory: string): Reading<readonly WayStep[]> => {
    const found = ways.get(directory) ?? readWay(directory)
    ways.set(directory, found)
    return found
  }
  return {
    ...openAttributeReader(find),
    wayTo: (path, { followed } = { followed: false }) => (followed ? readWayThrough(path) : wayTo(dirname(path))),
    forget: () => ways.clear(),
  }
}

/** The paths for a helper process; each is valid until `release`. */
export interface HeldPaths {
  readonly paths: readonly Reading<string | Buffer>[]
  readonly release: () => void
}

/** The part of `AccessReader` that needs a helper program. `hold` makes the files accessible to the helper. */
export function openAttributeReader(
  find: () => Reading<SystemProgram>,
  hold: (paths: readonly string[]) => HeldPaths = onThisMachine,
): Pick<AccessReader, 'beyondMode' | 'flags'> {
  let helper: Helper | undefined
  const ask = async <Value>(
    paths: readonly string[],
    prefix: '' | '?',
    read: (line: string, path: string) => Reading<Value>,
  ): Promise<readonly Reading<Value>[]> => {
    if (helper === undefined) {
      const program = find()
      if (program.kind === 'unknown') return paths.map(() => program)
      helper = openHelper(program.value)
    }
    const held = hold(paths)
    try {
      const there = held.paths.flatMap((path) => (path.kind === 'known' ? [path.value] : []))
      const records = there.map((path) => Buffer.concat([Buffer.from(prefix), Buffer.from(path)]))
      const answers = await helper.ask(records)
      const lines = answers.kind === 'known' ? [...answers.value] : []
      return held.paths.map((path, index) => {
        if (path.kind === 'unknown') return path
        return answers.kind === 'unknown' ? answers : read(lines.shift() ?? '', paths[index] ?? '')
      })
    } finally {
      held.release()
    }
  }
  return {
    beyondMode: (paths) => ask(paths, '', readAnswer),
    flags: (paths) => ask(paths, '?', readFlags),
  }
}

function onThisMachine(paths: readonly string[]): HeldPaths {
  return { paths: paths.map((path) => known(systemPath(path))), release: () => undefined }
}

/** Without the file at the end of the path. */
function readWayThrough(path: string): Reading<readonly WayStep[]> {
  const way = readWay(path)
  const end = readRealPath(path)
  if (way.kind === 'unknown' || end.kind === 'unknown') return way
  return known(way.value.filter((step) => step.path !== end.value))
}

/** The attribute does not exist, or the file system does not support attributes. */
const ABSENT: ReadonlySet<number> = new Set([constants.errno.ENODATA, constants.errno.EOPNOTSUPP])

function readAnswer(line: string, path: string): Reading<BeyondMode> {
  const fields = line.split(' ')
  const [acl, defaultAcl] = [readField(fields[0], decodeAcl, path), readField(fields[1], decodeAcl, path)]
  const capabilities = readField(fields[2], decodeCapabilities, path)
  if (acl.kind === 'unknown') return acl
  if (defaultAcl.kind === 'unknown') return defaultAcl
  if (capabilities.kind === 'unknown') return capabilities
  return known({ acl: acl.value, defaultAcl: defaultAcl.value, capabilities: capabilities.value })
}

const IMMUTABLE = 0x10
const APPEND_ONLY = 0x20

/** The file system does not support flags. */
const WITHOUT_FLAGS: ReadonlySet<number> = new Set([constants.errno.ENOTTY, constants.errno.EOPNOTSUPP])

function readFlags(line: string, path: string): Reading<InodeFlags | undefined> {
  const [, sign, digits] = /^([=!])(\d+)$/.exec(line) ?? []
  if (digits === undefined) return unknown('not-observable', `${path}: unexpected format of its flags`)
  const number = Number(digits)
  if (sign === '=') return known({ immutable: (number & IMMUTABLE) !== 0, appendOnly: (number & APPEND_ONLY) !== 0 })
  return WITHOUT_FLAGS.has(number) ? known(undefined) : unreadable(systemError(number), path)
}

/** One of the `ATTRIBUTES`: `=` with its bytes, or `!` with the error number. */
function readField<Value>(
  field: string = '',
  decode: (bytes: Uint8Array) => Value | undefined,
  path: string,
): Reading<Value | undefined> {
  const rest = field.slice(1)
  if (field.startsWith('!') && /^\d+$/.test(rest)) {
    const number = Number(rest)
    return ABSENT.has(number) ? known(undefined) : unreadable(systemError(number), path)
  }
  const value = field.startsWith('=') ? decode(Buffer.from(rest, 'hex')) : undefined
  return value === undefined ? unexpectedFormat(path) : known(value)
}

function unexpectedFormat(path: string): Reading<never> {
  return unknown('not-observable', `${path}: unexpected format of its extended attributes`)
}

function systemError(number: number): Error {
  return Object.assign(new Error(), { code: getSystemErrorName(-number), errno: -number })
}
