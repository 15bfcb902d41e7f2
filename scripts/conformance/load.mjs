// Reads recorded cases: a list of cases, an object whose `vectors` share its other fields, or one of `cases` that name
// one of its `envs`.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** All cases of a folder and of its subfolders `observed` and `oracle`, in the order of file names. */
export function loadCases(folder) {
  return ['', 'observed', 'oracle']
    .flatMap((below) => jsonFiles(folder, below))
    .flatMap((file) => {
      const content = JSON.parse(readFileSync(path.join(folder, file), 'utf8'))
      return spread(content).map((recorded, index) => ({ file, index, content: recorded }))
    })
}

function jsonFiles(folder, below) {
  const directory = path.join(folder, below)
  if (!existsSync(directory)) return []
  const names = readdirSync(directory).filter((name) => name.endsWith('.json'))
  return names.toSorted().map((name) => path.posix.join(below, name))
}

function spread(content) {
  if (Array.isArray(content)) return content
  if (content.cases !== undefined) {
    return content.cases.map((recorded) => ({ ...recorded, engine: 'observed', env: environmentOf(content, recorded) }))
  }
  const { vectors, note: _note, ...shared } = content
  return vectors.map((recorded) => ({ ...shared, ...recorded }))
}

function environmentOf({ envs }, { env }) {
  return typeof env === 'string' ? envs[env] : env
}
