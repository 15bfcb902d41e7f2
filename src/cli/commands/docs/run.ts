import { join } from 'node:path'
import { EXIT } from '../../../model/gate.ts'
import { didYouMean } from '../../../model/suggest.ts'
import { referencePages, renderReference } from '../../reference/index.ts'
import type { ResourceType } from '../../../resource-type/define.ts'
import { usageError } from '../../errors.ts'
import { loadExtensions } from '../../options/extension.ts'
import { type Io, proseWidth } from '../../output/io.ts'
import { openOutputFile } from '../../../host/live/output-file.ts'
import type { DocsInvocation } from './index.ts'

/** Prints the reference of resource types or writes its pages, and returns the exit code. */
export async function runDocs({ operands: [wanted], options }: DocsInvocation, io: Io): Promise<number> {
  const { format, out } = options
  const types = select((await loadExtensions(options, io)).types, wanted)
  if (out !== undefined) await writePages(types, out, io)
  else if (format === 'markdown') await io.print(renderReference(types, { format }))
  else await io.print(renderReference(types, { format, width: proseWidth(io), paint: await io.paintOutput() }))
  return EXIT.ok
}

function select(types: readonly ResourceType[], wanted: string | undefined): readonly ResourceType[] {
  if (wanted === undefined) return types
  const found = types.filter(({ type }) => type === wanted)
  if (found.length > 0) return found
  const names = types.map(({ type }) => type)
  throw usageError(`unknown resource type "${wanted}"${didYouMean(wanted, names)} (${names.join(', ')})`, 'docs')
}

async function writePages(types: readonly ResourceType[], directory: string, io: Io): Promise<void> {
  for (const [name, text] of referencePages(types)) {
    const path = join(directory, name)
    await openOutputFile(path, { what: 'page' }).commit(text)
    io.say(`driftgate: wrote ${path}\n`)
  }
}
