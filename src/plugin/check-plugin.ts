import type { PluginFacts } from '../policy/facts/define-facts.ts'
import type { PluginSurface } from '../subjects/settings/define-surface.ts'
import { didYouMean } from '../model/suggest.ts'
import type { PropertySpec } from '../model/property.ts'
import type { ReportFormat } from '../report/format.ts'
import { brandOf, KNOWN_API_VERSIONS, type Part, PLUGIN_API_VERSION, PLUGIN_NAME } from '../resource-type/brand.ts'
import type { ResourceType } from '../resource-type/define.ts'
import { USES } from '../resource-type/definition.ts'
import type { Plugin } from './define-plugin.ts'

/** The extensions of all loaded plugins. */
export interface Extensions {
  /** Notes for the author of a plugin, one sentence each. */
  readonly notes?: readonly string[]
  readonly types: readonly ResourceType[]
  readonly reportFormats: readonly ReportFormat[]
  /** Facts in addition to those that ship. */
  readonly facts: readonly PluginFacts[]
}

export interface PluginParts extends Extensions {
  readonly surfaces: readonly PluginSurface[]
}

/** Names in use, each with its owner. */
export interface Taken {
  readonly types: ReadonlyMap<string, string>
  readonly reportFormats: ReadonlyMap<string, string>
  readonly fileNames: ReadonlyMap<string, string>
  readonly surfaces: ReadonlyMap<string, string>
  readonly facts: ReadonlyMap<string, string>
}

const LISTS = ['types', 'reportFormats', 'surfaces', 'facts'] as const
/** The first version that requires types to declare what they use. */
const USES_SINCE = 2

const MEMBERS = ['apiVersion', ...LISTS]

// Names that policies, selections and reports can write without quoting or ambiguity.
const FORMAT_NAME = /^[a-z][a-z0-9-]*$/
const FILE_NAME = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/
const LONGEST_NAME = 64

/**
 * The plugin that a module exports, or all its problems, each as a sentence about the plugin. The module is foreign
 * code, so everything is validated.
 */
export function checkPlugin(module: object, taken: Taken): PluginParts | { readonly problems: readonly string[] } {
  const plugin: unknown = Reflect.get(module, 'plugin')
  if (plugin === undefined) return { problems: [noExport(module)] }
  if (typeof plugin !== 'object' || plugin === null) return { problems: ['its export `plugin` is not an object'] }
  const version: unknown = Reflect.get(plugin, 'apiVersion')
  if (!isKnown(version)) return { problems: [otherVersion('it is', version)] }
  const members = plugin as Partial<Record<keyof Plugin, unknown>>
  const problems = Object.keys(plugin)
    .filter((name) => !MEMBERS.includes(name))
    .map((name) => `"${name}" is not a member of a plugin${didYouMean(name, MEMBERS)}`)
  const lists = LISTS.map((name) => ({ name, list: members[name] ?? [] }))
  const wrong = lists.filter(({ list }) => !Array.isArray(list))
  problems.push(...wrong.map(({ name }) => `its \`${name}\` are not a list`))
  if (wrong.length > 0) return { problems }
  // These are lists; their items are checked next.
  const { types = [], reportFormats = [], surfaces = [], facts = [] } = members as Partial<PluginParts>
  problems.push(
    ...typeProblems(types, { taken: taken.types, mustDeclareUses: version >= USES_SINCE }),
    ...formatProblems(reportFormats, taken),
    ...madeProblems('surfaces', surfaces, { part: 'surface', maker: 'defineSurface', taken: taken.surfaces }),
    ...madeProblems('facts', facts, { part: 'facts', maker: 'defineFacts', taken: taken.facts }),
  )
  if (problems.length > 0) return { problems }
  const notes = version === PLUGIN_API_VERSION ? [] : [oldVersion(version)]
  return { types, reportFormats, surfaces, facts, notes }
}

interface PartRules {
  readonly part: Part
  readonly maker: string
  readonly taken: ReadonlyMap<string, string>
}

/** Problems of parts that their maker has checked: another maker, or a duplicate name. */
function madeProblems(
  what: string,
  parts: readonly { readonly name: string }[],
  { part, maker, taken }: PartRules,
): string[] {
  const seen = new Map(taken)
  return parts.flatMap((each, index) => {
    const version = brandOf(each, part)
    if (version === undefined) return [`${what}[${index}] was not made by ${maker}`]
    if (!isKnown(version)) return [otherVersion(`${what}[${index}] is`, version)]
    const owner = seen.get(each.name)
    seen.set(each.name, owner ?? 'it')
    if (owner === undefined) return []
    return [
      owner === 'it'
        ? `it has ${what} called "${each.name}" twice`
        : `"${each.name}" of its ${what} is already taken by ${owner}`,
    ]
  })
}

