import { basename, join, posix, resolve } from 'node:path'
import type { Confine } from '../fetch/confine.ts'
import { localSource, nameBeside, readBeside, type SourceFile, type Unreadable } from '../fetch/files.ts'
import { listSources, readSource } from '../fetch/shipped.ts'
import { decodeUtf8 } from '../document/text.ts'
import { type SourceText, sourceText } from '../document/lines.ts'
import { didYouMean } from '../../model/suggest.ts'

const SHIPPED = '@catalogue'

export interface Beside {
  readonly source: string
  readonly workingDirectory: string
  readonly confine?: Confine
}

export interface CatalogueFiles {
  /** The files of the directory, as paths for `read`. */
  readonly list: () => Promise<readonly string[]>
  /** Throws an `Error` with the reason if a file cannot be read. */
  readonly read: (path: string) => Promise<SourceText>
  /** Reads a list that the catalogue names, if it exists: a bundled policy includes its catalogue, but not the other lists. */
  readonly find: (path: string) => Promise<SourceText | undefined>
  readonly beside: (path: string) => string
}

/** Opens the catalogue that a policy names. Throws an `Error` with the reason if it does not exist. */
export function openCatalogueFiles(from: string, policy: Beside): CatalogueFiles {
  if (from.startsWith('@')) return shippedFiles(from)
  const confined = (path: string): string => {
    const refusal = policy.confine?.(path)
    if (refusal !== undefined) throw new Error(`${path} ${refusal}`)
    return path
  }
  return {
    async list() {
      const listed = await localSource.list(resolve(policy.workingDirectory, confined(from)))
      if ('message' in listed) throw new Error(listed.message)
      return listed.length === 1 && basename(listed[0] ?? '') === basename(from)
        ? [from]
        : listed.map((path) => join(from, basename(path)))
    },
    read: async (path) => textOf(nameBeside(policy.source, path), await readBeside(policy, confined(path))),
    async find(path) {
      const read = await readBeside(policy, confined(path))
      return 'reason' in read ? undefined : textOf(nameBeside(policy.source, path), read)
    },
    beside: (path) => join(from, path),
  }
}

function shippedFiles(from: string): CatalogueFiles {
  if (from !== SHIPPED) throw new Error(`no catalogue "${from}" ships with driftgate${didYouMean(from, [SHIPPED])}`)
  const folder = SHIPPED.slice(1)
  return {
    list: async () => (await listSources(folder)).map((name) => posix.join(folder, name)),
    read: async (path) => textOf(`@${path}`, await readSource(path)),
    find: async (path) => textOf(`@${path}`, await readSource(path)),
    beside: (path) => posix.join(folder, path),
  }
}

function textOf(file: string, read: SourceFile | Unreadable): SourceText {
  if ('reason' in read) throw new Error(`${file} ${read.reason}`)
  const text = decodeUtf8(file, read.bytes)
  if (typeof text !== 'string') throw new Error(text.message)
  return sourceText(file, text)
}
