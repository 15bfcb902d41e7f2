import { posix } from 'node:path'
import { restrictionBehind } from '../../../host/mount-options.ts'
import type { GossResource } from '../../../subjects/goss/files/read.ts'
import type { GossContent } from '../../../subjects/goss/files/resource.ts'

type Properties = Readonly<Record<string, unknown>>

export interface Part {
  readonly type: string
  readonly name: string
  readonly properties: Properties
}

/** Translation of a Goss resource. `rest` are the attributes that only type `goss` can express, with the reason. */
export interface Translation {
  readonly part?: Part
  readonly rest: readonly string[]
  readonly why?: string
}

/** Translates a resource to an equivalent one that a fix can remediate, as far as possible. */
export function translate(resource: GossResource): Translation {
  const own = TYPES[resource.type]?.(wantedOf(resource), resource)
  const all = resource.assertions.map(({ attribute }) => attribute)
  if (own === undefined || typeof own === 'string') {
    return { rest: all, why: own ?? `no resource type with a fix is equivalent to ${resource.type}` }
  }
  const { part, said } = own
  const rest = all.filter((attribute) => !said.includes(attribute))
  return rest.length === 0 ? { part, rest } : { part, rest, why: `only goss compares ${rest.join(', ')} this way` }
}

type Desired = Readonly<Record<string, GossContent | undefined>>

interface Native {
  readonly part: Part
  /** Attributes that it covers. */
  readonly said: readonly string[]
}

type Rule = (wanted: Desired, resource: GossResource) => Native | string

const TYPES: Readonly<Partial<Record<GossResource['type'], Rule>>> = {
  file(wanted, { id }) {
    if (!id.startsWith('/')) return 'its path is not absolute'
    const name = canonicalPath(id)
    if (wanted['exists'] === false) return native({ type: 'file', name, properties: { ensure: 'absent' } }, ['exists'])
    const kind =
      wanted['filetype'] === 'file' ? 'present' : wanted['filetype'] === 'directory' ? 'directory' : undefined
    if (wanted['exists'] !== true || kind === undefined) return 'it does not require a regular file or a directory'
    const { properties, said } = collect(wanted, { mode, owner: account, group: account })
    // A policy follows links, and compares the mode of a directory without the set-id and sticky bits.
    const compared = kind === 'directory' ? said.filter((attribute) => attribute !== 'mode') : said
    return native({ type: 'file', name, properties: { ensure: kind, ...properties, if_absent: 'drift' } }, [
      ...compared,
      'exists',
    ])
  },
  package(wanted, { id }) {
    if (typeof wanted['installed'] !== 'boolean') return 'it does not set installed'
    return native({ type: 'package', name: id, properties: { ensure: wanted['installed'] ? 'present' : 'absent' } }, [
      'installed',
    ])
  },
  service(wanted, { id }) {
    const { running, enabled } = wanted
    if (typeof running !== 'boolean') return 'it does not set running, which the type service always compares'
    const enable = typeof enabled === 'boolean' ? { enable: enabled } : {}
    return native({ type: 'service', name: id, properties: { ensure: running ? 'running' : 'stopped', ...enable } }, [
      'running',
      ...(typeof enabled === 'boolean' ? ['enabled'] : []),
    ])
  },
  user(wanted, { id }) {
    if (wanted['exists'] === false)
      return native({ type: 'user', name: id, properties: { ensure: 'absent' } }, ['exists'])
    if (wanted['exists'] !== true) return 'it does not set exists'
    const { properties, said } = collect(wanted, { uid: number, home: translateText, shell: translateText })
    const group = typeof wanted['gid'] === 'number' ? { group: `${wanted['gid']}` } : {}
    return native({ type: 'user', name: id, properties: { ...properties, ...group } }, [
      ...said,
      'exists',
      ...('group' in group ? ['gid'] : []),
    ])
  },
  group(wanted, { id }) {
    if (wanted['exists'] === false)
      return native({ type: 'group', name: id, properties: { ensure: 'absent' } }, ['exists'])
    if (wanted['exists'] !== true) return 'it does not set exists'
    const { properties, said } = collect(wanted, { gid: number })
    return native({ type: 'group', name: id, properties }, [...said, 'exists'])
  },
  mount(wanted, { id }) {
    if (wanted['exists'] !== true) return 'a fix does not unmount'
    const options = (value: GossContent): unknown =>
      texts(value)?.every((word) => restrictionBehind(word) === undefined) === true ? { includes: value } : undefined
    const { properties, said } = collect(wanted, { opts: options, source: translateText, filesystem: translateText })
    const { opts, source, filesystem } = properties as Record<string, unknown>
    const named = Object.entries({ options: opts, device: source, fstype: filesystem }).filter(
      ([, value]) => value !== undefined,
    )
    return native({ type: 'mount', name: id, properties: Object.fromEntries(named) }, [...said, 'exists'])
  },
  'kernel-param'(wanted, { id }) {
    const { properties, said } = collect(wanted, { value: parameter })
    if (said.length === 0) return 'only goss compares its value this way'
    return native({ type: 'sysctl', name: id, properties }, said)
  },
  process(wanted) {
    if (typeof wanted['running'] !== 'boolean') return 'it does not set running'
    // The kernel's process name can differ from the name of its program.
    return 'the type process matches the program, Goss the process name of the kernel'
  },
  command: () => 'only goss runs commands in the environment and directory of the scan',
}

