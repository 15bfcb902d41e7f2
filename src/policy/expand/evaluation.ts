import { once } from '../../host/once.ts'
import { defined } from '../../model/defined.ts'
import type { Problem } from '../../model/problem.ts'
import type { Annotation } from '../data/annotations.ts'
import { type DataMap, type Layer, lastAlone, mergeLayers } from '../data/merge.ts'
import { type Parameter, parameterProblems, parametersOf } from '../read/parameters.ts'
import type { Expander, RunnablePolicy } from '../runnable/policy.ts'
import type { ResourceType, TemplateView } from '../../resource-type/define.ts'
import {
  type Complete,
  expandString,
  type FactFamilies,
  factsOfSource,
  factsOfString,
  syntaxErrorOf,
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

export interface Evaluation {
  readonly environment: TemplateEnvironment
  /** Records the values that templates read. */
  readonly reads: ReadLog
  /** The evaluation for a text rendered from the policy; problems are collected together. */
  readonly within: (source: SourceText) => Evaluation
  /** Reads a text file that the policy names. Throws an `Error` with the reason if that fails. */
  readonly readFile: ReadTemplateFile
  /** Renders a Jet template with the delimiters `[[` and `]]`. Throws a `TemplateError` with the offset in the template. */
  readonly renderFile: (template: SourceText) => string
  readonly expandText: (scalar: TreeScalar) => string | TextProblem
  /** The syntax error of an expression; undefined if it is valid. */
  readonly syntaxProblem: (scalar: TreeScalar) => Problem | undefined
  /** Finds the values of other resources that a text reads. */
  readonly findReads: FindReads
  /** Makes the expander of resources with templates or conditions, given by id. */
  readonly createExpander: (types: ReadonlyMap<string, ResourceType>, bodies: ReadonlyMap<string, Written>) => Expander
  /** Runs work that evaluates templates, and fetches values they request from a server; undefined without a server. */
  readonly complete?: Complete
  /** The variables and functions of templates that resources render. */
  readonly templates: NonNullable<RunnablePolicy['templates']>
  /** The layers of the policy's data, to trace origins of values. */
  readonly layers: readonly Layer[]
  readonly origins: { readonly facts: () => readonly Layer[]; readonly environ: readonly Layer[] }
  readonly data: DataMap
  /** The layers that do not come from the operator. */
  readonly ownLayers: readonly Layer[]
  /** The data without that of the operator, which child manifests get separately. */
  readonly ownData: DataMap
  readonly annotations: readonly Annotation[]
  /** Texts that must never be shown: secret data, and values derived from it so far. */
  readonly secrets: readonly string[]
  /** Paths of secret keys in the data. */
  readonly secretPaths: readonly (readonly string[])[]
  /** Inherited keys with values from files or the environment. */
  readonly foreign: ForeignKeys
  /** Problems with the data; an error makes the policy unusable. */
  readonly problems: readonly Problem[]
}

/** Finds the values of other resources that the expressions of a text read. */
export type FindReads = (text: string, language: 'template' | 'condition') => readonly ResourceRead[]

export type StartEvaluation = (source: SourceText, root: TreeNode, workingDirectory: string) => Evaluation

/**
 * Loads only the template engines that the text of a policy needs. `beside` is an expression or template for the same
 * environment.
 */
export async function loadEvaluation(text: string, inputs: PolicyInputs, beside = ''): Promise<StartEvaluation> {
  const all = `${text}\n${beside}`
  const isIndirect = /template|jet|scaffold/.test(all)
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
  /** Whether a template may query a server, judged by the text. */
  readonly asksServers: boolean
}

interface Reading {
  readonly source: SourceText
  readonly root: TreeNode
  readonly workingDirectory: string
}

/** Gathers facts, resolves the data of a policy, checks its annotations, and creates the template environment. */
function startEvaluation(
  { source, root, workingDirectory }: Reading,
  inputs: PolicyInputs,
  { jet, asksServers }: Loaded,
): Evaluation {
  const problems: Problem[] = []
  // Gathered on first use.
  const facts = once(() => inputs.facts(factsMentioned(root)))
  const { inherited } = inputs
  const parameters = parametersOf(root) ?? []
  const { annotations: written, warnings } = readDataAnnotations(source, root)
  const annotations = [...written, ...(inputs.sensitive ?? [])]
  markSensitiveData(source, root, annotations)
  const ownLayers = [...resolveData({ source, root, problems }, facts, inputs), ...layersOf(inherited)]
  const layers = lastAlone([...ownLayers, ...inputs.data], replacedKeys(written, parameters))
  const [data, ownData] = [mergeLayers(layers), mergeLayers(ownLayers)]
  if (problems.length === 0) {
    problems.push(...annotationProblems(source, written, data))
    problems.push(...parameterProblems(source, parameters, { data, ownData }))
  }
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
      // The policy does not show which facts a template in another file reads, so all are provided.
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
    ownData,
    annotations,
    secretPaths: secretData.paths,
    foreign: inherited?.foreign ?? new Map(),
    knownSecrets: [...secretData.texts],
    problems,
  }
  return evaluationOf(source, shareable)
}

/** Keys whose last value replaces all others: a site sets a complete list. Annotations deeper in the data have no effect. */
function replacedKeys(annotations: readonly Annotation[], parameters: readonly Parameter[]): ReadonlySet<string> {
  const marked = annotations.flatMap(({ directive, path }) => (directive === 'replace' ? path.slice(0, 1) : []))
  return new Set([...parameters.map(({ name }) => name), ...marked])
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
        // Shown with secrets redacted as far as they can be found.
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

/** The fact families that templates and conditions of the policy may read; others are not gathered. */
function factsMentioned(root: TreeNode): FactFamilies {
  // The policy does not show which facts a template in another file reads.
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

/** A fast check that avoids parsing most texts: facts are read by name, with `$env`, or in another template. */
function mayReadFacts(text: string): boolean {
  return /facts|\$env|lookup|template|jet/i.test(text)
}
