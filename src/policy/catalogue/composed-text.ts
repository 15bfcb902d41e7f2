import { Document } from 'yaml'
import type { Problem, Result } from '../../model/problem.ts'
import { sourceText } from '../document/lines.ts'
import { decodeUtf8 } from '../document/text.ts'
import { toPlainValue } from '../document/tree.ts'
import type { SourceFile } from '../fetch/files.ts'
import { type Composed, composePolicy } from './compose.ts'

/** The text of a policy composed with its controls from catalogues; unchanged if it selects none. */
export async function composedText({ file, bytes, workingDirectory }: SourceFile): Promise<Result<string>> {
  const text = decodeUtf8(file, bytes)
  if (typeof text !== 'string') return failedResult([text])
  const composed = await composePolicy(sourceText(file, text), { source: file, workingDirectory })
  if (composed === undefined) return { ok: true, value: text, warnings: [] }
  if (!('root' in composed)) return failedResult(composed.problems)
  return { ok: true, value: textOf(headOf(text), file, composed), warnings: composed.problems }
}

function failedResult(problems: readonly Problem[]): Result<string> {
  return { ok: false, problems }
}

/** The leading comment of a policy. */
function headOf(text: string): string {
  return /^(?:#.*\n)*/.exec(text)?.[0] ?? ''
}

function textOf(head: string, file: string, { root }: Composed): string {
  const document = new Document(toPlainValue(root), { aliasDuplicateObjects: false })
  // Texts on one line are supported by the fast reader of policies.
  return `${head}#\n# Composed from ${file} and its catalogue: edit those instead.\n${document.toString({ lineWidth: 0 })}`
}
