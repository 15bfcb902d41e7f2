import { isAbsolute, join } from 'node:path'
import { isAddress } from '../../policy/fetch/remote.ts'
import type { OptionSpec } from '../command.ts'
import { locateTarget } from './target.ts'

/** Option value with its path, if any, resolved against a directory. */
export function locatedIn(directory: string, spec: OptionSpec, text: string): string {
  const holds = 'holds' in spec ? spec.holds : undefined
  if (holds === 'path') return resolveIn(directory, text)
  if (holds === 'target') return locateTarget(text, (path) => resolveIn(directory, path))
  const [, format = '', path = ''] = holds === 'report' ? (/^([^=]*)=(.+)$/s.exec(text) ?? []) : []
  return path === '' || path === '-' ? text : `${format}=${resolveIn(directory, path)}`
}

/** Resolves a path against a directory; URLs, absolute paths and `-` stay unchanged. */
export function resolveIn(directory: string, path: string): string {
  return path === '-' || isAbsolute(path) || isAddress(path) ? path : join(directory, path)
}
