import { known, type Reading } from '../../../../model/observation.ts'
import type { Attributes, MeasureContext } from './measure-type.ts'
import { numericNameElsewhere } from './numeric-name.ts'

/** Measures a group; also queries directories such as LDAP. */
export async function measureGroup({ request: { id }, target }: MeasureContext): Promise<Reading<Attributes>> {
  const gid = await target.names.groupId(id)
  if (gid.kind === 'unknown') return gid
  const { value } = gid
  if (value === null) return numericNameElsewhere(id, target) ?? known({ exists: () => known(false) })
  return known({ exists: () => known(true), gid: () => known(value) })
}