function isKnown(version: unknown): version is (typeof KNOWN_API_VERSIONS)[number] {
  return KNOWN_API_VERSIONS.some((known) => known === version)
}

function noExport(module: object): string {
  const names = Object.keys(module)
  const found = names.length === 0 ? 'nothing' : `only ${names.join(', ')}`
  return `it exports ${found}, but no "plugin": export const plugin = definePlugin({ ... })`
}

function oldVersion(version: number): string {
  return `is written for version ${version} of the plugin API, which the next minor version refuses: declare uses of the types, and set apiVersion: ${PLUGIN_API_VERSION}`
}

function otherVersion(subject: string, version: unknown): string {
  const made =
    version === undefined ? 'has no apiVersion' : `has the apiVersion ${JSON.stringify(version) ?? 'undefined'}`
  return version === undefined || typeof version !== 'number'
    ? `it ${made}; this driftgate has ${PLUGIN_API_VERSION}`
    : `${subject} written for version ${version} of the plugin API; this driftgate has ${PLUGIN_API_VERSION}`
}

interface TypeChecks {
  readonly taken: ReadonlyMap<string, string>
  readonly mustDeclareUses: boolean
}

function typeProblems(types: readonly unknown[], { taken, mustDeclareUses }: TypeChecks): string[] {
  const seen = new Map(taken)
  return types.flatMap((type, index) => {
    const version = brandOf(type, 'resource-type')
    if (version === undefined) return [`types[${index}] was not made by defineResource`]
    if (!isKnown(version)) return [otherVersion(`types[${index}] is`, version)]
    // `defineResource` of this version made the type, so its shape is valid.
    const { type: name, properties, uses } = type as ResourceType
    return [
      ...(mustDeclareUses && uses === undefined
        ? [`type "${name}" has no uses: add a list of ${USES.join(', ')}`]
        : []),
      ...nameProblems('type', name, { shape: PLUGIN_NAME, seen }),
      ...Object.entries(properties).flatMap(([property, spec]) => patternProblems(name, property, spec)),
    ]
  })
}

function formatProblems(formats: readonly unknown[], { reportFormats, fileNames }: Taken): string[] {
  const seen = new Map(reportFormats)
  const seenFiles = new Map(fileNames)
  return formats.flatMap((format, index) => {
    const members = typeof format === 'object' && format !== null ? format : {}
    const { name, summary, fileName, render } = members as Partial<Record<keyof ReportFormat, unknown>>
    if (typeof render !== 'function' || typeof summary !== 'string' || typeof name !== 'string') {
      return [`reportFormats[${index}] is not a report format: it needs a name, a summary and a render function`]
    }
    return [
      ...nameProblems('report format', name, { shape: FORMAT_NAME, seen }),
      ...(fileName === undefined ? [] : nameProblems('report file', fileName, { shape: FILE_NAME, seen: seenFiles })),
    ]
  })
}

interface Names {
  readonly shape: RegExp
  /** Names in use with their owner; checked names are added. */
  readonly seen: Map<string, string>
}

/** Whether a plugin may use this type name. */
export function isTypeName(name: string): boolean {
  return PLUGIN_NAME.test(name) && name.length <= LONGEST_NAME
}

function nameProblems(what: string, name: unknown, { shape, seen }: Names): string[] {
  if (typeof name !== 'string' || !shape.test(name) || name.length > LONGEST_NAME) {
    return [`${JSON.stringify(name) ?? 'undefined'} cannot be the name of a ${what}: ${WORDS[what] ?? ''}`]
  }
  const owner = seen.get(name)
  seen.set(name, owner ?? 'it')
  if (owner === undefined) return []
  return [owner === 'it' ? `it has the ${what} "${name}" twice` : `the ${what} "${name}" is already taken by ${owner}`]
}

const WORDS: Readonly<Record<string, string>> = {
  type: 'it must be two or more words of a-z, 0-9, _ and - that start with a letter, separated by dots, such as "file.owner"',
  'report format': 'it must be a word of a-z, 0-9 and - that starts with a letter',
  'report file': 'it must be a word of letters, digits, ".", "_" and "-" that starts with a letter or digit',
}

function patternProblems(type: string, property: string, spec: PropertySpec): string[] {
  if (spec.kind === 'list') return patternProblems(type, property, spec.items)
  if (spec.kind === 'map') return patternProblems(type, property, spec.values)
  if (spec.kind !== 'text' || spec.pattern === undefined) return []
  try {
    RegExp(`^(?:${spec.pattern.expression})$`, 'u')
    return []
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [`the pattern of property "${property}" of type "${type}" is not a regular expression: ${reason}`]
  }
}
