import { parseDuration } from '../../model/duration.ts'
import { defined } from '../../model/defined.ts'
import { REGISTERED_NAME, type Registration } from '../../model/registration.ts'
import { errorAt } from '../document/lines.ts'
import { entriesOf, isGiven, itemsOf, member, type TreeMember, type TreeNode } from '../document/tree.ts'
import { parseIp } from '../../model/ip-address.ts'
import { hasTemplate } from '../expand/has-template.ts'
import type { TextProblem } from '../expand/template-error.ts'
import { expandText, type Reader } from './body.ts'
import type { Unexpanded } from './written.ts'

/** The registrations of a resource, and why they are unknown if a template fails. */
interface ReadRegistrations {
  readonly entries: { readonly registrations?: readonly Registration[] }
  /** Prevents the evaluation of the resource on this machine. */
  readonly unexpanded: readonly Unexpanded[]
}

const UNREGISTERED: ReadRegistrations = { entries: {}, unexpanded: [] }

/** Reads the registrations of a resource, which the schema has already checked. */
export function readRegistrations(reader: Reader, written: TreeMember | undefined): ReadRegistrations {
  if (written === undefined) return UNREGISTERED
  const problems: TextProblem[] = []
  const registrations = itemsOf(written.value).flatMap((node) => readEntry({ reader, node, problems }))
  return {
    entries: registrations.length === 0 ? {} : { registrations },
    unexpanded: problems.map((problem) => ({ property: 'register_when_stable', problem })),
  }
}

interface Reading {
  readonly reader: Reader
  readonly node: TreeNode
  readonly problems: TextProblem[]
}

function readEntry(reading: Reading): readonly Registration[] {
  const [cluster, service, protocol] = [name(reading, 'cluster'), name(reading, 'service'), name(reading, 'protocol')]
  const [port, priority] = [number(reading, 'port', 65_535), number(reading, 'priority', 255)]
  const address = addressIn(reading)
  const ttl = ttlIn(reading)
  const annotations = annotationsIn(reading)
  const isKnown = cluster && service && protocol && address !== undefined && port && priority && annotations
  if (!isKnown || ttl === null) return []
  return [{ cluster, service, protocol, address, port, priority, annotations, ...defined({ ttl }) }]
}

/** A text of an entry; undefined if missing or unknown. */
function text({ reader, node, problems }: Reading, key: string): string | undefined {
  const scalar = member(node, key)
  return scalar === undefined ? undefined : expandName({ reader, node: scalar, problems })
}

function expandName({ reader, node, problems }: Reading): string | undefined {
  if (node.kind !== 'scalar' || !isGiven(node)) return undefined
  // Without an evaluation the templates remain.
  if (reader.evaluation === undefined && hasTemplate(node.text)) return undefined
  const given = expandText(reader, node)
  if (typeof given === 'string') return given
  problems.push(given)
  return undefined
}

/** Reports a problem: a literal value is a problem of the policy, a template's value one of the resource on this machine. */
function refuse({ reader, node, problems }: Reading, key: string, wish: string): undefined {
  const written = member(node, key) ?? node
  const isMade = written.kind === 'scalar' && hasTemplate(written.text)
  // The value of a template may be secret, so it is not quoted.
  const problem = errorAt(reader.source, written.offset, `${key} must be ${wish}${isMade ? NOT_GIVEN : ''}`)
  if (isMade) problems.push(problem)
  else reader.problems.push(problem)
}

const NOT_GIVEN = ', and its template returns something else'

function name(reading: Reading, key: string): string | undefined {
  const given = text(reading, key)
  if (given === undefined || REGISTERED_NAME.test(given)) return given
  return isMade(reading, key) ? refuse(reading, key, NAME) : undefined
}

const NAME = 'a name of letters, digits, _ and - that starts with a letter'

function number(reading: Reading, key: string, most: number): number | undefined {
  const given = text(reading, key)
  if (given === undefined) return undefined
  const value = /^\d+$/.test(given) ? Number(given) : 0
  if (value >= 1 && value <= most) return value
  return isMade(reading, key) ? refuse(reading, key, `a whole number between 1 and ${most}`) : undefined
}

/** Whether the value comes from a template; literal values are checked by the schema. */
function isMade({ node }: Reading, key: string): boolean {
  const written = member(node, key)
  return written?.kind === 'scalar' && hasTemplate(written.text)
}

const HOST_NAME = /^(?=.{1,253}$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i

/** CCM's documentation allows host names, its implementation does not. */
function addressIn(reading: Reading): string | undefined {
  const given = text(reading, 'address')
  if (given === undefined || parseIp(given) !== undefined) return given
  // A misspelt address looks like a host name.
  if (!HOST_NAME.test(given) || /^[\d.]+$/.test(given)) return refuse(reading, 'address', 'an IP address')
  const { reader, node } = reading
  const offset = member(node, 'address')?.offset ?? node.offset
  const message = 'address is a host name: driftgate registers it, but CCM registers only IP addresses'
  reader.problems.push({ ...errorAt(reader.source, offset, message), severity: 'warning' })
  return given
}

/** The server has a resolution of seconds and supports Go's units; null if invalid. */
function ttlIn(reading: Reading): string | null | undefined {
  const given = text(reading, 'ttl')
  if (given === undefined || given === 'never') return given
  const milliseconds = parseDuration(given) ?? 0
  if (milliseconds >= 1000) return /[dwMy]/i.test(given.replaceAll(/ms?/g, '')) ? `${milliseconds / 1000}s` : given
  refuse(reading, 'ttl', 'a duration of at least a second, such as 10m, or "never"')
  return null
}

function annotationsIn(reading: Reading): Readonly<Record<string, string>> | undefined {
  const { reader, node, problems } = reading
  const entries = [...entriesOf(member(node, 'annotations'))].map(
    ([key, { value }]) => [key, isGiven(value) ? expandName({ reader, node: value, problems }) : ''] as const,
  )
  return entries.every((entry): entry is readonly [string, string] => entry[1] !== undefined)
    ? Object.fromEntries(entries)
    : undefined
}
