import { readdir, stat } from 'node:fs/promises'
import { compileGlob, globProblem } from '../../model/go-glob.ts'
import { reasonOf } from './files.ts'

const META = /[*?[\\]/

/**
 * The absolute paths that match a pattern, sorted by name in each directory; or the reason if none matches. A path
 * without wildcards is returned as it is, even if it does not exist. @see Go's path/filepath.Glob
 */
export async function expandPaths(pattern: string): Promise<readonly string[] | { readonly reason: string }> {
  if (!META.test(pattern)) return [pattern]
  const problem = globProblem(pattern)
  if (problem !== undefined) return { reason: problem }
  try {
    let paths: readonly string[] = ['']
    for (const part of pattern.split('/').slice(1)) {
      const below = await Promise.all(paths.map((path) => expandPart(path, part)))
      paths = below.flat()
    }
    return paths.length === 0 ? { reason: 'no file matches' } : paths
  } catch (error) {
    return { reason: `cannot be read: ${reasonOf(error)}` }
  }
}

async function expandPart(directory: string, part: string): Promise<readonly string[]> {
  if (!META.test(part)) return (await isThere(`${directory}/${part}`)) ? [`${directory}/${part}`] : []
  const matches = compileGlob(part)
  const names = (await isDirectory(directory)) ? await readdir(`${directory}/`) : []
  return names
    .filter((name) => matches?.(name) === true)
    .toSorted()
    .map((name) => `${directory}/${name}`)
}

async function isDirectory(path: string): Promise<boolean> {
  return (await kindOf(`${path}/`))?.isDirectory() ?? false
}

async function isThere(path: string): Promise<boolean> {
  return (await kindOf(path)) !== undefined
}

/** The stat of a path; undefined if it does not exist. Throws the error of the system otherwise. */
async function kindOf(path: string): Promise<Awaited<ReturnType<typeof stat>> | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
