import type { Assignment } from './assignment.ts'
import { enabledOf, type RsyslogEntry } from './rsyslog-read.ts'
import type { Statement } from './rsyslog-script.ts'
import { firstWord } from './blanks.ts'

/** The key for loaded modules. */
export const MODULES = 'modules'

/** The key for the types of opened inputs. */
export const INPUTS = 'inputs'

/** Legacy directives that open an input, with its type. */
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

/** The loaded modules and opened inputs, in order; an unknown statement makes both unclear. */
export function modulesOf(read: readonly RsyslogEntry[]): readonly Assignment[] {
  return read.flatMap((said) => {
    if (said.kind !== 'said') return unclearModules(said, said.kind === 'unclear' ? said.why : said.unknown.detail)
    const { statement, file } = said
    const place = { file, line: statement.line }
    switch (statement.kind) {
      case 'garbled':
        return unclearModules(place, `this line ${statement.why}`)
      case 'directive':
        return ofDirective(statement, place)
      case 'object':
        return ofObject(statement, place)
      case 'action':
      case 'filter':
        return []
    }
  })
}

function ofDirective({ name, value }: Extract<Statement, { kind: 'directive' }>, place: Place): readonly Assignment[] {
  const directive = name.toLowerCase()
  const input = OLD_INPUTS[directive]
  if (input !== undefined) return [toAssignment(INPUTS, input, place)]
  return directive === 'modload' ? loadedModule(firstWord(value) ?? '', place) : []
}

function ofObject({ type, parameters }: Extract<Statement, { kind: 'object' }>, place: Place): readonly Assignment[] {
  const asked = { module: 'load', input: 'type' }[type]
  if (asked === undefined) return []
  const enabled = enabledOf(parameters)
  if (enabled === 'off') return []
  const value = parameters.get(asked)
  if (value === undefined || enabled !== 'on') return unclearModules(place, `cannot determine this ${type}`)
  if (type === 'module') return loadedModule(value, place)
  // Types are case-insensitive, names of module files are not.
  return isName(value) ? [toAssignment(INPUTS, value.toLowerCase(), place)] : unclearModules(place, NOT_A_NAME)
}

const NOT_A_NAME = 'invalid module name'

function isName(text: string): boolean {
  return /^[\w-]+$/.test(text)
}

/** A module name may include its directory and extension; a built-in module has the prefix `builtin:`. */
function loadedModule(written: string, place: Place): readonly Assignment[] {
  const name = written.replace(/^.*\//, '').replace(/\.so$/, '')
  return isName(name.replace(/^builtin:/, ''))
    ? [toAssignment(MODULES, name, place)]
    : unclearModules(place, NOT_A_NAME)
}

function toAssignment(key: string, value: string, { file, line }: Place): Assignment {
  return { section: '', key, value, file, line }
}

function unclearModules(place: Place, why: string): readonly Assignment[] {
  return [MODULES, INPUTS].map((key) => ({ ...toAssignment(key, '', place), unclear: why }))
}
