import type { RegistrationQuery } from '../../model/registration.ts'
import { MissingValueError, TemplateError, unlessMissing } from '../../templates/errors.ts'
import type { GoFunction, GoValue } from '../../templates/govalue/index.ts'
import type { Lookup } from './lookup.ts'

/** Reads a text file; `isOfMachine` marks a file with an absolute path, which is on the target. Throws an `Error` on failure. */
export type ReadTemplateFile = (path: string, isOfMachine?: boolean) => string

/** External dependencies of the functions. */
export interface FunctionHost {
  readonly lookup: Lookup
  /** Result of a lookup without a default and without a match. */
  readonly onMissing: 'error' | 'empty'
  /** Base directory of relative file names. */
  readonly workingDirectory: string
  /** Reads a text file. Throws an `Error` on failure. */
  readonly readFile: ReadTemplateFile
  /** Whether a path of the machine exists. Throws an `Error` if that is unknown. Undefined in a pure evaluation. */
  readonly fileExists?: ((path: string) => boolean) | undefined
  /** Expands the expressions in a text; a single expression keeps the type of its value. */
  readonly expand: (text: string) => GoValue
  /** Renders a Jet template. Undefined if Jet is not loaded. */
  readonly renderJet?: RenderJet | undefined
  /** Reads a key-value bucket. Undefined without a server. */
  readonly kvGet?: ((bucket: string, key: string) => string) | undefined
  /** Lists matching registrations. Undefined without a server. */
  readonly registrations?: ((query: RegistrationQuery) => GoValue) | undefined
}

/** Renders a Jet template with the given delimiters in the policy's environment. */
export type RenderJet = (template: string, delimiters: JetDelimiters) => string

export interface JetDelimiters {
  readonly left: string
  readonly right: string
}

export const FUNCTION_NAMES: ReadonlySet<string> = new Set([
  'lookup',
  'readFile',
  'file',
  'template',
  'jet',
  'registrations',
  'kvGet',
  'fileExists',
])

/** The functions of policies. With `lookup-only`, the others do not exist. */
export function createFunctions(host: FunctionHost, allowed: 'all' | 'lookup-only'): readonly GoFunction[] {
  const lookup = createFunction('lookup', (args) => lookUp(host, args))
  if (allowed === 'lookup-only') return [lookup]
  return [
    lookup,
    createFunction('readFile', (args) => readFileArgument(host, args)),
    createFunction('file', (args) => readFileArgument(host, args)),
    createFunction('template', (args) => expandTemplate(host, args)),
    createFunction('jet', (args) => renderJet(host, args)),
    createFunction('registrations', (args) => listRegistrations(host, args)),
    createFunction('kvGet', (args) => readKey(host, args)),
    createFunction('fileExists', (args) => fileExists(host, args)),
  ]
}

type Arguments = readonly GoValue[]

function createFunction(name: string, call: (args: Arguments) => GoValue): GoFunction {
  return { kind: 'function', name, call }
}

function lookUp(host: FunctionHost, args: Arguments): GoValue {
  if (args.length < 1 || args.length > 2) throw new TemplateError('lookup requires 1 or 2 arguments')
  const [path, fallback = null] = args
  if (typeof path !== 'string') throw new TemplateError('lookup requires a string argument')
  // A nil default counts as no default.
  const found = fallback === null ? host.lookup(path) : unlessMissing(() => host.lookup(path))
  if (found !== undefined) return found
  if (fallback !== null) return fallback
  if (host.onMissing === 'empty') return ''
  throw new MissingValueError(missingKey(path), { certainty: 'none' })
}

/** The error of a lookup without a default and without a match. */
export function missingKey(path: string): string {
  return `missing key '${path}' in environment`
}

function readFileArgument(host: FunctionHost, args: Arguments): string {
  const [path] = args
  if (typeof path !== 'string') throw new TemplateError('readFile requires a string argument')
  return readText(host, path)
}

function readText(host: FunctionHost, path: string): string {
  const isRelative = !path.startsWith('/') && host.workingDirectory !== ''
  const full = isRelative ? `${host.workingDirectory}/${path}` : path
  try {
    return host.readFile(full, !isRelative)
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    const place = `working dir: ${JSON.stringify(host.workingDirectory)}`
    throw new TemplateError(`failed to read file ${JSON.stringify(full)}: ${place}: ${cause}`, undefined, {
      cause: error,
    })
  }
}

/** An extension of CCM: audits must distinguish a missing path from an inapplicable one. */
function fileExists(host: FunctionHost, args: Arguments): boolean {
  const [path] = stringArguments('fileExists', ['path'], args)
  if (!path.startsWith('/')) throw new TemplateError('fileExists requires an absolute path')
  if (host.fileExists === undefined) throw new TemplateError('fileExists is not available here')
  try {
    return host.fileExists(path)
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw new TemplateError(`cannot tell whether a file exists: ${cause}`, undefined, { cause: error })
  }
}

function expandTemplate(host: FunctionHost, args: Arguments): GoValue {
  const [text] = args
  if (typeof text !== 'string') throw new TemplateError('template requires a string argument')
  if (text.endsWith('.jet')) return renderJet(host, [text])
  return host.expand(text.endsWith('.templ') ? readText(host, text) : text)
}

function renderJet(host: FunctionHost, args: Arguments): string {
  if (args.length !== 1 && args.length !== 3) throw new TemplateError('jet requires 1 or 3 arguments')
  const [body, left = '[[', right = ']]'] = args
  if (typeof body !== 'string') throw new TemplateError('jet requires a string argument for template body')
  if (typeof left !== 'string') throw new TemplateError('jet requires a string argument for left delimiter')
  if (typeof right !== 'string') throw new TemplateError('jet requires a string argument for right delimiter')
  const template = body.endsWith('.jet') ? readText(host, body) : body
  if (host.renderJet === undefined) throw new TemplateError('jet templates are not available here')
  return host.renderJet(template, { left, right })
}

function listRegistrations(host: FunctionHost, args: Arguments): GoValue {
  const [cluster, protocol, service, ip] = stringArguments(
    'registrations',
    ['cluster', 'protocol', 'service', 'ip'],
    args,
  )
  if (host.registrations === undefined) {
    throw new TemplateError('registrations function not available: no server can be asked here')
  }
  return host.registrations({ cluster, protocol, service, ip })
}

function readKey(host: FunctionHost, args: Arguments): string {
  const [bucket, key] = stringArguments('kvGet', ['bucket', 'key'], args)
  if (host.kvGet === undefined) {
    throw new TemplateError('kvGet function not available: no server can be asked here')
  }
  return host.kvGet(bucket, key)
}

type Strings<Names extends readonly string[]> = { readonly [Index in keyof Names]: string }

function stringArguments<const Names extends readonly string[]>(
  name: string,
  names: Names,
  args: Arguments,
): Strings<Names> {
  if (!isStrings(args, names)) {
    const count = names.length === 1 ? '1 string argument' : `${names.length} string arguments`
    throw new TemplateError(`${name} requires ${count}: ${names.join(', ')}`)
  }
  return args
}

function isStrings<Names extends readonly string[]>(args: Arguments, names: Names): args is Strings<Names> {
  return args.length === names.length && args.every((arg) => typeof arg === 'string')
}
