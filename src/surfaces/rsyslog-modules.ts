import type { Assignment } from './assignment.ts'
import { expandGlob } from './glob.ts'
import { type Statement, statementsOf } from './rsyslog-script.ts'
import type { ConfigFiles } from './surface.ts'

/** The key for the modules that are loaded. */
export const MODULES = 'modules'

/** The key for the types of inputs that are opened. */
export const INPUTS = 'inputs'

/** How deep files may include others before something is wrong. */
const DEEPEST = 10

/** The directives of old that open an input, and its type. */
const OLD_INPUTS: Readonly<Record<string, string>> = {
  inputtcpserverrun: 'imtcp',
  udpserverrun: 'imudp',
  inputrelpserverrun: 'imrelp',
  inputptcpserverrun: 'imptcp',
  inputgssserverrun: 'imgssapi',
}

interface Place {
  readonly file: string
  readonly line: number
}

/** The modules that are loaded and the inputs that are opened, in their order; what cannot be told is unclear in both. */
export function readModules(files: ConfigFiles, path: string, depth = 0): readonly Assignment[] {
  const text = files.text(path)
  if (text.kind === 'unknown') return unclear({ file: path, line: 1 }, text.detail)
  return statementsOf(text.value ?? '').flatMap((statement) => {
    const place = { file: path, line: statement.line }
    switch (statement.kind) {
      case 'garbled':
        return unclear(place, 'rsyslog does not understand this line')
      case 'directive':
        return ofDirective(files, statement, place, depth)
      case 'object':
        return ofObject(files, statement, place, depth)
    }
  })
}

function ofDirective(
  files: ConfigFiles,
  { name, value }: Extract<Statement, { kind: 'directive' }>,
  place: Place,
  depth: number,
): readonly Assignment[] {
  const directive = name.toLowerCase()
  const input = OLD_INPUTS[directive]
  if (input !== undefined) return [assigned(INPUTS, input, place)]
  const [argument = ''] = value.trim().split(/\s+/)
  if (directive === 'modload') return loaded(argument, place)
  // Whatever follows the word without a space is the path, too.
  if (directive.startsWith('includeconfig')) {
    return directive === 'includeconfig' ? included(files, argument, place, depth) : unclear(place, NOT_FOLLOWED)
  }
  return []
}

function ofObject(
  files: ConfigFiles,
  { type, parameters }: Extract<Statement, { kind: 'object' }>,
  place: Place,
  depth: number,
): readonly Assignment[] {
  const asked = { module: 'load', input: 'type', include: 'file' }[type]
  if (asked === undefined) return []
  const isEnabled = parameters.has('config.enabled') ? parameters.get('config.enabled') : 'on'
  if (isEnabled === 'off') return []
  const value = parameters.get(asked)
  if (value === undefined || isEnabled !== 'on') return unclear(place, `what this ${type} is cannot be told`)
  switch (asked) {
    case 'load':
      return loaded(value, place)
    // Of a type case does not matter, of a file that is loaded it does.
    case 'type':
      return isName(value) ? [assigned(INPUTS, value.toLowerCase(), place)] : unclear(place, NOT_A_NAME)
    default:
      return included(files, value, place, depth)
  }
}

const NOT_A_NAME = 'this is not the name of a module'
const NOT_FOLLOWED = 'what this includes cannot be followed'

function isName(text: string): boolean {
  return /^[\w-]+$/.test(text)
}

/** A module may be named with its directory and ending. */
function loaded(written: string, place: Place): readonly Assignment[] {
  const name = written.replace(/^.*\//, '').replace(/\.so$/, '')
  return isName(name) ? [assigned(MODULES, name, place)] : unclear(place, NOT_A_NAME)
}

function included(files: ConfigFiles, pattern: string, place: Place, depth: number): readonly Assignment[] {
  if (!pattern.startsWith('/') || /[{}~\\]/.test(pattern)) return unclear(place, NOT_FOLLOWED)
  if (depth >= DEEPEST) return unclear(place, `${pattern} is included too deep`)
  const paths = expandGlob(files, pattern.endsWith('/') ? `${pattern}*` : pattern)
  if (paths.kind === 'unknown') return unclear(place, paths.detail)
  return paths.value.flatMap((path) => {
    // Of a directory all is included.
    const names = files.names(path)
    const isDirectory = names.kind === 'known' && names.value !== null
    return isDirectory ? included(files, `${path}/`, place, depth + 1) : readModules(files, path, depth + 1)
  })
}

function assigned(key: string, value: string, place: Place): Assignment {
  return { section: '', key, value, ...place }
}

function unclear(place: Place, why: string): readonly Assignment[] {
  return [MODULES, INPUTS].map((key) => ({ ...assigned(key, '', place), unclear: why }))
}
