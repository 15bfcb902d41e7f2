// Which sources a test file can run: what it imports, and what that imports, at once or late.
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

const IMPORT = /(?:\bfrom|\bimport\(|^import)\s*'(\.{1,2}\/[^']+\.ts)'/gm

/** Gives for a file, relative to the root, the set of files that it reaches; each file is read once. */
export function relatedFiles(root) {
  const imports = new Map()
  const importsOf = (file) => {
    if (!imports.has(file)) {
      const found = readFileSync(posix.join(root, file), 'utf8').matchAll(IMPORT)
      const paths = [...found].map(([, path]) => posix.join(posix.dirname(file), path))
      // Tests hold sources as text, too.
      const there = paths.filter((path) => existsSync(posix.join(root, path)))
      imports.set(file, there)
    }
    return imports.get(file)
  }
  return (file) => {
    const reached = new Set([file])
    for (const each of reached) for (const next of importsOf(each)) reached.add(next)
    return reached
  }
}
