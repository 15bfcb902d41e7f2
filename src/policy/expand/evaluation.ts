import { defined } from '../../model/defined.ts'
import type { Problem } from '../../model/problem.ts'
import type { Annotation } from '../data/annotations.ts'
import { type DataMap, type Layer, lastAlone, mergeLayers } from '../data/merge.ts'
import type { Expander, RunnablePolicy } from '../runnable/policy.ts'
import type { ResourceType, TemplateView } from '../../resource-type/define.ts'
import {
  type Complete,
  expandString,
  type FactFamilies,
  factsOfSource,
  factsOfString,
  syntaxErrorOf,
  loadRegexEngine,
  missingValueIn,
  readsOfSource,
  readsOfString,
  type ReadTemplateFile,
  type ResourceRead,
  TemplateEnvironment,
  unionOfFacts,
  type ValueMap,
} from '../template/index.ts'
import type { GoValue } from '../../templates/govalue/index.ts'
import { ReadLog } from '../template/read-log.ts'
import { createExpander } from './expander.ts'
import type { Written } from '../read/written.ts'
import { annotationProblems, readDataAnnotations, resolveData, strictFacts } from './policy-data.ts'
import type { ForeignKeys, InheritedData, PolicyInputs } from './inputs.ts'
import { findSecrets } from './find-secrets.ts'
import type { SourceText } from '../document/lines.ts'
import { markSensitiveData } from '../read/secret-places.ts'
import { missingDataTest } from './missing-data.ts'
import { templateProblem, type TextProblem } from './template-error.ts'
import { member, type TreeNode, type TreeScalar } from '../document/tree.ts'

/** What the templates of one policy are evaluated in, and the data they see. */
export interface Evaluation {
  readonly environment: TemplateEnvironment
  /** What its templates read. */
  readonly reads: ReadLog
  /** The same for a text that was rendered from the policy; problems of both come together. */
  readonly within: (source: SourceText) => Evaluation
  /** Reads a text file that the policy names. Throws an `Error` with the reason when it cannot. */
  readonly readFile: ReadTemplateFile
  /**
   * Renders a Jet template with the marks `[[` and `]]`. Throws a `TemplateError` with the offset in the template.
   */
  readonly renderFile: (template: SourceText) => string
  /** Expands a text of the policy, or tells the problem that it makes. */
  readonly expandText: (scalar: TreeScalar) => string | TextProblem
  /** What keeps a text from being an expression, if anything does. */
  readonly syntaxProblem: (scalar: TreeScalar) => Problem | undefined
  /** The values of other resources that the expressions of a text name. */
  readonly findReads: FindReads
  /** Makes the expander of the resources that hold something to evaluate, given by id. */
  readonly createExpander: (types: ReadonlyMap<string, ResourceType>, bodies: ReadonlyMap<string, Written>) => Expander
  /** Does what evaluates templates, and fetches what they ask a server for; absent without a server. */
  readonly complete?: Complete
  /** What templates that resources render can see. */
  readonly templates: NonNullable<RunnablePolicy['templates']>
  /** The data of the policy before it was merged, for telling where a value comes from. */
  readonly layers: readonly Layer[]
  /** The same for the facts that the policy mentions and for environment variables. */
  readonly origins: { readonly facts: () => readonly Layer[]; readonly environ: readonly Layer[] }
  readonly data: DataMap
  /** Those of them that the operator did not give. */
  readonly ownLayers: readonly Layer[]
  /** The data without what the operator gave: that reaches child manifests by itself. */
  readonly ownData: DataMap
  readonly annotations: readonly Annotation[]
  /** Texts that must never be shown: data that is secret, and what was made of it so far. */
  readonly secrets: readonly string[]
  /** The keys that lead to what is secret in the data. */
  readonly secretPaths: readonly (readonly string[])[]
  /** Which of its keys were handed down with values from files or the environment. */
  readonly foreign: ForeignKeys
  /** What is wrong with the data; errors make the policy unusable. */
  readonly problems: readonly Problem[]
}

/** Finds the values of other resources that the expressions of a text name. */
export type FindReads = (text: string, language: 'template' | 'condition') => readonly ResourceRead[]

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
  const jet = isIndirect ? await import('../../templates/jet/index.ts') : undefined
  if (isIndirect || /\bfacts\b|\$env/i.test(all)) inputs.prepareFacts?.()
  const asksServers = isIndirect || /kvGet|registrations/.test(all)
  const also = beside === '' ? [] : [factsOfSource(beside), factsOfString(beside)]
  const facts: PolicyInputs['facts'] = (families) => inputs.facts(unionOfFacts([families, ...also]))
  return (source, root, workingDirectory) =>
    startEvaluation({ source, root, workingDirectory }, { ...inputs, facts }, { jet, asksServers })
}

type Jet = typeof import('../../templates/jet/index.ts')

