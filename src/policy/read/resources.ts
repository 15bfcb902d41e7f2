import { defined } from '../../model/defined.ts'
import type { Declaration } from '../../model/policy.ts'
import type { Violation } from '../../model/property.ts'
import { didYouMean } from '../../model/suggest.ts'
import { checkLiterals, checkValues, withSecretValues } from '../../resource-type/decode.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import { secretNames } from '../../resource-type/secret-properties.ts'
import { hideTexts } from '../secrets/redactor.ts'
import { secretTexts } from '../secrets/texts.ts'
import { expandText, markSecrets, readBody, type Reader, sensitiveBody, withDefaults } from './body.ts'
import { type Body, isSensitive, rawValue } from './written.ts'
import type { Unexpanded, Written } from './written.ts'
import { hasTemplate } from '../expand/has-template.ts'
import { readHealthChecks } from './health-checks.ts'
import { readRegistrations } from './registrations.ts'
import { errorAt, positionAt } from '../document/lines.ts'
import {
  asMap,
  entriesOf,
  itemsOf,
  member,
  textOf,
  textsOf,
  type TreeMember,
  type TreeNode,
  type TreeScalar,
} from '../document/tree.ts'

/** A reference to a resource, with its offset. */
export interface Reference {
  readonly text: string
  readonly offset: number
}

/** A resource before its references to others are resolved. */
export interface Draft {
  readonly declaration: Omit<Declaration, 'id' | 'require' | 'subscribe'>
  readonly offset: number
  readonly requires: readonly Reference[]
  readonly subscribes: readonly Reference[]
  readonly written: Written
}

/** Reads the list of resources. Skips errors that the schema has reported. */
export function readResources(reader: Reader, list: TreeNode | undefined): Draft[] {
  return itemsOf(list).flatMap((item) => {
    const entries = [...entriesOf(item)]
    const [name, entry] = entries[0] ?? []
    const type = reader.types.get(name ?? '')
    if (entries.length !== 1 || type === undefined || entry === undefined) return []
    return entry.value.kind === 'list'
      ? readListForm(reader, type, entry.value.items)
      : readDirectForm(reader, type, entry.value)
  })
}

function readDirectForm(reader: Reader, type: ResourceType, node: TreeNode): Draft[] {
  const nameNode = member(node, 'name')
  const name = textOf(nameNode)
  if (nameNode === undefined || name === undefined) return []
  return [readResource(reader, type, { name, offset: nameNode.offset, body: readBody(reader, type, asMap(node)) })]
}

function readListForm(reader: Reader, type: ResourceType, items: readonly TreeNode[]): Draft[] {
  const single = items.map(singleEntry).filter((entry) => entry !== undefined)
  const blocks = single.filter(([name]) => name === 'defaults').map(([, entry]) => entry)
  const defaults = readDefaults(reader, type, blocks)
  const [block] = blocks
  return single
    .filter(([name]) => name !== 'defaults')
    .map(([name, { keyOffset, value }]) => {
      const own = readBody(reader, type, asMap(value))
      checkNameInside(reader, name, own)
      const origins = block === undefined ? {} : { defaults: { offset: block.keyOffset, own } }
      return readResource(reader, type, { name, offset: keyOffset, body: withDefaults(defaults, own), ...origins })
    })
}

function singleEntry(item: TreeNode): [string, TreeMember] | undefined {
  const entries = [...entriesOf(item)]
  return entries.length === 1 ? entries[0] : undefined
}

function readDefaults(reader: Reader, type: ResourceType, blocks: readonly TreeMember[]): Body {
  const [first, second] = blocks
  if (second !== undefined) {
    reader.problems.push(errorAt(reader.source, second.keyOffset, 'a list of resources has one defaults block'))
  }
  const body = new Map(readBody(reader, type, asMap(first?.value)))
  body.delete('name')
  markSecrets(reader, type, body)
  // The defaults of a list are checked once, here, even if no resource uses them.
  const violations = checkValues(withSecrecy(type, body), valuesOf(type, body), hasTemplate)
  report(reader, first?.keyOffset ?? 0, body, violations)
  return body
}

function checkNameInside(reader: Reader, name: string, own: Body): void {
  const inside = own.get('name')?.value
  if (inside === undefined || textOf(inside) === name) return
  reader.problems.push(
    errorAt(reader.source, inside.offset, `the name inside differs from the key "${name}": remove one`),
  )
}

interface NamedBody extends Pick<Written, 'body' | 'defaults'> {
  readonly name: string
  readonly offset: number
}

