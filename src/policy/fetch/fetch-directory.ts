import { defined } from '../../model/defined.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import type { ResourceContext } from '../../resource-type/define.ts'

export interface FetchedDirectories {
  /** Downloads and unpacks an archive, once per run, so that an observation after a fix sees the same content. */
  readonly fetchDirectory: NonNullable<ResourceContext['fetchDirectory']>
  /** Removes the directories. Call it after the run, regardless of its result. Never rejects. */
  readonly remove: () => Promise<void>
}

const OFFLINE = 'source is a URL, and untrusted policies may not fetch anything (--untrusted)'

export interface FetchOptions {
  /** True if downloads are forbidden. */
  readonly isOffline?: boolean
  /** Timeout of one download in milliseconds; ten minutes by default. */
  readonly timeoutMs?: number
}

/**
 * Makes the fetched directories of a run, below the directory for temporary files. Nothing is loaded or created before
 * the first use.
 */
export function createFetchedDirectories(
  signal: AbortSignal | undefined,
  { isOffline = false, timeoutMs }: FetchOptions = {},
): FetchedDirectories {
  const fetched = new Map<string, Promise<Reading<string>>>()
  let removeAll = (): Promise<void> => Promise.resolve()
  const start = makeOnce(async () => {
    const [{ unpackArchive, showSource }, { isAddress }, { createTemporaryDirectories }] = await Promise.all([
      import('./unpack.ts'),
      import('./remote.ts'),
      import('./temporary-directories.ts'),
    ])
    const directories = createTemporaryDirectories()
    removeAll = directories.remove
    return { directories, unpackArchive, showSource, isAddress }
  })
  const fetch = async (source: string): Promise<Reading<string>> => {
    const { directories, unpackArchive, showSource, isAddress } = await start()
    // A URL with another scheme must not be taken for a relative path.
    if (!isAddress(source) && !source.startsWith('/')) {
      return unknown('invalid', 'source is a URL that is neither http nor https')
    }
    if (isOffline && isAddress(source)) return unknown('not-observable', OFFLINE)
    const unpacked = await unpackArchive(source, directories, {
      ...defined({ signal, timeoutMs }),
    })
    if ('directory' in unpacked) return known(unpacked.directory)
    const reason = unpacked.isTimeout === true ? 'timeout' : 'not-observable'
    return unknown(reason, `source ${showSource(source)}: ${unpacked.message}`)
  }
  return {
    fetchDirectory(source) {
      const earlier = fetched.get(source)
      if (earlier !== undefined) return earlier
      const reading = fetch(source)
      fetched.set(source, reading)
      return reading
    },
    remove: () => removeAll(),
  }
}

function makeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
