import { defined } from '../../../../model/defined.ts'
import { known, type Reading, unknown } from '../../../../model/observation.ts'
import { RECORD_TYPES } from '../../../network/network.ts'
import type { Measured } from '../resource.ts'
import { textOf, timeoutOf } from './given.ts'
import type { Attributes, MeasureContext } from './measure-type.ts'
import { NETWORK } from '../../../network/subject.ts'

/** In milliseconds. */
const USUAL_TIMEOUT = 500

/** Resolves a name: `NAME`, or `TYPE:NAME` for records of one type. */
export async function measureName({
  request: { id, given },
  target,
  signal,
}: MeasureContext): Promise<Reading<Attributes>> {
  const [, written, name = id] = /^([A-Z]+):(.*)$/s.exec(id) ?? []
  const type = RECORD_TYPES.find((each) => each === written)
  if (written !== undefined && type === undefined) {
    return unknown('no-provider', `${id}: driftgate queries ${RECORD_TYPES.join(', ')} records, not ${written}`)
  }
  const found = await target.open(NETWORK).resolve({
    name,
    timeoutMs: timeoutOf(given, USUAL_TIMEOUT),
    signal,
    ...defined({ type, server: textOf(given, 'server') }),
  })
  if (found.kind === 'unknown') return found
  const isResolvable = (): Measured => known(found.value.length > 0)
  const attributes: Attributes = { resolvable: isResolvable, resolveable: isResolvable }
  return known(found.value.length === 0 ? attributes : { ...attributes, addrs: () => found })
}
