import { resolve } from 'node:path'
import process from 'node:process'

/** How this very program is started again: the node that runs it and its file, by absolute paths, links kept. */
export function programOf(): readonly [node: string, program: string] {
  return [process.execPath, resolve(process.argv[1] ?? '')]
}
