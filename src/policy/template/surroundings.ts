import type { EnvironmentOptions, ValueMap } from './environment-options.ts'
import { forbiddenMap } from './forbidden-map.ts'
import { stringMap } from '../../templates/govalue/index.ts'
import type { ReadLog } from './read-log.ts'
import { strictMap } from './strict-values.ts'

/** What lies on a server may well be a secret, and nothing else says whether it is one; so it counts as one. */
export function secretly(kvGet: EnvironmentOptions['kvGet'], reads: ReadLog): EnvironmentOptions['kvGet'] {
  if (kvGet === undefined) return undefined
  return (bucket, key) => {
    // Why nothing could be read is no secret.
    const value = kvGet(bucket, key)
    reads.note('secret')
    return value
  }
}

/** The variables of the environment as templates see them: reading one is noted, or refused where they are kept from templates. */
export function environOf({ environ, environRefusal, strict }: EnvironmentOptions, reads: ReadLog): ValueMap {
  if (environRefusal !== undefined) return forbiddenMap(environRefusal)
  const map = strict === undefined ? stringMap(environ) : strictMap(new Map(environ), { root: 'Environ' })
  return reads.watchAll(map, 'environment')
}
