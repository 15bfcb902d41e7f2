import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { Document } from 'yaml'
import { dayOfTime } from '../../../model/calendar.ts'
import { EXIT } from '../../../model/gate.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import type { Problem } from '../../../model/problem.ts'
import { sourceText } from '../../../policy/document/lines.ts'
import { readDocument } from '../../../policy/document/read-document.ts'
import { decodeUtf8 } from '../../../policy/document/text.ts'
import type { TreeNode } from '../../../policy/document/tree.ts'
import { yamlText } from '../../../policy/document/yaml-text.ts'
import { readWaivers } from '../../../policy/waivers/read.ts'
import { reportProblems } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import { writeNew } from '../../output/write-new.ts'
import { readCsv } from './csv.ts'
import { importGoss } from './goss.ts'
import { importAttributes } from './inspec-attributes.ts'
import { importWaivers } from './inspec-waivers.ts'
import type { ImportInvocation } from './index.ts'

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
