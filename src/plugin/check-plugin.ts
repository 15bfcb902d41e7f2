import { didYouMean } from '../model/suggest.ts'
import type { PropertySpec } from '../model/property.ts'
import type { ReportFormat } from '../report/format.ts'
import { brandOf, PLUGIN_API_VERSION } from '../resource-type/brand.ts'
import type { ResourceType } from '../resource-type/define.ts'
import type { Plugin } from './define-plugin.ts'

/** What driftgate works with once its plugins are loaded. */
export interface Extensions {
  readonly types: readonly ResourceType[]
  readonly reportFormats: readonly ReportFormat[]
}

/** Names that are taken, each with who has it. */
export interface Taken {
  readonly types: ReadonlyMap<string, string>
  readonly reportFormats: ReadonlyMap<string, string>
  readonly fileNames: ReadonlyMap<string, string>
}

const MEMBERS = ['apiVersion', 'types', 'reportFormats']

// What policies, selections and reports can write without quoting or ambiguity.
const TYPE_NAME = /^[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)*$/
const FORMAT_NAME = /^[a-z][a-z0-9-]*$/
const FILE_NAME = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/
const LONGEST_NAME = 64

/**
 * The plugin that a module exports, or everything that is wrong with it, each as a sentence about the plugin. The module
 * is code of another user, so nothing is believed of it.
 */
export function checkPlugin(module: object, taken: Taken): Extensions | { readonly problems: readonly string[] } {
  const plugin: unknown = Reflect.get(module, 'plugin')
  if (plugin === undefined) return { problems: [noExport(module)] }
  if (typeof plugin !== 'object' || plugin === null) return { problems: ['its export `plugin` is no object'] }
  const version: unknown = Reflect.get(plugin, 'apiVersion')
  if (version !== PLUGIN_API_VERSION) return { problems: [otherVersion('it is', version)] }
  const { types = [], reportFormats = [] } = plugin as Partial<Record<keyof Plugin, unknown>>
  const problems = Object.keys(plugin)
    .filter((name) => !MEMBERS.includes(name))
    .map((name) => `"${name}" is nothing a plugin has${didYouMean(name, MEMBERS)}`)
  if (!Array.isArray(types)) problems.push('its `types` are no list')
  if (!Array.isArray(reportFormats)) problems.push('its `reportFormats` are no list')
  if (!Array.isArray(types) || !Array.isArray(reportFormats)) return { problems }
  problems.push(...typeProblems(types, taken.types), ...formatProblems(reportFormats, taken))
  if (problems.length > 0) return { problems }
  // Every one of them was checked.
  return { types: types as ResourceType[], reportFormats: reportFormats as ReportFormat[] }
}

function noExport(module: object): string {
  const names = Object.keys(module)
  const found = names.length === 0 ? 'nothing' : `only ${names.join(', ')}`
  return `it exports ${found}, and a plugin is an export named "plugin": export const plugin = definePlugin({ ... })`
}

function otherVersion(subject: string, version: unknown): string {
  const made =
    version === undefined ? 'says no apiVersion' : `has the apiVersion ${JSON.stringify(version) ?? 'undefined'}`
  return version === undefined || typeof version !== 'number'
    ? `it ${made}; this driftgate has ${PLUGIN_API_VERSION}`
    : `${subject} written for version ${version} of the plugin API; this driftgate has ${PLUGIN_API_VERSION}`
}

function typeProblems(types: readonly unknown[], taken: ReadonlyMap<string, string>): string[] {
  const seen = new Map(taken)
  return types.flatMap((type, index) => {
    const version = brandOf(type)
    if (version === undefined) return [`types[${index}] was not made by defineResource`]
    if (version !== PLUGIN_API_VERSION) return [otherVersion(`types[${index}] is`, version)]
    // What defineResource of this version made has its form.
    const { type: name, properties } = type as ResourceType
    return [
      ...nameProblems('type', name, { shape: TYPE_NAME, seen }),
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
      return [`reportFormats[${index}] is no report format: it needs a name, a summary and a render function`]
    }
    return [
      ...nameProblems('report format', name, { shape: FORMAT_NAME, seen }),
      ...(fileName === undefined ? [] : nameProblems('report file', fileName, { shape: FILE_NAME, seen: seenFiles })),
    ]
  })
}

interface Names {
  readonly shape: RegExp
  /** Who has which name; what is checked has it from then on. */
  readonly seen: Map<string, string>
}

function nameProblems(what: string, name: unknown, { shape, seen }: Names): string[] {
  if (typeof name !== 'string' || !shape.test(name) || name.length > LONGEST_NAME) {
    return [`${JSON.stringify(name) ?? 'undefined'} cannot be the name of a ${what}: ${WORDS[what] ?? ''}`]
  }
  const owner = seen.get(name)
  seen.set(name, owner ?? 'it')
  if (owner === undefined) return []
  return [owner === 'it' ? `it has the ${what} "${name}" twice` : `the ${what} "${name}" belongs to ${owner} already`]
}

const WORDS: Readonly<Record<string, string>> = {
  type: 'it is words of a-z, 0-9, _ and - that start with a letter, with dots between them, such as "file.owner"',
  'report format': 'it is a word of a-z, 0-9 and - that starts with a letter',
  'report file': 'it is a word of letters, digits, ".", "_" and "-" that starts with a letter or digit',
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
    return [`the pattern of property "${property}" of type "${type}" is no regular expression: ${reason}`]
  }
}
