import { defined } from '../../model/defined.ts'
import { parseDuration } from '../../model/duration.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import type { Key } from '../../host/signing/keys.ts'
import type { Assigned, AssignedTexts } from '../assigned-texts.ts'
import { createRingFinder } from '../rollout/rings.ts'
import { bundleFileName } from './assigned-files.ts'
import type { AssignedPolicy, Assignment } from './assignment.ts'
import { ASSIGNMENTS_STREAM, assignmentsIn } from './assignments.ts'
import { bundledPolicy } from './bundled-policy.ts'
import type { Login } from './connect.ts'
import { lastingLine } from './lasting-line.ts'
import type { Addressee } from './names.ts'
import { fetchBundle } from './stored-policies.ts'
import { streamRange } from './stream-messages.ts'

/** Reads assignments, to verify reports against them. */
export interface AssignmentsReader {
  /** Known assignments; they stay in force if the server is unreachable or has lost them. */
  readonly read: () => Promise<AssignedTexts>
  readonly close: () => Promise<void>
}

/** Assignment in force for an addressee. */
interface InForce {
  readonly to: Addressee
  readonly assignment: Assignment
  readonly storedAtMs: number
}

/**
 * Accepts assignments as hosts do: only with this key, and never an earlier version. Connects on the first read, and
 * again after a disconnection; reads only new assignments.
 */
export function assignmentsReader(login: Login, key: Key): AssignmentsReader {
  const inForce = new Map<Addressee, InForce>()
  const everAssigned = new Map<Addressee, AssignedPolicy[]>()
  const texts = createTexts()
  const { follow, close } = lastingLine(login)
  let next = 1

  async function readNew(line: Line): Promise<void> {
    const { first, last } = await streamRange(line, ASSIGNMENTS_STREAM)
    // A server that lost its data numbers messages from the start.
    if (last + 1 < next) next = first
    for await (const { sequence, ...stored } of assignmentsIn(line, key, { first: Math.max(first, next), last })) {
      note(inForce, stored)
      notePolicies(everAssigned, stored)
      next = sequence + 1
    }
    next = last + 1
    await texts.find(line, [...inForce.values()])
  }

  return {
    async read() {
      await follow(readNew)
      const find = createRingFinder([...inForce.values()])
      return (host) => {
        const found = find(host)
        const known = found && texts.of(found)
        return known && { ...known, former: formerOf(host, found, everAssigned) }
      }
    },
    close,
  }
}

type Noted = Omit<InForce, 'assignment'> & {
  readonly isWithdrawn: boolean
  readonly said: { readonly assignment: Assignment } | { readonly message: string }
}

function note(inForce: Map<Addressee, InForce>, { to, storedAtMs, isWithdrawn, said }: Noted): void {
  if (isWithdrawn) inForce.delete(to)
  if (!('assignment' in said)) return
  const { assignment } = said
  if (assignment.version > (inForce.get(to)?.assignment.version ?? 0)) inForce.set(to, { to, assignment, storedAtMs })
}

function notePolicies(everAssigned: Map<Addressee, AssignedPolicy[]>, { to, said }: Noted): void {
  if (!('assignment' in said)) return
  const known = everAssigned.get(to) ?? []
  everAssigned.set(to, known)
  for (const each of said.assignment.policies) {
    if (!known.some(({ name, sha256 }) => name === each.name && sha256 === each.sha256)) known.push(each)
  }
}

function formerOf(
  { name, ring }: Parameters<AssignedTexts>[0],
  { assignment }: InForce,
  everAssigned: ReadonlyMap<Addressee, readonly AssignedPolicy[]>,
): ReadonlySet<string> {
  const own = everAssigned.get(`host.${name}`) ?? []
  const common = ring === undefined ? [] : (everAssigned.get(`ring.${ring}`) ?? [])
  const now = new Set(assignment.policies.map((policy) => policy.name))
  return new Set([...own, ...common].filter((policy) => !now.has(policy.name)).map(bundleFileName))
}

interface Texts {
  /** Reads bundles that are not known yet. */
  readonly find: (line: Line, inForce: readonly InForce[]) => Promise<void>
  /** Undefined if one of its bundles is missing or invalid. */
  readonly of: (inForce: InForce) => Omit<Assigned, 'former'> | undefined
}

/** Maps assigned bundles to the manifest digests in reports. */
function createTexts(): Texts {
  const known = new Map<string, string>()
  return {
    async find(line, inForce) {
      for (const { assignment } of inForce) {
        for (const { sha256 } of assignment.policies) {
          if (known.has(sha256)) continue
          const text = await textIn(line, sha256)
          if (text !== undefined) known.set(sha256, text)
        }
      }
    },
    of({ assignment, storedAtMs }) {
      const texts = assignment.policies.flatMap(({ sha256 }) => known.get(sha256) ?? [])
      if (texts.length < assignment.policies.length) return undefined
      const intervalMs = assignment.interval === undefined ? undefined : parseDuration(assignment.interval)
      return { texts, sinceMs: storedAtMs, ...defined({ intervalMs }) }
    },
  }
}

async function textIn(line: Line, sha256: string): Promise<string | undefined> {
  try {
    return (await bundledPolicy(await fetchBundle(line, sha256))).manifestSha256
  } catch (error) {
    if (!(error instanceof OperatorError) || line.isClosed()) throw error
    return undefined
  }
}
