import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { getSystemErrorName } from 'node:util'
import type { ApplyOutcome } from '../../../model/decision.ts'
import { encodeAcl } from '../../acl.ts'
import { encodeCapabilities } from '../../capabilities.ts'
import type { AccessChange } from '../../remediator.ts'
import { flush } from '../flush.ts'
import { plantedLinkProblem } from '../hard-links.ts'
import type { Place } from '../place.ts'
import type { OpenRoot } from '../site.ts'
import { SYSTEM_PATH } from '../system-programs.ts'
import { type Held, whileHeld } from '../while-held.ts'
import { type AttributeName, findWritingProgram } from './programs.ts'

const TIMEOUT_MS = 10_000

// Missing in Node's constants; the same number on every Linux that Node runs on.
const O_PATH = 0x200000

/** Sets ACLs, capabilities and the immutable flag of a file or directory; refuses everything else, above all symbolic links. */
export function setAccess(path: string, change: AccessChange, root: OpenRoot): ApplyOutcome {
  const attempt = `cannot set the access to ${path}`
  const set = ({ place, holder }: Held): ApplyOutcome => {
    const problem = problemOf(place, holder) ?? changeAttributes(place, pairsOf(change))
    if (problem !== undefined) return { kind: 'failed', message: `${attempt}: ${problem}` }
    flush(place)
    return { kind: 'done' }
  }
  return whileHeld(path, attempt, set, root)
}

function problemOf(place: Place, directory: Place): string | undefined {
  if (place.stats.isDirectory()) return undefined
  if (!place.stats.isFile()) return 'neither a file nor a directory'
  return plantedLinkProblem(place, directory)
}

type Pair = readonly [AttributeName | 'immutable', string]

function pairsOf({ acl, defaultAcl, capabilities, immutable }: AccessChange): readonly Pair[] {
  return [
    ...pair('system.posix_acl_access', acl, encodeAcl),
    ...pair('system.posix_acl_default', defaultAcl, encodeAcl),
    ...pair('security.capability', capabilities, encodeCapabilities),
    // Last, because it prevents all further changes.
    ...(immutable === undefined ? [] : [['immutable', immutable ? '1' : ''] as const]),
  ]
}

function pair<Value>(
  name: AttributeName,
  value: Value | null | undefined,
  encode: (value: Value) => Uint8Array,
): readonly Pair[] {
  if (value === undefined) return []
  return [[name, value === null ? '' : Buffer.from(encode(value)).toString('hex')]]
}

/** The problem, if any. The program receives an open descriptor, so that the file cannot be replaced meanwhile. */
function changeAttributes({ handle }: Place, pairs: readonly Pair[]): string | undefined {
  const program = findWritingProgram()
  if (program.kind === 'unknown') return program.detail
  const { name, command, args } = program.value
  const descriptor = openSync(handle, O_PATH)
  try {
    const { status, signal, stdout, error } = spawnSync(command, [...args, '/proc/self/fd/3', ...pairs.flat()], {
      cwd: '/',
      env: { PATH: SYSTEM_PATH, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore', descriptor],
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      encoding: 'latin1',
    })
    if (error !== undefined) throw error
    const number = Number(stdout)
    if (status === 0) return undefined
    if (number > 0) throw Object.assign(new Error(), { code: getSystemErrorName(-number), errno: -number })
    return `${name} ended with ${status ?? signal}`
  } finally {
    closeSync(descriptor)
  }
}
