import { resolve } from 'node:path'
import { type DataMap, type Layer, valueAt } from '../../../policy/data/merge.ts'
import { type GoValue, isGoList, isGoMap } from '../../../templates/govalue/index.ts'
import { TemplateError } from '../../../policy/template/index.ts'
import { plainStart } from '../../../policy/template/lookup-path.ts'
import { resourcePath } from '../../../policy/template/resource-reads.ts'
import { readsOfJet } from '../../../policy/template/jet-reads.ts'
import { type Read, type ReadRoot, readsOfString } from '../../../policy/template/reads.ts'
import { headlineOf } from '../../../policy/expand/template-error.ts'
import { toPlainValue, type TreeNode } from '../../../policy/document/tree.ts'
import type { Evaluation } from '../../../policy/expand/evaluation.ts'
import { type Hiding, shownPlain } from './hide.ts'
import type { ReadExport, ReadValues } from './exported.ts'
import type { TemplateInput } from './model.ts'
import { dataSources, type ReachedPolicy, secrecyInData, type Source, type Sources, sourcesIn } from './sources.ts'

/** Context for explaining the templates of a resource. */
export interface Explaining {
  readonly place: ReachedPolicy
  /** Absent for a policy loaded without evaluation. */
  readonly evaluation: Evaluation | undefined
  readonly hiding: Hiding
  /** True if the template is part of a secret, so that its inputs are hidden. */
  readonly isSecret: boolean
  /** Values that it reads from other resources. */
  readonly exported: ReadValues
  /** Files being read, to prevent recursion. */
  readonly files?: readonly string[]
}

interface Evaluating extends Explaining {
  readonly evaluation: Evaluation
}

/** Explains each distinct read: its value and origin. */
export function explainReads(reads: readonly Read[], explaining: Explaining): readonly TemplateInput[] {
  const { evaluation } = explaining
  if (evaluation === undefined) return []
  const inputs = reads.map((read) => explainRead(read, { ...explaining, evaluation }))
  return [...new Map(inputs.map((input) => [`${input.kind} ${input.name}`, input])).values()]
}

/** Reads of all templates in a value. */
export function readsOfNode(node: TreeNode): readonly Read[] {
  if (node.kind === 'scalar') return readsOfString(node.text)
  if (node.kind === 'list') return node.items.flatMap(readsOfNode)
  return [...node.entries.values()].flatMap(({ value }) => readsOfNode(value))
}

function explainRead(read: Read, explaining: Evaluating): TemplateInput {
  switch (read.kind) {
    case 'member':
      return explainMember(read.root, read.path, explaining)
    case 'lookup':
      return explainLookup(read, explaining)
    case 'file':
      return read.use === 'existence' ? explainExistence(read.path, explaining) : explainFile(read, explaining)
    case 'computed':
      return { kind: 'computed', name: read.function, from: [], message: 'the path is computed' }
  }
}

interface RootKind {
  readonly kind: string
  readonly prefix: string
}

const ROOT_KINDS: Readonly<Record<Exclude<ReadRoot, 'WorkingDir' | 'Resources'>, RootKind>> = {
  Data: { kind: 'data', prefix: 'data' },
  Facts: { kind: 'fact', prefix: 'facts' },
  Environ: { kind: 'environment', prefix: 'environ' },
}

function explainMember(root: ReadRoot, path: readonly (string | number)[], explaining: Evaluating): TemplateInput {
  if (root === 'Resources') {
    const [name = '', field = ''] = path.map(String)
    return explainExported(`${name}.${field}`, explaining.exported.member(name, field), explaining)
  }
  if (root === 'WorkingDir') {
    const { workingDirectory } = explaining.place.document.policy
    return { kind: 'directory', name: root, value: explaining.hiding.shown(workingDirectory), from: [] }
  }
  const value = stepsInto(valueOfRoot(root, explaining), path)
  const steps = path.map((step) => (typeof step === 'string' ? step.replaceAll('.', String.raw`\.`) : String(step)))
  const name = [ROOT_KINDS[root].prefix, ...steps].join('.')
  return describeValue({ root, name, keys: path.filter((step) => typeof step === 'string'), value }, explaining)
}

