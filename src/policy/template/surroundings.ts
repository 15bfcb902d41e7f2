import type { EnvironmentOptions, ValueMap } from './environment-options.ts'
import { type GoValue, stringMap } from '../../templates/govalue/index.ts'
import type { ReadLog } from './read-log.ts'
import { strictMap } from './strict-values.ts'
import { ForbiddenError } from '../../templates/errors.ts'

/** Values on a server may be secret and have no annotation, so all of them count as secret. */
export function markReadsSecret(kvGet: EnvironmentOptions['kvGet'], reads: ReadLog): EnvironmentOptions['kvGet'] {
  if (kvGet === undefined) return undefined
  return (bucket, key) => {
    // The error of a failed read is not secret.
    const value = kvGet(bucket, key)
    reads.note('secret')
    return value
  }
}

/** The environment variables of templates: reads are recorded, or refused if templates have no environment. */
export function environOf({ environ, environRefusal, strict }: EnvironmentOptions, reads: ReadLog): ValueMap {
  if (environRefusal !== undefined) return forbiddenMap(environRefusal)
  const map = strict === undefined ? stringMap(environ) : strictMap(new Map(environ), { root: 'Environ' })
  return reads.watchAll(map, 'environment')
}

/** A map whose content must not be accessed: any access throws a `ForbiddenError` with this sentence. */
function forbiddenMap(sentence: string): ReadonlyMap<GoValue, GoValue> {
  const refuse = (): never => {
    throw new ForbiddenError(sentence)
  }
  const map = new Map<GoValue, GoValue>()
  for (const name of ['has', 'get', 'entries', 'keys', 'values', 'forEach', Symbol.iterator] as const) {
    Object.defineProperty(map, name, { value: refuse })
  }
  return Object.defineProperty(map, 'size', { get: refuse })
}
