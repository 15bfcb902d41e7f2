import { defined } from '../../../model/defined.ts'
import type { Control, Declaration } from '../../../model/policy.ts'
import type { Hiding } from './hide.ts'
import { type Located, pathOf } from './find.ts'
import { neededBy } from './isolate.ts'
import type { Explanation, RelatedResource, SupportedControl } from './model.ts'

type Relations = Pick<Explanation, 'require' | 'subscribe' | 'reads' | 'requiredBy' | 'subscribedBy' | 'readBy'>

/** Resources that a resource refers to, and those that refer to it. */
export function explainRelations({ document: { policy }, declaration }: Located, { text }: Hiding): Relations {
  const { id, require, subscribe } = declaration
  const readOf = ({ reads = [] }: Declaration): readonly string[] => [...new Set(reads.map(({ resource }) => resource))]
  const related = (resources: readonly Declaration[]): readonly RelatedResource[] =>
    resources.map((each) => ({ id: text(each.id), source: each.position }))
  const named = (ids: readonly string[]): readonly RelatedResource[] =>
    related(ids.flatMap((wanted) => policy.resources.find((each) => each.id === wanted) ?? []))
  return {
    require: named(require),
    subscribe: named(subscribe),
    reads: named(readOf(declaration)),
    requiredBy: related(policy.resources.filter((each) => each.require.includes(id))),
    subscribedBy: related(policy.resources.filter((each) => each.subscribe.includes(id))),
    readBy: related(policy.resources.filter((each) => readOf(each).includes(id))),
  }
}

/** Controls that a resource supports, directly or through an apply resource above it. */
export function explainControls(located: Located, { text }: Hiding): readonly SupportedControl[] {
  const { above, document, declaration } = located
  const through = above.flatMap((link, at) => {
    const path = text(pathOf({ ...link, above: above.slice(0, at) }))
    return supportedBy(link.document.policy.controls, link.declaration).map((control) => ({
      ...control,
      through: path,
    }))
  })
  return [...through, ...supportedBy(document.policy.controls, declaration)]
}

function supportedBy(controls: readonly Control[], { id }: Declaration): readonly SupportedControl[] {
  return controls
    .filter(({ resources }) => resources.includes(id))
    .map(({ id: controlId, title, severity, remediation, references, tags }) => ({
      id: controlId,
      ...defined({ title }),
      severity,
      ...defined({ remediation }),
      ...(Object.keys(references).length === 0 ? {} : { references }),
      ...(tags.length === 0 ? {} : { tags }),
    }))
}

/** Resources that this one and those above it refer to, and that its audit omits. */
export function notEvaluated(located: Located, { text }: Hiding): readonly string[] {
  const { above, document, declaration } = located
  const evaluated = neededBy(located).map(({ id }) => id)
  const named = [...above, { document, declaration }].flatMap((link) => [
    ...link.declaration.require,
    ...link.declaration.subscribe,
  ])
  return [...new Set(named)].filter((id) => !evaluated.includes(id)).map(text)
}
