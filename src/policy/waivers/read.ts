import { daysAfter, daysBetween } from '../../model/calendar.ts'
import type { Problem, Result } from '../../model/problem.ts'
import { didYouMean } from '../../model/suggest.ts'
import type { Waiver } from '../../model/waiver.ts'
import { errorAt, positionAt, sourceText, type SourceText } from '../document/lines.ts'
import { readDocument } from '../document/read-document.ts'
import { decodeUtf8 } from '../document/text.ts'
import type { TreeMember, TreeMap, TreeNode } from '../document/tree.ts'
import { type Field, FIELD_NAMES, type FieldName, FIELDS, isFieldName } from './fields.ts'

export interface WaiverRules {
  /** The day in UTC, `YYYY-MM-DD`. */
  readonly today: string
  /** Maximum duration of a waiver in days, from its creation, otherwise from today. */
  readonly maxDays?: number
}

/** A file of waivers before parsing. */
export interface WaiverFile {
  /** The file name as the operator wrote it. */
  readonly file: string
  readonly bytes: Uint8Array
}

/** Reads waivers from YAML or JSON files, in their order. Collects all problems of all files, with their positions. */
export function readWaivers(files: readonly WaiverFile[], rules: WaiverRules): Result<readonly Waiver[]> {
  const reading: Reading = { rules, ids: new Map(), problems: [] }
  const value = files.flatMap((file) => readFile(file, reading))
  const { problems } = reading
  return problems.length === 0 ? { ok: true, value, warnings: [] } : { ok: false, problems }
}

interface Reading {
  readonly rules: WaiverRules
  /** The first position of each id. */
  readonly ids: Map<string, string>
  readonly problems: Problem[]
}

/** An entry of the list, with the context of its problems. */
interface Entry {
  readonly source: SourceText
  readonly node: TreeMap
  /** Its name in problems. */
  readonly label: string
  readonly reading: Reading
}

function readFile({ file, bytes }: WaiverFile, reading: Reading): readonly Waiver[] {
  const text = decodeUtf8(file, bytes)
  if (typeof text !== 'string') return refuse(reading, [text])
  const source = sourceText(file, text)
  const read = readDocument(source, 'waiver file')
  if (!('root' in read)) return refuse(reading, read.problems)
  const { root, problems } = read
  reading.problems.push(...problems)
  const complain = (offset: number, message: string): void =>
    void reading.problems.push(errorAt(source, offset, message))
  if (root.kind !== 'map') {
    complain(root.offset, `a waiver file must be a map with the key "waivers", found ${kindOf(root)}`)
    return []
  }
  for (const [key, { keyOffset }] of root.entries) {
    if (key !== 'waivers' && !isFree(key)) {
      complain(keyOffset, `unknown key "${key}"${didYouMean(key, ['waivers'])}; waivers are listed under "waivers"`)
    }
  }
  const list = root.entries.get('waivers')
  if (list === undefined) {
    complain(root.offset, 'missing "waivers": list them there, or write "waivers: []"')
    return []
  }
  if (list.value.kind !== 'list') {
    complain(list.value.offset, `waivers must be a list, found ${kindOf(list.value)}`)
    return []
  }
  return list.value.items.flatMap((node, index) => {
    if (node.kind === 'map') return readEntry({ source, node, label: labelOf(node, index), reading })
    complain(node.offset, `waivers[${index}] must be a map, found ${kindOf(node)}`)
    return []
  })
}

function refuse({ problems }: Reading, found: readonly Problem[]): readonly [] {
  problems.push(...found)
  return []
}

function isFree(key: string): boolean {
  return key.startsWith('x-')
}

function kindOf(node: TreeNode): string {
  if (node.kind === 'list') return 'a list'
  if (node.kind === 'map') return 'a map'
  return node.value === null ? 'nothing' : typeof node.value === 'string' ? JSON.stringify(node.value) : node.text
}

function labelOf(node: TreeMap, index: number): string {
  const id = node.entries.get('id')?.value
  return id?.kind === 'scalar' && id.text !== '' ? `waiver ${JSON.stringify(id.text)}` : `waivers[${index}]`
}

function complainAt({ source, reading }: Entry, offset: number, message: string): void {
  reading.problems.push(errorAt(source, offset, message))
}

type Texts = Readonly<Partial<Record<FieldName, string>>>

