import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { sha256 } from '../../host/signing/digest.ts'
import { hasExactly } from '../../host/signing/envelope.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { errorCode, RefusedFile } from '../../host/live/system-error.ts'
import { whoCanChange } from '../../host/live/who-can-change.ts'
import type { AssignedPolicy } from './assignment.ts'
import { LARGEST_BUNDLE_BYTES } from './stored-policies.ts'

const SCHEMA = 'driftgate.assigned/v1'
const NAME = 'assignment.json'
const LARGEST_BYTES = 4 * 1024 * 1024

/** What a host has taken last. */
export interface Taken {
  /** The signed assignment, as it came. */
  readonly envelope: unknown
  /** When the server gave it last, in ISO 8601. */
  readonly confirmedAt: string
}

/** What a host keeps of its assignments. Everything throws an `OperatorError` where the system refuses it. */
export interface AssignedFiles {
  /** What was taken last; undefined where nothing ever was. Throws for a file that is damaged, since what was taken is unknown then. */
  readonly taken: () => Taken | undefined
  /** Puts it in the place of the one before, at once or not at all, and removes every other bundle than these. */
  readonly take: (taken: Taken, policies: readonly AssignedPolicy[]) => void
  /** The path of a bundle whose bytes are those of its digest; undefined if absent. */
  readonly bundle: (policy: AssignedPolicy) => string | undefined
  readonly keepBundle: (policy: AssignedPolicy, bytes: Uint8Array) => string
}

/** Opens the folder of assignments in the directory of an agent, which no other user may change. Throws an `OperatorError`. */
export function openAssignedFiles(agentDirectory: string): AssignedFiles {
  const folder = join(agentDirectory, 'assigned')
  const place = (policy: AssignedPolicy): string => join(folder, bundleFileName(policy))
  const keeping = <Value>(work: () => Value): Value => {
    try {
      return work()
    } catch (error) {
      if (error instanceof OperatorError) throw error
      throw new OperatorError(`cannot keep assignments in ${folder}: ${systemReason(error)}`, { cause: error })
    }
  }
  keeping(() => {
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
    const others = whoCanChange(folder)
    if (others !== undefined) throw new OperatorError(`no assignment in ${folder} is used: ${others}`)
  })
  return {
    taken: () => keeping(() => readTaken(join(folder, NAME))),
    take(taken, policies) {
      keeping(() => {
        replaceFile(join(folder, NAME), JSON.stringify({ schema: SCHEMA, ...taken }), { mode: 0o600 })
        const wanted = new Set([NAME, ...policies.map(bundleFileName)])
        for (const name of readdirSync(folder))
          if (!wanted.has(name)) rmSync(join(folder, name), { recursive: true, force: true })
      })
    },
    bundle: (policy) => keeping(() => (isBundleAt(place(policy), policy.sha256) ? place(policy) : undefined)),
    keepBundle(policy, bytes) {
      keeping(() => replaceFile(place(policy), bytes, { mode: 0o600 }))
      return place(policy)
    },
  }
}

/** The file in which a host keeps a bundle. People see it in reports, so it says more than the digest. */
export function bundleFileName({ name, sha256: digest }: AssignedPolicy): string {
  return `${name}-${digest}.tar.gz`
}

function isBundleAt(path: string, digest: string): boolean {
  try {
    return sha256(readWhole(path, LARGEST_BUNDLE_BYTES)) === digest
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || error instanceof RefusedFile) return false
    throw error
  }
}

function readTaken(path: string): Taken | undefined {
  let value: unknown
  try {
    value = JSON.parse(readWhole(path, LARGEST_BYTES).toString('utf8'))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    if (!(error instanceof SyntaxError)) throw error
  }
  if (hasExactly(value, ['confirmedAt', 'envelope', 'schema']) && value.schema === SCHEMA)
    return { envelope: value.envelope, confirmedAt: String(value.confirmedAt) }
  throw new OperatorError(`${path} is damaged: remove it to accept the current assignment of the server`)
}
