import { EXIT } from '../../../model/gate.ts'
import { editorSchema } from '../../../policy/schema/editor.ts'
import { loadExtensions } from '../../options/extension.ts'
import type { Io } from '../../output/io.ts'
import { openOutputFile } from '../../../host/live/output-file.ts'
import type { SchemaInvocation } from './index.ts'

/** Prints the JSON Schema of policies or writes it to a file, and returns the exit code. */
export async function runSchema({ options }: SchemaInvocation, io: Io): Promise<number> {
  const { types } = await loadExtensions(options, io)
  const text = `${JSON.stringify(editorSchema(types), null, 2)}\n`
  if (options.out === undefined) await io.print(text)
  else {
    await openOutputFile(options.out, { what: 'schema' }).commit(text)
    io.say(`driftgate: wrote ${options.out}\n`)
  }
  return EXIT.ok
}
