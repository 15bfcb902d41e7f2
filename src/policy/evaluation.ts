import type { Expander } from '../core/policy.ts'
import type { Problem } from '../core/problem.ts'
import { type Annotation, checkAnnotations, secretsOf } from '../data/annotations.ts'
import { resolveHierarchy } from '../data/hierarchy.ts'
import { type DataMap, type Layer, mergeLayers } from '../data/merge.ts'
import { validate } from '../data/validation.ts'
import type { RunnablePolicy } from '../engine/prepare.ts'
import type { ResourceType } from '../resources/define.ts'
import {
  expandMatch,
  expandString,
  factsOfSource,
  factsOfString,
  syntaxErrorOf,
  type JetRenderer,
  loadRegexEngine,
  type MatchedText,
  TemplateEnvironment,
  unionOfFacts,
  type ValueMap,
} from '../template/index.ts'
import { readAnnotations } from './annotations.ts'
import { createExpander, type Written } from './expander.ts'
import { expandMap, type Expanding } from './expand-node.ts'
import { factsMentioned } from './facts-mentioned.ts'
import type { PolicyInputs } from './inputs.ts'
import type { SourceText } from './lines.ts'
import { templateProblem, templateWarning } from './template-error.ts'
import type { TreeNode, TreeScalar } from './tree.ts'
import { entriesOf, itemsOf, member, textOf } from './tree-access.ts'

/** What the templates of one policy are evaluated in, and the data they see. */
export interface Evaluation {
  readonly environment: TemplateEnvironment
  /** Expands a text of the policy, or tells the problem that it makes. */
  readonly expandText: (scalar: TreeScalar) => string | Problem
  /** What keeps a text from being an expression, if anything does. */
  readonly syntaxProblem: (scalar: TreeScalar) => Problem | undefined
  /** Makes the expander of the resources that hold something to evaluate, given by id. */
  readonly createExpander: (types: ReadonlyMap<string, ResourceType>, bodies: ReadonlyMap<string, Written>) => Expander
  /** What templates that resources render can see. */
  readonly templates: NonNullable<RunnablePolicy['templates']>
  /** The data of the policy before it was merged, for telling where a value comes from. */
  readonly layers: readonly Layer[]
  readonly data: DataMap
  readonly annotations: readonly Annotation[]
  /** Texts of the data that must never be shown. */
  readonly secrets: readonly string[]
  /** What is wrong with the data; errors make the policy unusable. Warnings are added while texts are expanded. */
  readonly problems: readonly Problem[]
}

/** Starts the evaluation of a policy whose tree was built. */
export type StartEvaluation = (source: SourceText, root: TreeNode, workingDirectory: string) => Evaluation

/**
 * Loads what the templates of a policy's text may need, and no more. `beside` is an expression or template that will be
 * evaluated in the same environment.
 */
export async function loadEvaluation(text: string, inputs: PolicyInputs, beside = ''): Promise<StartEvaluation> {
  const all = `${text}\n${beside}`
  const isIndirect = /template|jet|scaffold/.test(all)
  if (isIndirect || /matches|is_?regex/i.test(all)) await loadRegexEngine()
  const jet = isIndirect ? (await import('../template/jet/index.ts')).renderJet : undefined
  if (/\bfacts\b|\$env/i.test(all)) inputs.prepareFacts?.()
  const also = beside === '' ? [] : [factsOfSource(beside), factsOfString(beside)]
  const facts: PolicyInputs['facts'] = (families) => inputs.facts(unionOfFacts([families, ...also]))
  return (source, root, workingDirectory) =>
    startEvaluation({ source, root, workingDirectory }, { ...inputs, facts }, jet)
}

interface Reading {
  readonly source: SourceText
  readonly root: TreeNode
  readonly workingDirectory: string
}

/** Gathers facts, resolves the data of a policy, checks its annotations, and makes the environment of its templates. */
function startEvaluation(
  { source, root, workingDirectory }: Reading,
  inputs: PolicyInputs,
  jet: JetRenderer | undefined,
): Evaluation {
  const problems: Problem[] = []
  const facts = factsOnce(root, inputs)
  const layers = [...resolveData({ source, root, problems }, facts, inputs), ...inputs.data]
  const data = mergeLayers(layers)
  const { annotations, warnings } = readDataAnnotations(source, root)
  if (problems.length === 0) problems.push(...annotationProblems(source, annotations, data))
  problems.push(...warnings)
  const { environ, readFile, fileExists } = inputs
  const shared = { environ, workingDirectory, readFile, fileExists, jet }
  const environment = new TemplateEnvironment({ facts, data, ...shared })
  return {
    environment,
    expandText(scalar) {
      try {
        return expandString(scalar.text, environment, (warning) => {
          problems.push(templateWarning(source, scalar, warning))
        })
      } catch (error) {
        return templateProblem(source, scalar, error)
      }
    },
    syntaxProblem(scalar) {
      const error = syntaxErrorOf(scalar.text)
      return error === undefined ? undefined : templateProblem(source, scalar, error)
    },
    createExpander: (types, bodies) => createExpander({ source, environment, types, bodies }),
    templates(own) {
      // What a template in another file reads cannot be told from the policy, so it may see every fact.
      const view = new TemplateEnvironment({ facts: () => inputs.facts('all'), data: own ?? data, ...shared })
      return { variables: view.jetVariables(), functions: view.allFunctions() }
    },
    layers,
    data,
    annotations,
    secrets: secretsOf(annotations, data),
    problems,
  }
}

/** The facts the policy mentions, gathered when the first template asks. */
function factsOnce(root: TreeNode, inputs: PolicyInputs): () => ValueMap {
  let facts: ValueMap | undefined
  return () => {
    facts ??= inputs.facts(factsMentioned(root))
    return facts
  }
}

interface DataReading {
  readonly source: SourceText
  readonly root: TreeNode
  readonly problems: Problem[]
}

/** The layers of the policy's own data. While they are resolved templates see facts and `lookup`, and nothing else. */
function resolveData(
  { source, root, problems }: DataReading,
  facts: () => ValueMap,
  { readFile }: PolicyInputs,
): readonly Layer[] {
  const evaluator = new TemplateEnvironment({
    facts,
    data: new Map(),
    environ: new Map(),
    workingDirectory: '',
    readFile,
    functions: 'lookup-only',
    onMissing: 'empty',
  })
  const expanding: Expanding = { source, evaluator, problems }
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

function matchLevel(node: TreeNode, { source, evaluator, problems }: Expanding): MatchedText {
  if (node.kind !== 'scalar') return { text: '', matched: false }
  try {
    return expandMatch(node.text, evaluator)
  } catch (error) {
    problems.push(templateProblem(source, node, error))
    return { text: '', matched: false }
  }
}

function readDataAnnotations(source: SourceText, root: TreeNode): ReturnType<typeof readAnnotations> {
  const data = member(root, 'data')
  // JSON has no comments.
  return data === undefined ? { annotations: [], warnings: [] } : readAnnotations(source, data)
}

function annotationProblems(source: SourceText, annotations: readonly Annotation[], data: DataMap): readonly Problem[] {
  return checkAnnotations(annotations, data, validate).map(({ message, position }) => {
    const start = source.lineStarts[position.line - 1] ?? 0
    const end = source.text.indexOf('\n', start)
    const sourceLine = source.text.slice(start, end < 0 ? undefined : end)
    return { message, position, sourceLine, severity: 'error' }
  })
}
