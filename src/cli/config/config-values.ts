import { resolve } from 'node:path'
import process from 'node:process'
import { OperatorError } from '../../model/operator-error.ts'
import type { Problem } from '../../model/problem.ts'
import { didYouMean } from '../../model/suggest.ts'
import { errorAt, type SourceText } from '../../policy/document/lines.ts'
import { toPlainValue, textOf, type TreeNode } from '../../policy/document/tree.ts'
import { choice, describeValue } from '../../resource-type/decode-value.ts'
import type { OptionSpec, ValueSpec } from '../command.ts'
import { locatedIn } from '../options/locate.ts'
import { isPluginPath, locatePlugin } from '../plugins/locate-plugin.ts'
import { configOptions, PLUGINS_KEY } from './schema.ts'

/** Values by option name, as if given on the command line. */
export type ConfigValues = ReadonlyMap<string, boolean | string | readonly string[]>

/** Location and trust of a config. */
export interface ConfigPlace {
  /** Base of relative paths. */
  readonly directory: string
  /** True if the operator named the file; false if it was found next to the policies. */
  readonly isNamed: boolean
  /** Reason why a plugin file must not be loaded, or undefined. */
  readonly checkPlugin: (path: string) => string | undefined
}

interface Reading {
  readonly source: SourceText
  readonly place: ConfigPlace
  readonly problems: Problem[]
}

/** Options of a config, and all its errors with their positions. */
export function configValues(
  source: SourceText,
  root: TreeNode,
  place: ConfigPlace,
): { readonly values: ConfigValues; readonly problems: readonly Problem[] } {
  const reading: Reading = { source, place, problems: [] }
  const values = new Map<string, boolean | string | readonly string[]>()
  if (root.kind !== 'map') {
    addProblem(reading, root, `a config file must be a map of options, found ${describeValue(toPlainValue(root))}`)
    return { values, problems: reading.problems }
  }
  for (const [key, { keyOffset, value: node }] of root.entries) {
    const spec = Object.hasOwn(configOptions, key) ? configOptions[key] : undefined
    if (spec === undefined) {
      reading.problems.push(errorAt(source, keyOffset, unknownOption(key)))
      continue
    }
    const value = key === PLUGINS_KEY ? readPlugins(reading, node) : readValue(reading, key, { spec, node })
    if (value === undefined) continue
    const other = spec.kind === 'flag' ? spec.contradicts : undefined
    if (value === true && other !== undefined && values.get(other) === true) {
      reading.problems.push(errorAt(source, keyOffset, `${key} and ${other} are mutually exclusive`))
    }
    values.set(key === PLUGINS_KEY ? 'plugin' : key, value)
  }
  return { values, problems: reading.problems }
}

function unknownOption(key: string): string {
  if (key === 'plugin') return 'unknown option "plugin": plugins are listed under "plugins"'
  const bare = key.replace(/^-+/, '')
  if (bare !== key && bare in configOptions)
    return `unknown option "${key}": options have no dashes here: write "${bare}"`
  return `unknown option "${key}"${didYouMean(key, Object.keys(configOptions))}`
}

interface Entry {
  readonly spec: OptionSpec
  readonly node: TreeNode
}

function readValue(reading: Reading, key: string, { spec, node }: Entry): ReturnType<ConfigValues['get']> {
  switch (spec.kind) {
    case 'flag':
      return readFlag(reading, key, node)
    case 'text':
      return readChoice(reading, key, spec.choices, node)
    case 'value':
      return readOne(reading, key, { spec, node })
    case 'optional-text': {
      const isFlag = node.kind === 'scalar' && typeof node.value === 'boolean'
      if (isFlag)
        return node.value === true ? spec.implied && locatedIn(reading.place.directory, spec, spec.implied) : undefined
      const text = readText(reading, key, node)
      return text === undefined ? undefined : locatedIn(reading.place.directory, spec, text)
    }
    case 'list':
      return readTexts(reading, key, node).map(({ text }) => locatedIn(reading.place.directory, spec, text))
  }
}

function readOne(reading: Reading, key: string, { spec, node }: Entry & { spec: ValueSpec }): string | undefined {
  const text = readText(reading, key, node)
  if (text === undefined) return undefined
  const complaint = spec.complain?.(text)
  if (complaint === undefined) return locatedIn(reading.place.directory, spec, text)
  return addProblem(reading, node, `${key} ${complaint}, found ${describeValue(toPlainValue(node))}`)
}

/** Options reserved for the operator. */
const OPERATORS_OWN: Readonly<Record<string, string>> = {
  fix: 'turn a scan into a fix',
  trusted: 'make policies trusted',
}

function readFlag(reading: Reading, key: string, node: TreeNode): boolean | undefined {
  if (node.kind !== 'scalar' || typeof node.value !== 'boolean') {
    return addProblem(reading, node, `${key} must be true or false, found ${describeValue(toPlainValue(node))}`)
  }
  const beyond = OPERATORS_OWN[key]
  if (beyond === undefined || !node.value || reading.place.isNamed) return node.value
  return addProblem(
    reading,
    node,
    `a config file found next to the policies cannot ${beyond}: pass --${key}, or name the config file with --config`,
  )
}

function readChoice(reading: Reading, key: string, choices: readonly string[], node: TreeNode): string | undefined {
  const text = textOf(node)
  if (text !== undefined && choices.includes(text)) return text
  const hint = text === undefined ? '' : didYouMean(text, choices)
  return addProblem(
    reading,
    node,
    `${key} must be ${choice(choices)}, found ${describeValue(toPlainValue(node))}${hint}`,
  )
}

function readText(reading: Reading, key: string, node: TreeNode): string | undefined {
  const text = textOf(node)
  if (text !== undefined && text !== '') return text
  return addProblem(reading, node, `${key} must be text, found ${describeValue(toPlainValue(node))}`)
}

/** Texts of a list or a single text. */
function readTexts(
  reading: Reading,
  key: string,
  node: TreeNode,
): readonly { readonly text: string; readonly node: TreeNode }[] {
  if (node.kind !== 'list') {
    const text = readText(reading, key, node)
    return text === undefined ? [] : [{ text, node }]
  }
  return node.items.flatMap((item, index) => {
    const text = readText(reading, `${key}[${index}]`, item)
    return text === undefined ? [] : [{ text, node: item }]
  })
}

/** Plugin files; packages are resolved from the config's directory, then from the current one. */
function readPlugins(reading: Reading, node: TreeNode): readonly string[] {
  const { directory, checkPlugin } = reading.place
  return readTexts(reading, PLUGINS_KEY, node).flatMap(({ text, node: item }) => {
    try {
      const path = locate(text, resolve(directory))
      const reason = checkPlugin(path)
      if (reason === undefined) return [path]
      addProblem(reading, item, reason)
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      addProblem(reading, item, error.message)
    }
    return []
  })
}

function locate(name: string, directory: string): string {
  if (isPluginPath(name)) return locatePlugin(name, directory)
  try {
    return locatePlugin(name, directory)
  } catch (error) {
    try {
      return locatePlugin(name, process.cwd())
    } catch {
      throw error
    }
  }
}

function addProblem({ source, problems }: Reading, { offset }: TreeNode, message: string): undefined {
  problems.push(errorAt(source, offset, message))
}
