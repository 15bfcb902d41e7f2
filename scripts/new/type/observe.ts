import { type Observation, present, unknown } from '../../core/observation.ts'
import type { Target } from '../../target/target.ts'
import type { __Name__State, __Name__Wanted } from './decide.ts'

const MAX_BYTES = 4096

/**
 * Looks at the machine and changes nothing. What cannot be read is `unknown`, never absent. A value that is there at once is
 * returned at once: a promise costs a turn of the event loop for each of thousands of resources.
 */
export function observe__Name__(
  target: Pick<Target, 'lstat' | 'readHead'>,
  { name }: Pick<__Name__Wanted, 'name'>,
): Observation<__Name__State> {
  const seen = target.lstat(name)
  if (seen.kind !== 'present') return seen
  const { kind, uid, gid, mode } = seen.state
  if (kind !== 'file') return unknown('invalid', `${name} is no regular file`)
  const head = target.readHead(name, MAX_BYTES + 1)
  if (head.kind === 'unknown') return head
  if (head.value.length > MAX_BYTES)
    return unknown('invalid', `${name} holds more than a line: over ${MAX_BYTES} bytes`)
  const value = Buffer.from(head.value).toString('utf8').replace(/\n$/, '')
  return present({ value, attributes: { uid, gid, mode } })
}
