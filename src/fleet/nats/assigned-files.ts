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

/** The last accepted assignment. */
export interface Taken {
  /** Signed assignment as received. */
  readonly envelope: unknown
  /** Time of the last confirmation by the server, in ISO 8601. */
  readonly confirmedAt: string
}

/** Files of a host's assignment. Every method throws an `OperatorError` for a system error. */
export interface AssignedFiles {
  /**
   * Last accepted assignment; undefined before the first. Throws an error for a damaged file, since the last version is
   * then unknown.
   */
  readonly taken: () => Taken | undefined
  /** Replaces the assignment atomically and removes all other bundles. */
  readonly take: (taken: Taken, policies: readonly AssignedPolicy[]) => void
  /** Path of a bundle with a matching digest; undefined if absent. */
  readonly bundle: (policy: AssignedPolicy) => string | undefined
  readonly keepBundle: (policy: AssignedPolicy, bytes: Uint8Array) => string
}

/** Opens the assignment folder of an agent, which no other user may change. Throws an `OperatorError`. */
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

/** File name of a bundle. It appears in reports, so it includes the policy name. */
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
