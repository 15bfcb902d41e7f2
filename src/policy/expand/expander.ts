import { isSilence } from '../../host/live/system-error.ts'
import { defined } from '../../model/defined.ts'
import type { ExportedValues, Exported, ExportRead } from '../../model/exported.ts'
import type { Declaration, Origin } from '../../model/policy.ts'
import type { Position, Problem } from '../../model/problem.ts'
import type { PropertySpec } from '../../model/property.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import { getJson, exists, toGoValue } from '../../templates/gjson/index.ts'
import { toPlain, encodeGoJson, fromPlain, guardedMap, type GoValue } from '../../templates/govalue/index.ts'
import type { SourceText } from '../document/lines.ts'
import { positionInScalar } from '../document/text-position.ts'
import { member, type TreeNode, type TreeScalar } from '../document/tree.ts'
import { memberSpec, rawValue, type Written, type ResolvedRead } from '../read/written.ts'
import type { ControlOutcome, EvaluationFailure, Expander, Expansion } from '../runnable/policy.ts'
import {
  expandString,
  expandTyped,
  isForbidden,
  missingValueIn,
  type TemplateEnvironment,
  TemplateError,
  MissingValueError,
  type ResourceValues,
} from '../template/index.ts'
import type { ReadLog } from '../template/read-log.ts'
import { hasTemplate } from './has-template.ts'
import { headlineIn, headlineOf } from './template-error.ts'

export interface ExpanderParts {
  readonly source: SourceText
  readonly environment: TemplateEnvironment
  readonly reads: ReadLog
  readonly types: ReadonlyMap<string, ResourceType>
  /** The resources with templates or conditions, by id. */
  readonly bodies: ReadonlyMap<string, Written>
}

/** Evaluates conditions and templates of resources on demand, each exactly once. */
export function createExpander(parts: ExpanderParts): Expander {
  return {
    control: (declaration, exported) =>
      declaration.control === undefined
        ? MANAGED
        : withReads(declaration, { parts, exported }, () => evaluateControl(declaration, parts)),
    expand: (declaration, exported) =>
      withReads(declaration, { parts, exported }, () => expandDeclaration(declaration, parts)),
  }
}

const MANAGED: ControlOutcome = { kind: 'managed' }

interface Seen {
  readonly parts: ExpanderParts
  readonly exported: ExportedValues | undefined
}

/** Evaluates with access to the exported values that the resource reads. */
function withReads<Result>({ id }: Declaration, { parts, exported }: Seen, evaluate: () => Result): Result {
  const reads = parts.bodies.get(id)?.reads
  return reads === undefined ? evaluate() : parts.environment.withResources(resourceValues(reads, exported), evaluate)
}

function evaluateControl({ id, control, sensitive }: Declaration, parts: ExpanderParts): ControlOutcome {
  if (control === undefined) return MANAGED
  const node = parts.bodies.get(id)?.body.get('control')?.value
  // `unless` is not evaluated if `if` excludes the resource.
  for (const [key, ruling] of [
    ['if', false],
    ['unless', true],
  ] as const) {
    const expression = control[key]
    if (expression === undefined) continue
    try {
      const outcome = parts.environment.evaluateCondition(expression)
      const written = sensitive ? '' : `: ${expression}`
      if (outcome === ruling) return { kind: 'not-managed', because: `control.${key} is ${ruling}${written}` }
    } catch (error) {
      const scalar = member(node, key)
      return failure(`control.${key}: ${locateError(error, parts.source, scalar)}`, error)
    }
  }
  return MANAGED
}

function expandDeclaration({ id, type, properties }: Declaration, parts: ExpanderParts): Expansion {
  const evaluable = parts.bodies.get(id)
  const specs = parts.types.get(type)?.properties
  if (evaluable === undefined || specs === undefined) return { kind: 'expanded', properties }
  const { body, unexpanded } = evaluable
  if (unexpanded !== undefined) {
    const { property, problem } = unexpanded
    const reason = problem.isUnread === true ? ({ reason: 'not-observable' } as const) : {}
    return {
      kind: 'failed',
      message: `${property}: ${inOneLine(problem)}`,
      ...reason,
      ...defined({ needs: problem.needs }),
    }
  }
  const expanded: Record<string, unknown> = { ...properties }
  const origins = new Map<string, ReadonlySet<Origin>>()
  for (const [name, { value }] of body) {
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined
    if (spec === undefined || spec.phase === 'never' || name === 'name') continue
    try {
      const traced = parts.reads.during(() => expandValue(spec, value, parts))
      expanded[name] = traced.result
      if (traced.origins.size > 0) origins.set(name, traced.origins)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return failure(`${name}: ${error.message}`, error)
    }
  }
  return {
    kind: 'expanded',
    properties: expanded,
    ...(origins.size === 0 ? {} : { origins }),
  }
}

