import { trimBlanksOfC, withBlanksOfC } from './blanks.ts'
import { known, type Reading, type Unknown, unknown } from '../model/observation.ts'
import { readRsyslog } from './rsyslog-read.ts'
import type { Statement } from './rsyslog-script.ts'
import type { ConfigFiles } from './surface.ts'

export interface WrittenFiles {
  readonly paths: readonly string[]
  /** Actions that may write further files: files with dynamic names, and unsupported lines. */
  readonly unclear: readonly Unknown[]
}

/** The files that rsyslog writes, by the actions in a file and its includes. */
export function rsyslogFiles(files: ConfigFiles, main: string): Reading<WrittenFiles> {
  const paths = new Set<string>()
  const unclear = new Map<string, Unknown>()
  let isFiltered = false
  for (const said of readRsyslog(files, main)) {
    if (said.kind === 'unread') return said.unknown
    const written = said.kind === 'unclear' ? said : writtenBy(said.statement, isFiltered)
    if (typeof written === 'object') {
      const detail = `${said.file}: ${written.why}`
      unclear.set(detail, unknown('not-observable', detail))
    } else if (written !== undefined) paths.add(written)
    isFiltered = said.kind === 'said' && said.statement.kind === 'filter'
  }
  return known({ paths: [...paths], unclear: [...unclear.values()] })
}

/** A path, or why it is unknown; undefined if nothing is written. */
type Written = string | { readonly why: string } | undefined

function writtenBy(statement: Statement, isFiltered: boolean): Written {
  switch (statement.kind) {
    case 'filter':
      return undefined
    case 'garbled':
      return { why: `line ${statement.line} ${statement.why}` }
    case 'directive':
      return byDirective(`$${statement.name}${statement.value}`)
    case 'action':
      return byAction(statement.text, isFiltered)
    case 'object':
      return statement.type === 'action' ? byObject(statement.parameters) : undefined
  }
}

/** A directive has a value; an output channel, which may replace an action, does not. */
function byDirective(line: string): Written {
  return withBlanksOfC(/^\$\w+[ \t]+[^\s#]/).test(line)
    ? undefined
    : { why: `cannot determine the output files of "${trimBlanksOfC(line)}"` }
}

/** Actions to remote hosts, programs, pipes and users, and blocks for programs and hosts. */
const ELSEWHERE = /^(?::om(?!file:)\w+:|[@|^>]|-[\w*])/
const WORDS = /^(?:[&{}~*]|else|stop|continue|do)$/i
const PEOPLE = /^[a-z_][\w,-]*$/

function byAction(text: string, isFiltered: boolean): Written {
  const [, path] = withBlanksOfC(/^-?(\/[^\s;{}]+)(?:;[\w-]+)?[ \t]*(?:#.*)?$/).exec(text) ?? []
  if (path !== undefined) return path
  const [, template] = /^-?\?(.*)$/.exec(text) ?? []
  if (template !== undefined) return { why: `the template ${template} generates the file names` }
  if (text.startsWith(':omfile:')) return { why: `cannot determine the output files of "${text}"` }
  if (ELSEWHERE.test(text) || WORDS.test(text) || (isFiltered && PEOPLE.test(text))) return undefined
  return { why: `unsupported action "${text}"` }
}

function byObject(parameters: ReadonlyMap<string, string | undefined>): Written {
  const type = parameters.get('type')?.toLowerCase()
  if (type === undefined) return { why: 'an action has an unknown type' }
  if (type !== 'omfile') return undefined
  const path = parameters.get('file')
  if (path === undefined || parameters.has('dynafile')) {
    return { why: 'an action generates its file names per message' }
  }
  return path.startsWith('/') ? path : { why: `"${path}" is not an absolute path` }
}
