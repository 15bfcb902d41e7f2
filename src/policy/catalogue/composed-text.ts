import { Document, isMap, isScalar } from 'yaml'
import type { Problem, Result } from '../../model/problem.ts'
import { sourceText } from '../document/lines.ts'
import { decodeUtf8 } from '../document/text.ts'
import { plain } from '../document/tree.ts'
import type { SourceFile } from '../fetch/files.ts'
import { type Composed, composePolicy } from './compose.ts'

/** The text of a policy composed with its controls from catalogues; unchanged if it selects none. */
export async function composedText({ file, bytes, workingDirectory }: SourceFile): Promise<Result<string>> {
  const text = decodeUtf8(file, bytes)
  if (typeof text !== 'string') return failed([text])
  const composed = await composePolicy(sourceText(file, text), { source: file, workingDirectory })
  if (composed === undefined) return { ok: true, value: text, warnings: [] }
  if (!('root' in composed)) return failed(composed.problems)
  return { ok: true, value: textOf(headOf(text), file, composed), warnings: composed.problems }
}

function failed(problems: readonly Problem[]): Result<string> {
  return { ok: false, problems }
}

/** The leading comment of a policy. */
function headOf(text: string): string {
  return /^(?:#.*\n)*/.exec(text)?.[0] ?? ''
}

function textOf(head: string, file: string, { root, meanings }: Composed): string {
  const document = new Document(plain(root), { aliasDuplicateObjects: false })
  const data = document.get('data')
  for (const { key } of isMap(data) ? data.items : []) {
    const meaning = isScalar(key) ? meanings.get(String(key.value)) : undefined
    if (isScalar(key) && meaning !== undefined) key.commentBefore = ` ${meaning}\n @replace`
  }
  // Texts on one line are supported by the fast reader of policies.
  return `${head}#\n# Composed of ${file} and its catalogue: change it there.\n${document.toString({ lineWidth: 0 })}`
}
