import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../model/operator-error.ts'
import { answeringPath } from '../../host/live/hanging.ts'

/**
 * Throws an `OperatorError` if an output file is also an input, by any name or link, or a policy in an input directory.
 * Reading the inputs reports unreadable files.
 */
export function refuseInputs(outputs: readonly string[], inputs: readonly string[]): void {
  const written = outputs.flatMap(identify)
  if (written.length === 0) return
  const read = new Map(inputs.flatMap(filesOf).flatMap(identify))
  for (const [key, path] of written) {
    const input = read.get(key)
    if (input === undefined) continue
    throw new OperatorError(`${path} would overwrite ${input}, which is an input: write to another file`)
  }
}

function filesOf(path: string): readonly string[] {
  try {
    return readdirSync(answeringPath(path)).flatMap((name) =>
      /\.(?:ya?ml|json)$/.test(name) ? [join(path, name)] : [],
    )
  } catch {
    return [path]
  }
}

function identify(path: string): readonly (readonly [key: string, path: string])[] {
  try {
    const stats = statSync(answeringPath(path))
    return stats.isFile() ? [[`${stats.dev} ${stats.ino}`, path]] : []
  } catch {
    return []
  }
}
