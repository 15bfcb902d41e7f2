import { trimBlanksOfC } from '../blanks.ts'
import { known } from '../../model/observation.ts'
import type { Edited, EditPlace, Format } from '../formats/format.ts'
import { directiveNamed, meaningOf, namedIn } from './directives.ts'
import { type Directive, parseNginx } from './parse.ts'

/** Directives for all servers: those within `http`, and in files that `http` includes those outside of all blocks. */
export const nginxFormat: Format = {
  name: 'nginx',
  hasSections: false,
  parse: () => known([]),
  set: (text, place, [value = '']) => setDirective(text, place, value),
  remove(text, place) {
    const found = ownOf(text, place)
    if (found === undefined) return REFUSED
    return {
      kind: 'edited',
      text: found.own.reduceRight((all, { start, end }) => all.slice(0, start) + all.slice(end), text),
    }
  },
}

const REFUSED: Edited = { kind: 'refused', reason: 'nginx rejects the current file' }

interface Found {
  readonly http: Directive | undefined
  readonly own: readonly Directive[]
}

function ownOf(text: string, { key, isSame }: Pick<EditPlace, 'key' | 'isSame'>): Found | undefined {
  const parsed = parseNginx(text, '')
  if (parsed.kind === 'unknown') return undefined
  const http = directiveNamed(key)?.isMain === true ? undefined : parsed.value.find(({ name }) => name === 'http')
  const level = http?.block ?? parsed.value
  const isOwn = ({ name, args, block }: Directive): boolean => {
    const meaning = block === undefined ? meaningOf(name, args) : undefined
    return meaning !== undefined && isSame({ section: '', key: meaning.key })
  }
  return { http, own: level.filter(isOwn) }
}

function setDirective(text: string, place: EditPlace, value: string): Edited {
  const found = ownOf(text, place)
  if (found === undefined) return REFUSED
  const line = lineOf(place.key, value)
  if (line === undefined)
    return { kind: 'refused', reason: `${JSON.stringify(value)} cannot be written to an nginx configuration` }
  const [own] = found.own.slice(-1)
  if (own !== undefined) return { kind: 'edited', text: text.slice(0, own.start) + line + text.slice(own.end) }
  if (found.http !== undefined)
    return { kind: 'edited', text: `${text.slice(0, found.http.end)}\n\t${line}${text.slice(found.http.end)}` }
  const kept = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return { kind: 'edited', text: directiveNamed(place.key)?.isMain === true ? `${line}\n${text}` : `${kept}${line}\n` }
}

function lineOf(key: string, value: string): string | undefined {
  if (/[\n\r\0"'\\$]/.test(value) || trimBlanksOfC(value) === '') return undefined
  const named = namedIn(key)
  if (named === undefined) return /[;{}#]/.test(value) ? undefined : `${key} ${value};`
  const { directive, name } = named
  if (directive !== 'add_header') return `${directive} ${name} "${value}";`
  const { said = value, always = '' } = /^(?<said>.*?)(?<always> always)?$/.exec(value)?.groups ?? {}
  return `${directive} ${name} "${said}"${always};`
}
