import { isAbsolute, join } from 'node:path'
import { isAddress } from '../../policy/fetch/remote.ts'
import type { OptionSpec } from '../command.ts'
import { locateTarget } from './target.ts'

/** The value of an option with the path in it, if it holds one, starting from a directory. */
export function locatedIn(directory: string, spec: OptionSpec, text: string): string {
  const holds = 'holds' in spec ? spec.holds : undefined
  if (holds === 'path') return below(directory, text)
  if (holds === 'target') return locateTarget(text, (path) => below(directory, path))
  const [, format = '', path = ''] = holds === 'report' ? (/^([^=]*)=(.+)$/s.exec(text) ?? []) : []
  return path === '' || path === '-' ? text : `${format}=${below(directory, path)}`
}

/** A path starting from a directory; addresses, absolute paths and `-` as they are. */
export function below(directory: string, path: string): string {
  return path === '-' || isAbsolute(path) || isAddress(path) ? path : join(directory, path)
}
