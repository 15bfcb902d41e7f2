import { known, type Reading } from '../../../../model/observation.ts'
import type { Attributes, MeasureContext } from './measure-type.ts'
import { INTERFACES } from '../../../network/subject.ts'

export async function measureInterface({ request: { id }, target }: MeasureContext): Promise<Reading<Attributes>> {
  const list = await target.open(INTERFACES).list()
  if (list.kind === 'unknown') return list
  const found = list.value.find(({ name }) => name === id)
  if (found === undefined) return known({ exists: () => known(false) })
  return known({ exists: () => known(true), addrs: () => found.addresses, mtu: () => known(found.mtu) })
}
