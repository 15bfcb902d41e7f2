import { OperatorError } from '../../core/operator-error.ts'
import type { Line } from '../../nats/line.ts'
import type { Key } from '../../signing/keys.ts'
import { type Assignment, openAssignment } from './assignment.ts'
import { askJetStream, lastValue } from './jetstream.ts'
import { type Addressee, BUCKETS, readAddressee, valueSubject } from './names.ts'

/** How many are asked for at a time. */
const AT_ONCE = 64

/**
 * All that rings and hosts are assigned now, as far as the key has signed it: of what it has not, no host takes anything. Throws an
 * `OperatorError` where that cannot be told.
 */
export async function assignedNow(line: Line, key: Key): Promise<ReadonlyMap<Addressee, Assignment>> {
  const addressees = await addresseesOf(line)
  const assigned = new Map<Addressee, Assignment>()
  for (let begin = 0; begin < addressees.length; begin += AT_ONCE) {
    const part = addressees.slice(begin, begin + AT_ONCE)
    const values = await Promise.all(part.map((to) => lastValue(line, BUCKETS.assignments, to)))
    for (const [at, to] of part.entries()) {
      const opened = openAssignment(jsonOf(values[at]?.bytes), key)
      if ('assignment' in opened && opened.assignment.to === to) assigned.set(to, opened.assignment)
    }
  }
  return assigned
}

function jsonOf(bytes: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(Buffer.from(bytes ?? []).toString('utf8'))
  } catch {
    return undefined
  }
}

async function addresseesOf(line: Line): Promise<readonly Addressee[]> {
  const prefix = valueSubject(BUCKETS.assignments, '')
  const found: Addressee[] = []
  for (let offset = 0; ;) {
    const said = await askJetStream<Listed>(line, `STREAM.INFO.KV_${BUCKETS.assignments}`, {
      subjects_filter: `${prefix}>`,
      offset,
    })
    if ('refusal' in said)
      throw new OperatorError(
        `the server has no assignments: ${said.refusal.description}; "driftgate fleet prepare" makes the place`,
      )
    const subjects = Object.keys(said.answer.state.subjects ?? {})
    for (const subject of subjects) {
      const to = readAddressee(subject.slice(prefix.length))
      if (to !== undefined) found.push(to)
    }
    offset += subjects.length
    if (subjects.length === 0 || offset >= (said.answer.total ?? 0)) return found
  }
}

interface Listed {
  /** How many there are; a page has as many as the server likes. */
  readonly total?: number
  readonly state: { readonly subjects?: Readonly<Record<string, number>> | null }
}
