import type { Decision } from '../../model/decision.ts'
import { cannot, differences, missing } from '../../model/differences.ts'
import type { Seen } from '../../model/observation.ts'
import type { FileAttributes } from '../../host/remediator.ts'
import { addressOf, withAddress } from './hosts-file.ts'

/** What a policy says. */
export interface __Name__Desired {
  readonly name: string
  readonly address: string
  readonly file: string
}

/** The file of hosts. */
export interface __Name__State {
  readonly text: string
  readonly attributes: FileAttributes
}

/** The file as a fix writes it. */
export type __Name__Action = __Name__State

/** Compares a policy with what was seen: pure. What could not be read never gets here. */
export function decide__Name__(
  { name, address, file }: __Name__Desired,
  seen: Seen<__Name__State>,
): Decision<__Name__Action> {
  if (seen.kind === 'absent') return missing({ obstacles: [cannot(`${file} does not exist`, { missing: file })] })
  const { text, attributes } = seen.state
  const original = addressOf(text, name)
  if (original === address) return differences([])
  const action = { text: withAddress(text, name, address), attributes }
  return differences([{ property: 'address', original: original ?? 'none', desired: address }], {
    fix: { action, effects: [{ kind: 'write', object: `the address of ${name}` }] },
  })
}