/** Facts are gathered only on demand. */
function valueOfRoot(root: keyof typeof ROOT_KINDS, { evaluation }: Evaluating): GoValue {
  return root === 'Data' ? evaluation.data : (evaluation.environment.jetVariables().get(root) ?? null)
}

/** Follows keys and indices; undefined if there is no value. */
function stepsInto(start: GoValue, path: readonly (string | number)[]): GoValue | undefined {
  return path.reduce<GoValue | undefined>((value, step) => {
    if (value === undefined) return undefined
    if (isGoMap(value)) return value.get(step)
    return isGoList(value) && typeof step === 'number' ? value.at(step) : undefined
  }, start)
}

function explainLookup({ path, hasDefault }: Extract<Read, { kind: 'lookup' }>, explaining: Evaluating): TemplateInput {
  const { hiding, evaluation, exported } = explaining
  const resource = resourcePath(path)
  if (resource !== undefined) return explainExported(resource, exported.path(resource), explaining)
  const { result: found, origins } = evaluation.reads.during(() =>
    attempt(() => evaluation.environment.evaluate(`lookup(${JSON.stringify(path)}, ${NOTHING})`)),
  )
  if ('message' in found)
    return { kind: 'lookup', name: hiding.text(path), from: [], message: hiding.text(found.message) }
  const value = found.value === NOTHING_VALUE ? undefined : found.value
  // A selection from secrets may be any part of them, in any form.
  const isSecret = explaining.isSecret || origins.has('secret')
  const [start, ...keys] = plainStart(path)
  const root = ROOTS_BY_PREFIX.get(start ?? '')
  if (root === undefined) {
    // A lookup without prefix searches data, facts and variables.
    const rest = value === undefined ? { message: 'has no value' } : shownUnless(isSecret, value, hiding)
    return { kind: 'lookup', name: hiding.text(path), ...rest, from: [] }
  }
  const input = describeValue({ root, name: path, keys, value }, { ...explaining, isSecret })
  return value === undefined && hasDefault
    ? { ...input, message: 'has no value, so the default of the lookup applies' }
    : input
}

/** A value of an earlier resource, as found by the audit. */
function explainExported(
  written: string,
  read: ReadExport | undefined,
  { hiding, isSecret }: Evaluating,
): TemplateInput {
  if (read === undefined) {
    const name = hiding.text(`resources.${written}`)
    return { kind: 'exported', name, from: [], message: 'cannot be read here' }
  }
  const { resource, field, value, because, position } = read
  const name = hiding.text(resource)
  return {
    kind: 'exported',
    name: `resources.${name}.${field}`,
    ...shownUnless(isSecret || read.isSecret, value, hiding),
    from: [{ name, position }],
    ...(value === undefined ? { message: hiding.text(`has no value: ${resource} ${because}`) } : {}),
  }
}

/** A default that no data can contain distinguishes a missing value from nil. */
const NOTHING_VALUE = '\u0000nothing'
const NOTHING = JSON.stringify(NOTHING_VALUE)

const ROOTS_BY_PREFIX: ReadonlyMap<string, keyof typeof ROOT_KINDS> = new Map([
  ['data', 'Data'],
  ['facts', 'Facts'],
  ['environ', 'Environ'],
])

interface ReadValue {
  readonly root: keyof typeof ROOT_KINDS
  readonly name: string
  /** Keys up to the first list. */
  readonly keys: readonly string[]
  readonly value: GoValue | undefined
}

function describeValue({ root, name, keys, value }: ReadValue, explaining: Evaluating): TemplateInput {
  const { place, hiding } = explaining
  const isData = root === 'Data'
  const path = mapKeys(valueOfRoot(root, explaining), keys)
  const { from, over } = isData ? dataSources(place, path) : sourcesIn(layersUnder(root, explaining), path)
  const secrecy = explaining.isSecret ? 'whole' : isData ? secrecyInData(place, path) : 'none'
  return {
    kind: ROOT_KINDS[root].kind,
    name: hiding.text(name),
    ...shownUnless(secrecy === 'whole', value, hiding),
    ...originsOf(value === undefined ? { from: [], over: [] } : { from, over }, hiding),
    ...(value === undefined ? { message: 'has no value' } : {}),
    ...(value === undefined ? {} : explainWritten(from, { ...explaining, isSecret: secrecy !== 'none' })),
  }
}

