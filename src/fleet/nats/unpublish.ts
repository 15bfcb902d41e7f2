import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { lastOfEach } from './assignments.ts'
import { askJetStream } from './jetstream.ts'
import { BUCKETS, valueSubject } from './names.ts'
import { asOperator } from './operator.ts'
import { storedRollout } from './rollouts.ts'
import { partsOfBundle } from './stored-policies.ts'
import { streamMessages, streamRange } from './stream-messages.ts'

const STREAM = `KV_${BUCKETS.policies}`

/**
 * Deletes a bundle from the server. Hosts delete their copy once their assignment does not need it, so no assignment
 * and no running rollout may use it. Throws an `OperatorError`.
 */
export async function unpublish(directory: string, digest: string, author: string): Promise<void> {
  await asOperator(directory, async ({ line, assignments, note }) => {
    const users = lastOfEach(await assignments()).flatMap(({ to, said }) =>
      'assignment' in said && said.assignment.policies.some(({ sha256 }) => sha256 === digest) ? [to] : [],
    )
    if (users.length > 0)
      throw new OperatorError(
        `${users.join(', ')} ${users.length === 1 ? 'is' : 'are'} assigned this bundle: assign other policies first with "driftgate fleet assign"`,
      )
    const { rollout } = await storedRollout(line)
    const isRolledOut = rollout?.policies.some(({ sha256 }) => sha256 === digest) ?? false
    if (isRolledOut && (rollout?.phase === 'running' || rollout?.phase === 'paused'))
      throw new OperatorError(
        'the current rollout uses this bundle: roll back first with "driftgate fleet rollout back"',
      )
    await erase(line, digest)
    await note({ act: 'unpublish', author, about: digest, text: 'deleted the bundle from the server' })
  })
}

/** Keeps parts shared with another bundle. */
async function erase(line: Line, digest: string): Promise<void> {
  const parts = new Map<string, readonly string[]>()
  for await (const { subject, body } of streamMessages(line, STREAM, await streamRange(line, STREAM)))
    parts.set(subject, partsOfBundle(body))
  const own = valueSubject(BUCKETS.policies, digest)
  if (!parts.has(own)) throw new OperatorError(`the server has no policy bundle ${digest}`)
  const shared = new Set([...parts].flatMap(([subject, of]) => (subject === own ? [] : of)))
  const erased = [digest, ...(parts.get(own) ?? []).filter((part) => !shared.has(part))]
  for (const key of erased) {
    const said = await askJetStream(line, `STREAM.PURGE.${STREAM}`, { filter: valueSubject(BUCKETS.policies, key) })
    if ('refusal' in said) throw new OperatorError(`the server did not delete ${key}: ${said.refusal.description}`)
  }
}
