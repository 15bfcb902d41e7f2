import type { Problem } from '../../model/problem.ts'
import { type Annotation, checkAnnotations } from '../data/annotations.ts'
import { resolveHierarchy } from '../data/hierarchy.ts'
import type { DataMap, Layer } from '../data/merge.ts'
import { validate } from '../data/validation.ts'
import { errorAt, type SourceText } from '../document/lines.ts'
import { entriesOf, itemsOf, member, textOf, type TreeNode } from '../document/tree.ts'
import { FACT_SHAPE } from '../facts/gather.ts'
import {
  type EnvironmentOptions,
  expandMatch,
  type MatchedText,
  type StrictOptions,
  TemplateEnvironment,
} from '../template/index.ts'
import { readAnnotations } from '../read/annotations.ts'
import { expandMap, type Expanding } from './expand-node.ts'
import type { PolicyInputs, ObservedFacts } from './inputs.ts'
import { dataProblem } from './template-error.ts'

/** The policy whose data is resolved. */
export interface DataReading {
  readonly source: SourceText
  readonly root: TreeNode
  readonly problems: Problem[]
}

/** The layers of the policy's own data. Their templates can use only facts and `lookup`. */
export function resolveData(
  { source, root, problems }: DataReading,
  facts: () => ObservedFacts,
  { readFile }: PolicyInputs,
): readonly Layer[] {
  const evaluator = new TemplateEnvironment({
    ...strictFacts(facts),
    data: new Map(),
    environ: new Map(),
    workingDirectory: '',
    readFile,
    functions: 'lookup-only',
  })
  const expanding = { source, evaluator, problems }
  const hierarchy = member(root, 'hierarchy')
  const order = member(hierarchy, 'order')
  const overrides = entriesOf(member(root, 'overrides'))
  const data = member(root, 'data')
  return resolveHierarchy({
    base: () => (data === undefined ? new Map() : expandMap(data, expanding)),
    order:
      order === undefined
        ? [() => ({ text: 'default', matched: true })]
        : itemsOf(order).map((node) => () => matchLevel(node, expanding)),
    merge: textOf(member(hierarchy, 'merge'))?.toLowerCase() === 'deep' ? 'deep' : 'first',
    override(level) {
      const entry = overrides.get(level)
      return entry === undefined ? undefined : expandMap(entry.value, expanding)
    },
  })
}

function matchLevel(node: TreeNode, { source, evaluator, problems }: Required<Expanding>): MatchedText {
  if (node.kind !== 'scalar') return { text: '', matched: false }
  try {
    return expandMatch(node.text, evaluator)
  } catch (error) {
    problems.push(dataProblem(source, node, error))
    return { text: '', matched: false }
  }
}

export function readDataAnnotations(source: SourceText, root: TreeNode): ReturnType<typeof readAnnotations> {
  const data = member(root, 'data')
  // JSON has no comments.
  return data === undefined ? { annotations: [], warnings: [] } : readAnnotations(source, data)
}

/** Violations of annotations in the data; the annotations are in this text. */
export function annotationProblems(
  source: SourceText,
  annotations: readonly Annotation[],
  data: DataMap,
): readonly Problem[] {
  return checkAnnotations(annotations, data, validate).map(({ message, position }) => {
    const start = source.lineStarts[position.line - 1] ?? 0
    return { ...errorAt(source, start, message), position }
  })
}

/** Facts for an environment in which reading an unknown fact is an error. */
export function strictFacts(
  facts: () => ObservedFacts,
  further: Pick<StrictOptions, 'isMissing'> = {},
): Pick<EnvironmentOptions, 'facts' | 'strict'> {
  return {
    facts: () => facts().values,
    strict: { facts: FACT_SHAPE, unreadFacts: () => facts().unread, ...further },
  }
}