function layersUnder(root: 'Facts' | 'Environ', { evaluation }: Evaluating): readonly Layer[] {
  return root === 'Facts' ? evaluation.origins.facts() : evaluation.origins.environ
}

/** Keys that lead through maps: a list is a whole value of a layer. */
function mapKeys(value: GoValue, keys: readonly string[]): readonly string[] {
  if (!isGoMap(value)) return []
  const map: DataMap = value
  const end = keys.findIndex((_, at) => !isGoMap(valueAt(map, keys.slice(0, at)) ?? null))
  return end < 0 ? keys : keys.slice(0, end)
}

function shownUnless(isSecret: boolean, value: GoValue | undefined, hiding: Hiding): Pick<TemplateInput, 'value'> {
  if (value === undefined) return {}
  return { value: isSecret ? hiding.hidden(value) : hiding.shown(value) }
}

function originsOf({ from, over }: Sources, { text }: Hiding): Pick<TemplateInput, 'from' | 'over'> {
  const named = ({ origin }: Source): Source['origin'] => ({ ...origin, name: text(origin.name) })
  return { from: from.map(named), ...(over.length === 0 ? {} : { over: over.map(named) }) }
}

/** Templates in the data that produced a value, with their inputs. */
function explainWritten(from: readonly Source[], explaining: Evaluating): Pick<TemplateInput, 'written' | 'inputs'> {
  const { hiding, isSecret } = explaining
  const written = from.flatMap((source) => source.written ?? [])
  const templates = written.map((each) => ({ ...each, reads: readsOfNode(each.node) }))
  const open = templates.filter(({ reads }) => reads.length > 0)
  if (open.length === 0) return {}
  const inputs = open.flatMap(({ reads, place, by }) => {
    const { evaluation } = place.document
    // While data is resolved, templates only see facts.
    const seen = by === 'data' ? reads.filter(isFact) : reads
    return explainReads(seen, { ...explaining, place, evaluation })
  })
  const [only, other] = open
  const isShown = only?.node.kind === 'scalar' && other === undefined && !isSecret
  return { ...(isShown ? { written: shownPlain(toPlainValue(only.node), hiding) } : {}), inputs }
}

function isFact(read: Read): boolean {
  if (read.kind === 'member') return read.root === 'Facts'
  return read.kind === 'lookup' && plainStart(read.path)[0] === 'facts'
}

function explainExistence(path: string, { evaluation, hiding, isSecret }: Evaluating): TemplateInput {
  const base = { kind: 'file', name: hiding.text(path), from: [] }
  const found = attempt(() => evaluation.environment.evaluate(`fileExists(${JSON.stringify(path)})`))
  if ('message' in found) return { ...base, message: hiding.text(found.message) }
  const message = found.value === true ? 'exists' : 'does not exist'
  return isSecret ? base : { ...base, message }
}

function explainFile({ use, path }: Extract<Read, { kind: 'file' }>, explaining: Evaluating): TemplateInput {
  const { evaluation, place, hiding, files = [] } = explaining
  const base = { kind: 'file', name: hiding.text(path), from: [] }
  const full = resolve(place.document.policy.workingDirectory, path)
  if (use === 'text' || files.includes(full)) return base
  let text: string
  try {
    text = evaluation.readFile(full, path.startsWith('/'))
  } catch (error) {
    return { ...base, message: hiding.text(error instanceof Error ? error.message : String(error)) }
  }
  const reads = use === 'jet' ? readsOfJet(text) : readsOfString(text)
  return { ...base, inputs: explainReads(reads, { ...explaining, files: [...files, full] }) }
}

function attempt(evaluate: () => GoValue): { readonly value: GoValue } | { readonly message: string } {
  try {
    return { value: evaluate() }
  } catch (error) {
    if (error instanceof TemplateError) return { message: headlineOf(error) }
    throw error
  }
}
