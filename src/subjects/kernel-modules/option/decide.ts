import { type Acceptance, isAccepted, mapAcceptance } from '../../../model/acceptance.ts'
import type { Decision } from '../../../model/decision.ts'
import { cannot, differences, type Difference, unreadable } from '../../../model/differences.ts'
import { cannotBeMetHere } from '../../../model/notes.ts'
import type { Reading } from '../../../model/observation.ts'
import { FIELD_TEXTS } from '../../../resource-type/text-order.ts'
import type { KernelBuild } from '../kernel-builds.ts'
import { acceptanceOf } from '../../shared/acceptance-of.ts'

export interface KernelOptionDesired {
  readonly name: string
  readonly value: string | Acceptance<string>
}

export interface KernelOptionState {
  readonly running: Reading<KernelBuild>
  readonly installed: Reading<readonly KernelBuild[]>
}

/** Compares an option with the running kernel and with each kernel that may boot instead. */
export function decideKernelOption(
  { name, value: wanted }: KernelOptionDesired,
  { running, installed }: KernelOptionState,
): Decision<never> {
  const accepted = mapAcceptance(acceptanceOf(wanted), (each) => (each === 'not set' ? 'n' : each))
  const compare = (property: string, build: KernelBuild): readonly Difference[] => {
    const original = valueOf(build, name)
    if (isAccepted(FIELD_TEXTS, accepted, original)) return []
    const note = build.options.has(name) ? `set in ${build.file}` : `${build.file} does not set it`
    const difference = { property, original, desired: wanted, note }
    return [property === 'installed' ? { ...difference, path: build.release } : difference]
  }
  const compared = [
    ...(running.kind === 'unknown' ? [] : compare('value', running.value)),
    ...(installed.kind === 'unknown' ? [] : installed.value.flatMap((build) => compare('installed', build))),
  ]
  const decision = differences(compared, {
    unknown: [
      ...(running.kind === 'unknown' ? [unreadable('value', running)] : []),
      ...(installed.kind === 'unknown' ? [unreadable('installed', installed)] : []),
    ],
    obstacles: compared.length === 0 ? [] : [BUILT],
  })
  return { ...decision, comparesStored: installed.kind === 'known' }
}

const BUILT = cannot(
  cannotBeMetHere('a build option cannot be changed: install a kernel built with the desired value'),
  {
    mayComeWithRequirement: true,
  },
)

/** An option that is not mentioned is not set. */
export function valueOf({ options }: KernelBuild, name: string): string {
  return options.get(name) ?? 'n'
}
