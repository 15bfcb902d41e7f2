import { unknown } from '../model/observation.ts'
import type { Remediator } from '../host/remediator.ts'
import type { Target } from '../host/target.ts'
import type { Examination, PreparedResource, ResourceType } from '../resource-type/define.ts'
import { isFromOutside } from '../resource-type/time-limit.ts'
import type { Permitted } from './permissions.ts'

/**
 * Restricts a plugin resource to the `uses` of its type and the permissions of the scan. Only the author of a type
 * knows which policy values it passes to programs or sends elsewhere.
 */
export function restrictPluginResource(
  { type, uses }: Pick<ResourceType, 'type' | 'uses'>,
  prepared: PreparedResource,
  { permitted, target }: { readonly permitted: Permitted; readonly target: Pick<Target, 'kind'> },
): PreparedResource {
  if (!isFromOutside(type)) return prepared
  if (permitted.contentsHidden && uses?.includes('network') === true) {
    const detail = `type ${type} uses the network, which untrusted policies may not use (--untrusted)`
    return { ...prepared, examine: () => unknown('not-observable', detail) }
  }
  if (uses !== undefined && !uses.includes('commands')) {
    return withoutPrograms(prepared, `type ${type} runs a program without "commands" in its uses`)
  }
  const isForbidden = permitted.commandsForbidden && target.kind === 'local'
  return isForbidden
    ? withoutPrograms(prepared, 'types of plugins run no program (--no-commands or --untrusted)')
    : prepared
}

function withoutPrograms(prepared: PreparedResource, message: string): PreparedResource {
  const withoutRun = <Machine extends Target | Remediator>(machine: Machine): Machine => ({
    ...machine,
    run: () => Promise.resolve({ kind: 'not-started', message }),
  })
  const changing = (examination: Examination): Examination =>
    examination.kind === 'decided'
      ? { ...examination, apply: (remediator) => examination.apply(withoutRun(remediator)) }
      : examination
  return {
    ...prepared,
    examine(target, occasion) {
      const examination = prepared.examine(withoutRun(target), occasion)
      return examination instanceof Promise ? examination.then(changing) : changing(examination)
    },
  }
}
