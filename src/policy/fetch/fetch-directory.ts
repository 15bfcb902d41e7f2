import { defined } from '../../model/defined.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import type { ResourceContext } from '../../resource-type/define.ts'

/** The directories that the resources of one run had fetched. */
export interface FetchedDirectories {
  /** Downloads and unpacks an archive; the same one once in a run, so that a look after a fix sees what the fix saw. */
  readonly fetchDirectory: NonNullable<ResourceContext['fetchDirectory']>
  /** Removes them. To be called when the run is over, with any result. Never rejects. */
  readonly remove: () => Promise<void>
}

const OFFLINE = 'source is an address, and policies of others may fetch nothing (--untrusted)'

/** How archives are fetched. */
export interface FetchOptions {
  /** Whether none may be fetched from an address. */
  readonly isOffline?: boolean
  /** How long one download may take, in milliseconds; ten minutes by default. */
  readonly timeoutMs?: number
}

/** Starts a run's directories below the place for temporary files. Nothing is loaded or made until one is asked for. */
export function createFetchedDirectories(
  signal: AbortSignal | undefined,
  { isOffline = false, timeoutMs }: FetchOptions = {},
): FetchedDirectories {
  const fetched = new Map<string, Promise<Reading<string>>>()
  let removeAll = (): Promise<void> => Promise.resolve()
  const start = once(async () => {
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
    // A URL of another kind must not be taken for a relative path.
    if (!isAddress(source) && !source.startsWith('/')) {
      return unknown('invalid', 'source is a URL of another kind than http and https')
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

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