function failure(message: string, error: unknown): EvaluationFailure {
  if (isSilence(error)) return { kind: 'failed', message, reason: 'timeout' }
  if (isForbidden(error)) return { kind: 'failed', message, reason: 'not-observable' }
  const { resource: blockedBy, certainty, needs } = missingValueIn(error) ?? {}
  if (blockedBy !== undefined) return { kind: 'failed', message, blockedBy }
  if (certainty !== 'unknown') return { kind: 'failed', message }
  return { kind: 'failed', message, reason: 'not-observable', ...defined({ needs }) }
}

/** A failed template in a nested value; its message includes the position. */
class Failure extends Error {}

function expandValue(spec: PropertySpec, node: TreeNode, parts: ExpanderParts): unknown {
  if (node.kind === 'scalar') return expandScalar(spec, node, parts)
  if (node.kind === 'list') {
    const items = spec.kind === 'list' ? spec.items : spec
    return node.items.map((item) => expandValue(items, item, parts))
  }
  const map: Record<string, unknown> = Object.create(null)
  for (const [key, { value }] of node.entries) map[key] = expandValue(memberSpec(spec, key), value, parts)
  return map
}

/** Text is printed; for other kinds, a template that is a single expression keeps the type of its value. */
function expandScalar(spec: PropertySpec, node: TreeScalar, parts: ExpanderParts): unknown {
  if (typeof node.value !== 'string' || !hasTemplate(node.value)) return rawValue(spec, node)
  const { environment, source } = parts
  try {
    return spec.kind === 'text' ? expandString(node.value, environment) : toPlain(expandTyped(node.value, environment))
  } catch (error) {
    throw new Failure(locateError(error, source, node), { cause: error })
  }
}

/** The message of a failed template with its position. */
function locateError(error: unknown, source: SourceText, node: TreeNode | undefined): string {
  if (!(error instanceof TemplateError)) throw error
  return node?.kind === 'scalar'
    ? `${formatPlace(positionInScalar(source, node, error.offset ?? 0))} ${headlineIn(source, node, error)}`
    : headlineOf(error)
}

function inOneLine({ position, message }: Problem): string {
  return position === undefined ? message : `${formatPlace(position)} ${message}`
}

function formatPlace({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`
}

/** The exported values of every resource outside of a scan. */
const NOT_SCANNING: Exported = { kind: 'unknown', because: 'is known only in a scan' }

/**
 * The exported values that a resource reads, in the form its templates see them. A missing value is an error at
 * evaluation, so that a condition can guard against it.
 */
function resourceValues(reads: readonly ResolvedRead[], exported: ExportedValues = () => NOT_SCANNING): ResourceValues {
  const byName = new Map<string, Map<string, ResolvedRead>>()
  const byPath = new Map<string, ResolvedRead>()
  for (const read of reads) {
    if (read.written.kind === 'path') byPath.set(read.written.path, read)
    else byName.set(read.written.name, (byName.get(read.written.name) ?? new Map()).set(read.field, read))
  }
  const fieldsOf = (fields: ReadonlyMap<string, ResolvedRead>): GoValue =>
    guardedMap(valuesOf(fields.values(), exported), (field) => {
      const read = typeof field === 'string' ? fields.get(field) : undefined
      throw read === undefined ? notRead() : missingValueError(read, exported(read.resource))
    })
  const resources = [...byName].map(([name, fields]): [string, GoValue] => [name, fieldsOf(fields)])
  return {
    variable: guardedMap(resources, () => {
      throw notRead()
    }),
    find(path) {
      const read = byPath.get(path)
      if (read === undefined) throw notRead()
      const value = valueOf(read, exported(read.resource))
      if (value === undefined) throw missingValueError(read, exported(read.resource))
      return read.written.kind === 'path' ? valueAt(value, read.written.rest) : value
    },
  }
}

function valuesOf(reads: Iterable<ResolvedRead>, exported: ExportedValues): readonly [string, GoValue][] {
  return [...reads].flatMap((read): [string, GoValue][] => {
    const value = valueOf(read, exported(read.resource))
    return value === undefined ? [] : [[read.field, value]]
  })
}

function valueOf({ field }: ExportRead, exported: Exported): GoValue | undefined {
  if (exported.kind !== 'known' || !Object.hasOwn(exported.values, field)) return undefined
  return fromPlain(exported.values[field])
}

/** The part of a value that the rest of a path selects; without a rest, the value with its type. */
function valueAt(value: GoValue, rest: string): GoValue | undefined {
  if (rest === '') return value
  const result = getJson(encodeGoJson(value), rest.slice(1))
  if (result.exhausted) throw new TemplateError('the lookup path is too expensive')
  return exists(result) ? toGoValue(result) : undefined
}

function missingValueError({ resource, field }: ExportRead, { kind, because }: Exported): MissingValueError {
  return new MissingValueError(`it reads ${field} of ${resource}, which ${because}`, {
    resource,
    certainty: kind === 'unknown' ? 'unknown' : 'none',
  })
}

/** A template in another file, or one built at run time, can read only the values that the text of the resource reads. */
function notRead(): TemplateError {
  return new TemplateError('a value of another resource must also be read in the text of the resource itself')
}
