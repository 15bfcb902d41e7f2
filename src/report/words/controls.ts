import type { ControlResult, PolicyResult, ResourceResult } from '../../model/run.ts'
import { SEVERITIES } from '../../model/verdict.ts'
import { clip } from './clip.ts'

/** The controls of a policy and its child manifests, by path and id. */
export type Controls = ReadonlyMap<string, ControlResult>

export const NOT_EVALUATED = 'not evaluated: manual (needs review)'

/** The manual controls without failed resources. */
export function notEvaluated({ controls }: PolicyResult): readonly ControlResult[] {
  return controls.filter(({ verdict }) => verdict === 'not-evaluated')
}

export function indexControls({ controls }: PolicyResult): Controls {
  return new Map(controls.map((control) => [keyOf(control.path ?? [], control.id), control]))
}

/** The control that a resource refers to by id: the nearest, in its own manifest or an enclosing one. */
export function findControl(path: readonly string[], id: string, controls: Controls): ControlResult | undefined {
  const found = controls.get(keyOf(path, id))
  return found !== undefined || path.length === 0 ? found : findControl(path.slice(0, -1), id, controls)
}

export function controlsOf(
  { path = [], controls: ids }: Pick<ResourceResult, 'path' | 'controls'>,
  controls: Controls,
): readonly ControlResult[] {
  return ids.flatMap((id) => findControl(path, id, controls) ?? [])
}

/** The control of a resource with the highest severity; the first of several. */
export function gravestControl(
  { path = [], controls: ids }: ResourceResult,
  controls: Controls,
): ControlResult | undefined {
  return controlsOf({ path, controls: ids }, controls).toSorted(
    (left, right) => SEVERITIES.indexOf(right.severity) - SEVERITIES.indexOf(left.severity),
  )[0]
}

/** The remediation and references of a control, with labels; not escaped. */
export function adviceOf({ remediation, references = {} }: ControlResult): readonly (readonly [string, string])[] {
  const catalogues = Object.entries(references).map(([catalogue, ids]) => `${catalogue} ${ids.join(', ')}`)
  return [
    ...(remediation === undefined ? [] : [['remediation', remediation.trim()] as const]),
    ...(catalogues.length === 0 ? [] : [['references', catalogues.join('; ')] as const]),
  ]
}

/** The description, remediation and references of a control; not escaped. */
export function aboutOf(control: ControlResult): readonly (readonly [string, string])[] {
  const { description } = control
  return [...(description === undefined ? [] : [['description', description.trim()] as const]), ...adviceOf(control)]
}

function keyOf(path: readonly string[], id: string): string {
  return [...path, id].join('\0')
}

/** Maximum length of the list of controls in a name, so that the resource stays visible. */
const LIST_CHARACTERS = 80

/** The controls of a resource in brackets; a long list is cut. */
export function listControls(ids: readonly string[], escape: (text: string) => string = (text) => text): string {
  const all = ids.map(escape)
  let shown = all.length
  while (shown > 1 && all.slice(0, shown).join(', ').length > LIST_CHARACTERS) shown--
  const list = clip(all.slice(0, shown).join(', '), LIST_CHARACTERS)
  return shown < all.length ? `[${list} and ${all.length - shown} more]` : `[${list}]`
}