function native(part: Part, said: readonly string[]): Native {
  return { part, said }
}

function wantedOf({ assertions }: GossResource): Desired {
  return Object.fromEntries(assertions.map(({ attribute, written }) => [attribute, written]))
}

/** Converts the attributes that have an equivalent. */
function collect(
  wanted: Desired,
  rules: Readonly<Record<string, (value: GossContent) => unknown>>,
): { readonly properties: Properties; readonly said: readonly string[] } {
  const found = Object.entries(rules).flatMap(([attribute, rule]): [string, unknown][] => {
    const written = wanted[attribute]
    const value = written === undefined ? undefined : rule(written)
    return value === undefined ? [] : [[attribute, value]]
  })
  return { properties: Object.fromEntries(found), said: found.map(([attribute]) => attribute) }
}

/** Normalized as Goss and the kernel do. */
function canonicalPath(path: string): string {
  return posix.normalize(path).replace(/(?<=[^/])\/$/, '')
}

/** Four-digit mode as Goss compares it, without set-id and sticky bits, which a policy does not set. */
function mode(value: GossContent): unknown {
  return areTexts(value, /^0[0-7]{3}$/) ? translateText(value) : undefined
}

/** An account name; Goss compares a number as a name, a policy as an id. */
function account(value: GossContent): unknown {
  return areTexts(value, /\D/) ? translateText(value) : undefined
}

/** True if all texts in a value match. */
function areTexts(value: GossContent, pattern: RegExp): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every((each) => areTexts(each, pattern))
  return typeof value === 'string' && pattern.test(value)
}

/** A text, its negation, or alternatives. */
function translateText(value: GossContent): unknown {
  if (typeof value === 'string') return value
  const [word, operand] = singleEntry(value)
  if (word === 'equal' && typeof operand === 'string') return operand
  if (word === 'not' && typeof operand === 'string') return { not: operand }
  return word === 'or' && texts(operand) !== undefined ? { one_of: operand } : undefined
}

/** An integer or bounds. */
function number(value: GossContent): unknown {
  if (typeof value === 'number') return value
  const [word, operand] = singleEntry(value)
  if (word === 'and' && Array.isArray(operand)) {
    const bounds = operand.map((each: GossContent) => translateBound(singleEntry(each)))
    return bounds.every((each) => each !== undefined) ? Object.assign({}, ...bounds) : undefined
  }
  if (word === 'or' && Array.isArray(operand) && operand.every((each) => typeof each === 'number'))
    return { one_of: operand }
  if (word === 'not' && typeof operand === 'number') return { not: operand }
  return translateBound([word, operand])
}

function translateBound([word, operand]: readonly [string | undefined, GossContent]):
  Record<string, number> | undefined {
  if (typeof operand !== 'number' || !Number.isSafeInteger(operand)) return undefined
  if (word === 'ge') return { at_least: operand }
  if (word === 'gt') return { at_least: operand + 1 }
  if (word === 'le') return { at_most: operand }
  return word === 'lt' ? { at_most: operand - 1 } : undefined
}

/** Kernel parameters are texts, even if numeric. */
function parameter(value: GossContent): unknown {
  const text = translateText(value)
  // The kernel separates fields with tabs, which type sysctl ignores.
  if (text !== undefined) return text
  const found = number(value)
  return typeof found === 'number' ? `${found}` : typeof found === 'object' ? textual(found) : undefined
}

function textual(acceptance: object | null): unknown {
  return Object.fromEntries(
    Object.entries(acceptance ?? {}).map(([word, operand]) => [
      word,
      Array.isArray(operand) ? operand.map(String) : String(operand),
    ]),
  )
}

function singleEntry(value: GossContent): readonly [string | undefined, GossContent] {
  const [entry, other] =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  return entry === undefined || other !== undefined ? [undefined, null] : entry
}

function texts(value: GossContent): readonly string[] | undefined {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string') ? value : undefined
}
