import { PACKAGES } from '../../../packages/subject.ts'
import { globProblem } from '../../../../model/go-glob.ts'
import { known, type Reading, unknown } from '../../../../model/observation.ts'
import { managedNameProblem } from '../../../packages/package-name.ts'
import type { Attributes, MeasureContext } from './measure-type.ts'

function patternProblem(id: string): string | undefined {
  const problem = globProblem(id)
  return problem === undefined ? undefined : `${id} is not a pattern of package names: ${problem}`
}

/** Measures a package of the first package manager in use. */
export async function measurePackage({
  request: { id },
  target: { open },
}: MeasureContext): Promise<Reading<Attributes>> {
  const manager = (['apt', 'dnf'] as const).find((name) => open(PACKAGES)[name].exists())
  if (manager === undefined) return unknown('no-provider', 'neither dpkg nor rpm manages the packages of this machine')
  // dpkg-query accepts patterns, rpm does not.
  const isPattern = manager === 'apt' && /[*?[]/.test(id)
  const problem = isPattern ? patternProblem(id) : managedNameProblem(manager, id)
  if (problem !== undefined) return unknown('invalid', problem)
  const found = await open(PACKAGES)[manager].find(id)
  if (found.kind === 'unknown') return found
  const versions = found.value.filter(({ state }) => state === 'installed').map(({ version }) => version)
  if (versions.length === 0) return known({ installed: () => known(false) })
  return known({ installed: () => known(true), versions: () => known(versions) })
}
