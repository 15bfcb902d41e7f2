import { type Acceptance, isAccepted } from '../../model/acceptance.ts'
import { unknown } from '../../model/observation.ts'
import { AS_WANTED, drifted, type PartialDecision, undecided } from '../../model/partial-decision.ts'
import { type StoredSysctl, winnerOf } from './sysctl-conf.ts'
import { setBy, unclearLine } from './words.ts'
import { interfacePath, effectiveValue, joiningOf, type PerInterface } from './interfaces.ts'
import { FIELD_TEXTS } from '../../resource-type/text-order.ts'
import { asTakenAtBoot } from './values.ts'

/**
 * The interfaces that files name, and `*` for any other one. Of a system that does not run it is unknown which it will have, so
 * each of them counts that a file gives a value of its own; a pattern is a name like others.
 */
export function namedInterfaces({ lists }: StoredSysctl, { family, parameter }: PerInterface): readonly string[] {
  const names = lists.flat().flatMap(({ key }) => {
    const [, of, name = '', own] = /^net\/(ipv[46])\/conf\/([^/]+)\/([^/]+)$/.exec(key) ?? []
    return of === family && own === parameter ? [name] : []
  })
  return [...new Set(['*', ...names])].filter((name) => !['all', 'default', 'lo'].includes(name)).toSorted()
}

interface Desired {
  readonly wanted: string | Acceptance<string>
  readonly accepted: Acceptance<string>
  readonly scope: PerInterface
}

/** What such an interface will have: its own value joined with that of `all`, on a host and on a router. */
export function compareNamed(
  { wanted, accepted, scope }: Desired,
  stored: StoredSysctl,
  name: string,
): PartialDecision<string> {
  const at = interfacePath(scope, name)
  const winner = winnerOf(stored, at)
  if (winner.kind === 'none') return AS_WANTED
  if (winner.kind === 'unclear') return undecided('stored', unclearLine(winner.assignment))
  const own = asTakenAtBoot(winner.assignment.value, accepted)
  const all = winnerOf(stored, interfacePath(scope, 'all'))
  if (all.kind === 'unclear') return undecided('stored', unclearLine(all.assignment))
  const allThen =
    all.kind === 'set' ? asTakenAtBoot(all.assignment.value, accepted) : joiningOf(scope) === 'interface' ? own : ''
  const [host, router] = [false, true].map((forwards) => effectiveValue(joiningOf(scope), allThen, own, forwards))
  if (host === undefined || router === undefined) {
    const why = `${setBy(winner.assignment)}: the value of ${name} depends on all, whose stored value is not a number`
    return undecided('stored', unknown('not-observable', why))
  }
  const wrong = [host, router].find((value) => !isAccepted(FIELD_TEXTS, accepted, value))
  if (wrong === undefined) return AS_WANTED
  const note = setBy(winner.assignment)
  return { ...drifted({ property: 'stored', desired: wanted, observed: wrong, path: name, note }), steps: [at] }
}
