import type { ControlResult, PolicyResult, ResourceResult } from '../../model/run.ts'
import { SEVERITIES } from '../../model/verdict.ts'
import { clip } from './clip.ts'

/** The controls of a policy and its child manifests, by the place they are defined in and their id. */
export type Controls = ReadonlyMap<string, ControlResult>

/** What is said of a control that a person has to look at. */
export const NOT_EVALUATED = 'not evaluated: manual (needs review)'

/** The controls that a person has to look at and no resource speaks against. */
export function notEvaluated({ controls }: PolicyResult): readonly ControlResult[] {
  return controls.filter(({ verdict }) => verdict === 'not-evaluated')
}

/** Makes the controls of a policy ready to be looked up. */
export function indexControls({ controls }: PolicyResult): Controls {
  return new Map(controls.map((control) => [keyOf(control.path ?? [], control.id), control]))
}

/** The control that a resource means by an id: the nearest, that of its own manifest or of one that applies it. */
export function findControl(path: readonly string[], id: string, controls: Controls): ControlResult | undefined {
  const found = controls.get(keyOf(path, id))
  return found !== undefined || path.length === 0 ? found : findControl(path.slice(0, -1), id, controls)
}

/** The controls that a resource supports. */
export function controlsOf(
  { path = [], controls: ids }: Pick<ResourceResult, 'path' | 'controls'>,
  controls: Controls,
): readonly ControlResult[] {
  return ids.flatMap((id) => findControl(path, id, controls) ?? [])
}

/** The gravest of the controls that a resource supports, the first of them where several are. */
export function gravestControl(
  { path = [], controls: ids }: ResourceResult,
  controls: Controls,
): ControlResult | undefined {
  return controlsOf({ path, controls: ids }, controls).toSorted(
    (left, right) => SEVERITIES.indexOf(right.severity) - SEVERITIES.indexOf(left.severity),
  )[0]
}

/** What the author of a control says about mending it and where it comes from, each with its label; not escaped. */
export function adviceOf({ remediation, references = {} }: ControlResult): readonly (readonly [string, string])[] {
  const catalogues = Object.entries(references).map(([catalogue, ids]) => `${catalogue} ${ids.join(', ')}`)
  return [
    ...(remediation === undefined ? [] : [['remediation', remediation.trim()] as const]),
    ...(catalogues.length === 0 ? [] : [['references', catalogues.join('; ')] as const]),
  ]
}

/** All that the author of a control says beside its title: why, how to mend it, and where it comes from; not escaped. */
export function aboutOf(control: ControlResult): readonly (readonly [string, string])[] {
  const { description } = control
  return [...(description === undefined ? [] : [['description', description.trim()] as const]), ...adviceOf(control)]
}

function keyOf(path: readonly string[], id: string): string {
  return [...path, id].join('\0')
}

/** So much of a name may be the controls that a resource supports, so that it still says which resource it is. */
const LIST_CHARACTERS = 80

/** The controls that a resource supports, in brackets: as many as leave room for what stands behind them. */
export function listControls(ids: readonly string[], escape: (text: string) => string = (text) => text): string {
  const all = ids.map(escape)
  let shown = all.length
  while (shown > 1 && all.slice(0, shown).join(', ').length > LIST_CHARACTERS) shown--
  const list = clip(all.slice(0, shown).join(', '), LIST_CHARACTERS)
  return shown < all.length ? `[${list} and ${all.length - shown} more]` : `[${list}]`
}
