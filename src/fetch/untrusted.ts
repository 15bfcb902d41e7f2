import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Problem } from '../core/problem.ts'
import type { PolicySource, SourceFile } from './files.ts'

// Standard input lies nowhere, so no file is beside it; and a device holds no files.
const NOWHERE = '/dev/null'

/** Policies that others wrote: each is confined to its own directory, itself included, wherever a link leads. */
export function untrustedSource(source: PolicySource): PolicySource {
  const confine = (read: SourceFile | Problem): SourceFile | Problem => {
    if ('message' in read) return read
    if (read.confinedTo !== undefined) return { ...read, isUntrusted: true }
    if (read.realPath === undefined) return { ...read, confinedTo: NOWHERE, isUntrusted: true }
    const directory = dirname(resolve(read.file))
    if (dirname(read.realPath) === realpathSync(directory)) return { ...read, confinedTo: directory, isUntrusted: true }
    const message = `${read.file}: is a symbolic link to another directory, which --untrusted does not follow`
    return { message, severity: 'error' }
  }
  return {
    list: source.list,
    read: async (file) => confine(await source.read(file)),
    readStdin: async () => confine(await source.readStdin()),
  }
}
