import { existsSync } from 'node:fs'
import { countOf } from '../../model/count-of.ts'
import { attempt, OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import type { Line } from '../../host/nats/line.ts'
import { readPrivateKey, readPublicKey } from '../../host/signing/keys.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { errorCode } from '../../host/live/system-error.ts'
import { rosterIn } from '../load-roster.ts'
import { beginRollout, type Begun, type Desired } from '../rollout/begin.ts'
import type { Wish } from '../rollout/state.ts'
import { type Wisher, wishOf } from '../rollout/wish.ts'
import type { Assignment } from './assignment.ts'
import { type Assigning, assign, type StoredAssignment, storedAssignments } from './assignments.ts'
import {
  type Act,
  type AuditKeys,
  keepAudit,
  readAudit,
  ROLLOUT_ACT,
  sendKept,
  type StoredEntry,
  writeAudit,
} from './audit.ts'
import { fleetHome } from './home.ts'
import { enterAsOperator } from './operator-line.ts'
import { storedRollout } from './rollouts.ts'
import { storeBundle } from './stored-policies.ts'

/** Connected operator of a fleet. All actions are signed with the policy key and recorded in the activity log. */
export interface Operator {
  /** Publishes a policy bundle under this name and returns its digest. */
  readonly publish: (policy: { readonly name: string; readonly bundle: Uint8Array }, author: string) => Promise<string>
  readonly assign: (assigning: Assigning) => Promise<Assignment>
  readonly assignments: () => Promise<readonly StoredAssignment[]>
  readonly audit: () => Promise<readonly StoredEntry[]>
  /** Signs a rollout for every ring and starts it. */
  readonly rollOut: (wanted: Desired) => Promise<Begun>
  /** Applies a request to the rollout and returns a sentence. */
  readonly decide: (wish: Wish, wisher: Wisher) => Promise<string>
  /** Records another act in the activity log. */
  readonly note: (act: Act) => Promise<void>
  readonly line: Line
}

/**
 * Connects as the operator of the fleet in a directory and runs `work`; every failure is an `OperatorError`. First
 * sends acts recorded offline, unless the server is empty.
 */
export async function asOperator<Value>(
  directory: string,
  work: (operator: Operator) => Promise<Value>,
  state?: 'the server has nothing yet',
): Promise<Value> {
  const home = fleetHome(directory)
  const line = await enterAsOperator(directory)
  const note = (act: Act): Promise<void> => writeAudit(line, readPrivateKey(home.policyKey), act)
  try {
    // The acts stay until the next command.
    if (state === undefined) await sendKept(line, home.audit)
    return await work({
      line,
      note,
      async publish({ name, bundle }, author) {
        const digest = await storeBundle(line, bundle)
        await note({
          act: 'publish',
          author,
          about: digest,
          text: `published the policy ${name}, ${bundle.length} bytes`,
        })
        return digest
      },
      async assign(assigning) {
        const key = readPrivateKey(home.policyKey)
        const { rollout } = await storedRollout(line)
        // A rollout has signed versions that are not released yet, the rollback with the version above.
        const signed = rollout === undefined ? 0 : rollout.version + 1
        const atLeast = Math.max(lastVersion(home.lastVersion), signed)
        const assignment = await assign(line, key, { ...assigning, atLeast })
        const { to, version, author, reason, policies } = assignment
        keep(home.lastVersion, String(version))
        const named = policies.map(({ name, sha256 }) => `${name} ${sha256}`).join(', ')
        await note({ act: 'assign', author, about: to, text: `version ${version}: ${named}; ${reason}` })
        return assignment
      },
      assignments: async () => (await storedAssignments(line, readPublicKey(home.publicPolicyKey))).stored,
      audit: () => readAudit(line, auditKeys(home)),
      async rollOut(wanted) {
        const key = readPrivateKey(home.policyKey)
        const roster = rosterIn(home.roster)
        const { stored } = await storedAssignments(line, key)
        const begun = await beginRollout(wanted, { line, roster, key, stored, atLeast: lastVersion(home.lastVersion) })
        const { id, version, author, reason, policies } = begun.rollout
        keep(home.lastVersion, String(version + 1))
        const named = policies.map(({ name, sha256 }) => `${name} ${sha256}`).join(', ')
        const rings = begun.rings.map(({ name, hosts }) => `${name} (${countOf(hosts, 'host')})`).join(', ')
        const text = `started version ${version}: ${named} for ${rings}; ${reason}`
        await note({ act: ROLLOUT_ACT, author, about: id, text })
        return begun
      },
      async decide(wish, wisher) {
        const { id, what, said } = await wishOf(line, wish, wisher)
        await note({ act: ROLLOUT_ACT, author: wisher.by, about: id, text: what })
        return said
      },
    })
  } finally {
    await line.close()
  }
}

/** A fleet created before viewers could release has no viewer key. */
function auditKeys({ publicPolicyKey, viewerKey }: ReturnType<typeof fleetHome>): AuditKeys {
  const operator = readPublicKey(publicPolicyKey)
  return existsSync(viewerKey) ? { operator, viewer: readPublicKey(viewerKey) } : { operator }
}

/** Records an act of the operator without a server; the next connection sends it. Throws an `OperatorError`. */
export function noteForLater(directory: string, act: Act): void {
  const home = fleetHome(directory)
  keepAudit(home.audit, readPrivateKey(home.policyKey), act)
}

/** Number of versions that may have been assigned since the backup. */
const UNKNOWN_VERSIONS = 1000

/** Raises the next version above any that hosts may have since a backup. Throws an `OperatorError`. */
export function raiseVersion(directory: string): void {
  const path = fleetHome(directory).lastVersion
  keep(path, String(lastVersion(path) + UNKNOWN_VERSIONS))
}

/** Versions must not restart after the server lost its data: hosts reject lower ones. */
function lastVersion(path: string): number {
  try {
    const version = Number(readWhole(path, 64).toString('utf8'))
    if (Number.isSafeInteger(version) && version > 0) return version
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0
    throw new OperatorError(`cannot read ${path}: ${systemReason(error)}`, { cause: error })
  }
  throw new OperatorError(`${path} does not contain a number: write the version of the last assignment to it`)
}

function keep(path: string, text: string): void {
  attempt(`it is assigned, but cannot be recorded in ${path}`, () => replaceFile(path, `${text}\n`, { mode: 0o600 }))
}
