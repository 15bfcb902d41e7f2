import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { Document } from 'yaml'
import { dayOfTime } from '../../../model/calendar.ts'
import { EXIT } from '../../../model/gate.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import type { Problem } from '../../../model/problem.ts'
import { sourceText, errorAt, type SourceText } from '../../../policy/document/lines.ts'
import { readDocument } from '../../../policy/document/read-document.ts'
import { decodeUtf8 } from '../../../policy/document/text.ts'
import { type TreeNode, type TreeMember, itemsOf, member, toPlainValue, textOf } from '../../../policy/document/tree.ts'
import { yamlText } from '../../../policy/document/yaml-text.ts'
import { readWaivers } from '../../../policy/waivers/read.ts'
import { reportProblems } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import { writeNew } from '../../output/write-new.ts'
import { importGoss } from './goss.ts'
import type { ImportInvocation } from './index.ts'
import { importWaivers, type Imported } from './inspec-waivers.ts'

/** Converts a file and returns the exit code. */
export async function runImport({ operands: [format, file = ''], options }: ImportInvocation, io: Io): Promise<number> {
  const text =
    format === 'goss' ? await importGoss(file, options, io) : await importInspec(format, file, { options, io })
  if (text === undefined) return EXIT.notPerformed
  if (options.output === undefined) await io.print(text)
  else await writeNew(options.output, text)
  return EXIT.ok
}

interface Work {
  readonly options: ImportInvocation['options']
  readonly io: Io
}

async function importInspec(
  format: string | undefined,
  file: string,
  { options, io }: Work,
): Promise<string | undefined> {
  const read = readSource(file)
  if (!('root' in read)) return refuse(read.problems, io)
  const { source, root } = read
  const imported =
    format === 'inspec-waivers'
      ? importWaivers(source, root, { approver: options.approver, expires: options.expires })
      : importAttributes(source, root)
  await reportProblems([...read.problems, ...imported.problems], io)
  if (imported.value === undefined) return undefined
  const text = yamlText(new Document(imported.value))
  if (format !== 'inspec-waivers') return text
  const checked = readWaivers([{ file, bytes: Buffer.from(text) }], {
    today: dayOfTime(new Date(io.clock.now()).toISOString()),
  })
  return checked.ok ? text : refuse(checked.problems, io)
}

async function refuse(problems: readonly Problem[], io: Io): Promise<undefined> {
  await reportProblems(problems, io)
}

function readSource(
  file: string,
):
  | { readonly source: ReturnType<typeof sourceText>; readonly root: TreeNode; readonly problems: readonly Problem[] }
  | { readonly problems: readonly Problem[] } {
  const text = decodeUtf8(file, readBytes(file))
  if (typeof text !== 'string') return { problems: [text] }
  const source = sourceText(file, text)
  if (extname(file).toLowerCase() === '.csv') return { source, root: readCsv(text), problems: [] }
  const read = readDocument(source, 'data file')
  return 'root' in read ? { source, ...read } : { problems: read.problems }
}

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new OperatorError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

/** A cell with its offset. */
interface Cell {
  readonly text: string
  readonly offset: number
}

/** CSV rows below a header line, as a map from the first cell of each row to its others. @see RFC 4180 */
function readCsv(text: string): TreeNode {
  const [names = [], ...rows] = rowsOf(text)
  const entries = rows.map(([first, ...cells]): [string, TreeMember] => {
    const fields = cells.flatMap((cell, index): [string, TreeMember][] => {
      const name = names[index + 1]
      if (name === undefined || cell.text === '') return []
      return [[name.text.trim(), { keyOffset: cell.offset, value: scalar(cell) }]]
    })
    const offset = first?.offset ?? 0
    return [first?.text.trim() ?? '', { keyOffset: offset, value: { kind: 'map', offset, entries: new Map(fields) } }]
  })
  return { kind: 'map', offset: 0, entries: new Map(entries) }
}

function scalar({ text, offset }: Cell): TreeNode {
  return { kind: 'scalar', offset, value: text, text }
}

function rowsOf(text: string): readonly (readonly Cell[])[] {
  const rows: Cell[][] = []
  let row: Cell[] = []
  for (const found of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/g)) {
    const [, written = '', end = ''] = found
    const value = written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written
    row.push({ text: value, offset: found.index })
    if (end === ',') continue
    if (row.length > 1 || value !== '') rows.push(row)
    row = []
  }
  return rows
}

/**
 * Converts InSpec inputs to data: a map from names to values, as for `--input-file`, or the list of a profile under
 * `inputs` or `attributes`, with its values or else defaults.
 */
function importAttributes(source: SourceText, root: TreeNode): Imported {
  if (root.kind !== 'map')
    return { value: undefined, problems: [errorAt(source, root.offset, 'InSpec inputs must be a map')] }
  const list = member(root, 'inputs') ?? member(root, 'attributes')
  if (list?.kind !== 'list') return { value: toPlainValue(root), problems: [] }
  const problems: Problem[] = []
  const data: Record<string, unknown> = {}
  for (const item of itemsOf(list)) {
    const name = textOf(member(item, 'name'))
    const value = member(item, 'value') ?? member(item, 'default')
    const say = (message: string, severity: 'error' | 'warning'): void =>
      void problems.push({ ...errorAt(source, item.offset, `${name ?? 'an input'}: ${message}`), severity })
    if (name === undefined) say('missing name', 'error')
    else if (value === undefined) say('omitted, because it has no value', 'warning')
    else data[name] = toPlainValue(value)
    for (const word of ['required', 'pattern', 'min', 'max', 'sensitive']) {
      if (member(item, word) !== undefined) say(`${word} is not converted`, 'warning')
    }
  }
  return { value: problems.some(({ severity }) => severity === 'error') ? undefined : data, problems }
}