function readEntry(entry: Entry): readonly Waiver[] {
  const { source, node, reading } = entry
  const before = reading.problems.length
  checkTogether(entry)
  const texts: Texts = Object.fromEntries(
    [...node.entries].flatMap(([key, field]) => {
      const text = readField(key, field, entry)
      return text === undefined ? [] : [[key, text]]
    }),
  )
  checkId(texts, entry)
  checkDays(texts, entry)
  const { id, reason, approver, expires, ...others } = texts
  const isWhole = id !== undefined && reason !== undefined && approver !== undefined && expires !== undefined
  if (!isWhole || reading.problems.length > before) return []
  return [{ id, reason, approver, expires, ...others, source: positionAt(source, node.offset) }]
}

/** Terms of other tools. */
const FOREIGN_KEYS: Readonly<Record<string, string>> = {
  justification: 'the justification is its "reason"',
  expiration_date: 'its last day is "expires"',
  expiry: 'its last day is "expires"',
  until: 'its last day is "expires"',
  run: 'waived resources are always evaluated',
  skip: 'waived resources are always evaluated; use --skip to omit resources',
  hostname: 'the machine is "host"',
  approved_by: 'the key for the approver is "approver"',
}

function readField(key: string, { keyOffset, value }: TreeMember, entry: Entry): string | undefined {
  if (isFree(key)) return undefined
  if (!isFieldName(key)) {
    const foreign = FOREIGN_KEYS[key.toLowerCase().replaceAll('-', '_')]
    const hint = foreign === undefined ? didYouMean(key, FIELD_NAMES) : `: ${foreign}`
    complainAt(entry, keyOffset, `unknown key "${key}"${hint}`)
    return undefined
  }
  const field: Field = FIELDS[key]
  if (value.kind !== 'scalar' || value.value === null) {
    complainAt(entry, value.offset, `${key} must be text, found ${kindOf(value)}`)
    return undefined
  }
  const text = field.isProse === true ? value.text.trim().replaceAll(/\s+/g, ' ') : value.text
  const problem = textProblem(key, text, field)
  if (problem !== undefined) complainAt(entry, value.offset, `${key} ${problem}`)
  return problem === undefined ? text : undefined
}

function textProblem(key: FieldName, text: string, { complain }: Field): string | undefined {
  // An observed value may be any text.
  if (key === 'value') return undefined
  if (text === '') return 'must not be empty'
  if (/\p{Cc}/u.test(text)) return 'must not contain control characters'
  return complain?.(text)
}

/** Checks required fields and combinations of fields. */
function checkTogether(entry: Entry): void {
  const { node, label } = entry
  const { entries, offset } = node
  const missing = FIELD_NAMES.filter((name) => {
    const { isRequired }: Field = FIELDS[name]
    return isRequired === true && !entries.has(name)
  })
  for (const name of missing) {
    complainAt(entry, offset, `${label} has no ${name}: ${FIELDS[name].description}`)
  }
  const control = entries.get('control')
  if (!entries.has('resource') && control === undefined) {
    complainAt(entry, offset, `${label} has neither resource nor control: set one of them`)
  }
  if (entries.has('resource') && control !== undefined) {
    complainAt(entry, control.keyOffset, `${label} has both resource and control: write one waiver for each`)
  }
  const value = entries.get('value')
  if (value !== undefined && !entries.has('property')) {
    complainAt(entry, value.keyOffset, 'value requires property')
  }
}

function checkId({ id }: Texts, entry: Entry): void {
  const { source, node, reading } = entry
  if (id === undefined) return
  const offset = node.entries.get('id')?.value.offset ?? node.offset
  const { file, line } = positionAt(source, offset)
  const earlier = reading.ids.get(id)
  if (earlier !== undefined) complainAt(entry, offset, `id "${id}" is already used at ${earlier}`)
  else reading.ids.set(id, `${file}:${line}`)
}

/** Tolerates a date of tomorrow, which is today's date in other time zones. */
const TIME_ZONE_DAYS = 1

function checkDays({ created, expires }: Texts, entry: Entry): void {
  const { node, label, reading } = entry
  const { today, maxDays } = reading.rules
  const offsetOf = (name: FieldName): number => node.entries.get(name)?.value.offset ?? node.offset
  if (created !== undefined && daysBetween(today, created) > TIME_ZONE_DAYS) {
    complainAt(entry, offsetOf('created'), `created is in the future: ${created}, and today is ${today}`)
  }
  if (expires === undefined) return
  if (created !== undefined && created > expires) {
    complainAt(entry, offsetOf('created'), `created is after expires: ${created}, and it expires on ${expires}`)
  }
  const start = created ?? today
  const days = daysBetween(start, expires)
  if (maxDays === undefined || days <= maxDays) return
  const limit = `the limit is ${maxDays}, until ${daysAfter(start, maxDays)}`
  complainAt(entry, offsetOf('expires'), `${label} is for ${days} days from ${start} on, ${limit}`)
}
