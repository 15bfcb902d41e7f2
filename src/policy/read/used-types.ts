import type { ResourceType } from '../../resource-type/define.ts'
import { loadTypes, typeNames } from '../../subjects/index.ts'
import { entriesOf, itemsOf, member } from '../document/tree.ts'
import type { ParsedText } from './policy.ts'

/**
 * The resource types that ship and that a policy uses. All of them where its template of resources names them, and
 * for problems, which may be about any.
 */
export function loadUsedTypes(parsed: ParsedText): Promise<readonly ResourceType[]> {
  if (!('root' in parsed) || parsed.problems.length > 0) return loadTypes()
  const ccm = member(parsed.root, 'ccm')
  const names = new Set(itemsOf(member(ccm, 'resources')).flatMap((item) => [...entriesOf(item).keys()]))
  const isComplete =
    member(ccm, 'resources_jet_file') === undefined && [...names].every((name) => typeNames.includes(name))
  return loadTypes(isComplete ? names : typeNames)
}