function readResource(reader: Reader, type: ResourceType, named: NamedBody): Draft {
  const { name: written, offset, defaults } = named
  const { source } = reader
  const nameNode: TreeScalar = { kind: 'scalar', offset, text: written, value: written }
  const unexpanded: Unexpanded[] = []
  // A text that cannot be expanded stays as written; the resource fails when it is evaluated.
  const expandEarly = (property: Unexpanded['property'], node: TreeNode | undefined): string | undefined => {
    const text = textOf(node)
    if (text === undefined || node?.kind !== 'scalar') return undefined
    const expanded = expandText(reader, node)
    if (typeof expanded === 'string') return expanded
    unexpanded.push({ property, problem: expanded })
    return text
  }
  const name = expandEarly('name', nameNode) ?? written
  const body = type.secretWhen?.(name) === true ? sensitiveBody(named.body, offset) : named.body
  markSecrets(reader, type, body)
  const properties = valuesOf(type, body)
  properties['name'] = name
  const { violations, settled } = checkLiterals(withSecrecy(type, body), properties, hasTemplate)
  const secrets = secretNames(type, isSensitive(body) ? 'sensitive' : 'plain').flatMap((key) =>
    secretTexts(properties[key]),
  )
  const shown = violations.map(({ property, message }) => ({ property, message: hideTexts(message, secrets) }))
  report(reader, offset, body, shown)
  checkConfinement(reader, body)
  const alias = expandEarly('alias', body.get('alias')?.value)
  const provider = expandEarly('provider', checkProvider(reader, type, body))
  const checks = body.get('health_checks')
  const expand = (node: TreeNode | undefined): string | undefined => expandEarly('health_checks', node)
  const healthChecks =
    checks === undefined ? [] : readHealthChecks(reader, checks, { expand, isSensitive: isSensitive(body) })
  const registered = readRegistrations(reader, body.get('register_when_stable'))
  unexpanded.push(...registered.unexpanded)
  return {
    declaration: {
      type: type.type,
      name,
      ...defined({ alias }),
      properties,
      ...(settled === undefined || unexpanded.length > 0 ? {} : { settled }),
      ...defined({ provider }),
      ...readControl(reader, body),
      sensitive: isSensitive(body),
      ...(reader.madeOf.size === 0 ? {} : { madeOf: reader.madeOf }),
      ...(healthChecks.length === 0 ? {} : { healthChecks }),
      ...registered.entries,
      position: positionAt(source, offset),
    },
    offset,
    requires: textsOf(body.get('require')?.value),
    subscribes: readSubscriptions(reader, body),
    written: {
      name: nameNode,
      body,
      ...defined({ defaults }),
      ...(unexpanded[0] === undefined ? {} : { unexpanded: unexpanded[0] }),
    },
  }
}

function valuesOf(type: ResourceType, body: Body): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, { value }] of body) {
    const spec = Object.hasOwn(type.properties, name) ? type.properties[name] : undefined
    if (spec !== undefined) values[name] = rawValue(spec, value)
  }
  return values
}

function report({ source, problems }: Reader, offset: number, body: Body, violations: readonly Violation[]): void {
  for (const { property, message } of violations) {
    // In list form, the name of a resource is a key, which has the position of the resource.
    const place = property === undefined || property === 'name' ? undefined : body.get(property)
    problems.push(errorAt(source, place?.value.offset ?? offset, message))
  }
}

/** The value of a template is checked when the resource is evaluated. */
function checkConfinement({ source, problems, confine }: Reader, body: Body): void {
  const node = body.get('source')?.value
  const path = textOf(node)
  if (confine === undefined || node === undefined || path === undefined || hasTemplate(path)) return
  const refusal = confine(path)
  if (refusal !== undefined) problems.push(errorAt(source, node.offset, `source ${refusal}`))
}

function withSecrecy(type: ResourceType, body: Body): ResourceType {
  return isSensitive(body) ? withSecretValues(type) : type
}

function checkProvider(reader: Reader, type: ResourceType, body: Body): TreeNode | undefined {
  const node = body.get('provider')?.value
  const provider = textOf(node)
  if (node === undefined || provider === undefined || hasTemplate(provider)) return node
  const names = type.providers.map(({ name }) => name)
  if (names.includes(provider)) return node
  const message = `unknown provider "${provider}" of type ${type.type}${didYouMean(provider, names)}`
  reader.problems.push(errorAt(reader.source, node.offset, message))
  return node
}

function readControl({ problems, evaluation }: Reader, body: Body): Pick<Declaration, 'control'> {
  const node = body.get('control')?.value
  if (node === undefined) return {}
  const control: { if?: string; unless?: string } = {}
  for (const key of ['if', 'unless'] as const) {
    const expression = member(node, key)
    const text = textOf(expression)
    if (expression?.kind !== 'scalar' || text === undefined) continue
    // A syntax error in an expression is an error of the policy on every machine.
    const problem = evaluation?.syntaxProblem(expression)
    if (problem !== undefined) problems.push(problem)
    control[key] = text
  }
  return { control }
}

/** Unlike requirements, subscriptions may contain templates. */
function readSubscriptions(reader: Reader, body: Body): Reference[] {
  return itemsOf(body.get('subscribe')?.value).flatMap((node) => {
    if (node.kind !== 'scalar' || textOf(node) === undefined) return []
    const text = expandText(reader, node)
    if (typeof text === 'string') return [{ text, offset: node.offset }]
    reader.problems.push(text)
    return []
  })
}