interface Loaded {
  readonly jet: Jet | undefined
  /** Whether a template may ask a server, as far as the text tells. */
  readonly asksServers: boolean
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
  { jet, asksServers }: Loaded,
): Evaluation {
  const problems: Problem[] = []
  // Gathered when the first template asks.
  const facts = once(() => inputs.facts(factsMentioned(root)))
  const { inherited } = inputs
  const { annotations: written, warnings } = readDataAnnotations(source, root)
  const annotations = [...written, ...(inputs.sensitive ?? [])]
  markSensitiveData(source, root, annotations)
  const ownLayers = [...resolveData({ source, root, problems }, facts, inputs), ...layersOf(inherited)]
  const layers = lastAlone([...ownLayers, ...inputs.data], replacedKeys(written, inputs))
  const data = mergeLayers(layers)
  if (problems.length === 0) problems.push(...annotationProblems(source, written, data))
  problems.push(...warnings)
  const { environ, environRefusal, readFile, fileExists, remote } = inputs
  const secretData = findSecrets(annotations, data, inherited)
  const reads = new ReadLog(secretData, inherited?.foreign)
  const own = { environ, environRefusal, workingDirectory, readFile, fileExists, reads, jet: jet?.renderJet }
  const shared = { ...own, kvGet: remote?.kvGet, registrations: remote?.registrations }
  const watched = reads.watchData(data)
  const isMissing = missingDataTest(root, data)
  const environment = new TemplateEnvironment({ data: watched, ...shared, ...strictFacts(facts, { isMissing }) })
  const shareable = {
    environment,
    reads,
    readFile,
    renderFile: (template: SourceText) =>
      reads.guard(() => renderFile(template, { environment, workingDirectory, jet })),
    templates(given: ValueMap | undefined): TemplateView {
      // What a template in another file reads cannot be told from the policy, so it may see every fact.
      const view = new TemplateEnvironment({
        data: given ?? watched,
        ...shared,
        ...strictFacts(once(() => inputs.facts('all'))),
      })
      return { variables: view.jetVariables(), functions: view.allFunctions() }
    },
    ...defined({ complete: asksServers ? remote?.complete : undefined }),
    layers,
    ownLayers,
    origins: {
      facts: () => inputs.origins?.facts(factsMentioned(root)) ?? [],
      environ: inputs.origins?.environ ?? [],
    },
    data,
    ownData: mergeLayers(ownLayers),
    annotations,
    secretPaths: secretData.paths,
    foreign: inherited?.foreign ?? new Map(),
    knownSecrets: [...secretData.texts],
    problems,
  }
  return evaluationOf(source, shareable)
}

/** The keys of which the last value stands alone. Annotations deeper in the data have no effect. */
function replacedKeys(annotations: readonly Annotation[], { parameters = [] }: PolicyInputs): ReadonlySet<string> {
  const marked = annotations.flatMap(({ directive, path }) => (directive === 'replace' ? path.slice(0, 1) : []))
  return new Set([...parameters, ...marked])
}

function layersOf(inherited: InheritedData | undefined): readonly Layer[] {
  return inherited === undefined ? [] : [{ origin: 'apply', data: inherited.data, merge: 'deep' }]
}

type Shareable = Omit<
  Evaluation,
  'within' | 'expandText' | 'syntaxProblem' | 'findReads' | 'createExpander' | 'secrets'
> & {
  readonly knownSecrets: readonly string[]
}

/** The evaluation of templates that stand in this text. */
function evaluationOf(source: SourceText, shareable: Shareable): Evaluation {
  const { environment, reads, knownSecrets, ...shared } = shareable
  return {
    ...shared,
    environment,
    reads,
    get secrets() {
      return [...knownSecrets, ...reads.derived]
    },
    within: (other) => evaluationOf(other, shareable),
    expandText(scalar) {
      try {
        const { result, isUnfindable } = reads.during(() => expandString(scalar.text, environment))
        // It is shown with its secrets taken out, as far as they can be found.
        if (isUnfindable) reads.hide(result)
        return result
      } catch (error) {
        const { certainty, needs } = missingValueIn(error) ?? {}
        const isUnread = certainty === 'unknown'
        return { ...templateProblem(source, scalar, error), ...(isUnread ? { isUnread, ...defined({ needs }) } : {}) }
      }
    },
    syntaxProblem(scalar) {
      const error = syntaxErrorOf(scalar.text)
      return error === undefined ? undefined : templateProblem(source, scalar, error)
    },
    findReads: (text, language) => (language === 'template' ? readsOfString(text) : readsOfSource(text)),
    createExpander: (types, bodies) => createExpander({ source, environment, reads, types, bodies }),
  }
}

interface Rendering {
  readonly environment: TemplateEnvironment
  readonly workingDirectory: string
  readonly jet: Jet | undefined
}

function renderFile({ file, text }: SourceText, { environment, workingDirectory, jet }: Rendering): string {
  if (jet === undefined) throw new Error('Jet was not loaded for a policy that names a Jet template')
  const variables = environment.jetVariables()
  const context = new Map<GoValue, GoValue>([...variables, ['WorkingDir', workingDirectory]])
  const functions = environment.jetFunctions()
  return environment.withBudget((budget) =>
    jet.renderJet(text, { name: file, delimiters: ['[[', ']]'], variables, context, functions, budget }),
  )
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The facts that the templates and conditions of a policy may read, so that no other need be gathered. */
function factsMentioned(root: TreeNode): FactFamilies {
  // What a template in another file reads cannot be told from the policy.
  if (member(member(root, 'ccm'), 'resources_jet_file') !== undefined) return 'all'
  const found: FactFamilies[] = []
  const walk = (node: TreeNode, isCondition: boolean): void => {
    if (node.kind === 'map') {
      for (const [key, { value }] of node.entries) walk(value, key === 'if' || key === 'unless')
    } else if (node.kind === 'list') {
      for (const item of node.items) walk(item, false)
    } else if (mayReadFacts(node.text)) {
      found.push(factsOfString(node.text), ...(isCondition ? [factsOfSource(node.text)] : []))
    }
  }
  walk(root, false)
  return unionOfFacts(found)
}

/** A cheap test that spares most texts the parser: facts are reached by name, by `$env`, or through another template. */
function mayReadFacts(text: string): boolean {
  return /facts|\$env|lookup|template|jet/i.test(text)
}
