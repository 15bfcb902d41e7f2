// `npm run new -- KIND NAME` writes the folder of something new from a template that passes the gate, with its tests and the
// line in the registry. Each kind is a module beside its templates in `scripts/new/KIND`.
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { spawnSync } from 'node:child_process'
import { format, getFileInfo, resolveConfig } from 'prettier'

const root = fileURLToPath(new URL('..', import.meta.url))
const templates = fileURLToPath(new URL('new', import.meta.url))

process.exitCode = await main(process.argv.slice(2))

async function main([kindName, name, ...rest]) {
  const kinds = await readKinds()
  const kind = kinds.get(kindName)
  if (kind === undefined || name === undefined || rest.length > 0) return refuse(usage(kinds))
  const problem = kind.nameProblem(name) ?? (await takenProblem(kind, name))
  return problem === undefined ? make(kind, name) : refuse(problem)
}

/**
 * The kinds by name. A module exports:
 * - `summary`: what is made, for the usage;
 * - `nameProblem(name)`: why nothing can be called that, or undefined;
 * - `owns(name)`: the folders that are made and must not be there;
 * - `files(name)`: where each template goes, by its path in the folder of the kind;
 * - `words(name)`: what stands for each placeholder of the templates;
 * - `edits(name)`: by path, what makes the new text of a file that is there, such as a registry, of the old one;
 * - `generates`: whether generated files follow from it;
 * - `next(name)`: what to do then, as sentences.
 */
async function readKinds() {
  const entries = await readdir(templates, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  const modules = names
    .toSorted()
    .map(async (each) => [each, await import(pathToFileURL(join(templates, each, 'kind.mjs')).href)])
  return new Map(
    (await Promise.all(modules)).map(([each, module]) => [each, { ...module, folder: join(templates, each) }]),
  )
}

function usage(kinds) {
  const lines = [...kinds].map(([kind, { summary }]) => `  npm run new -- ${kind} NAME`.padEnd(34) + summary)
  return ['say what is to be made and what it is called:', ...lines].join('\n')
}

/** Nothing that is there is written over. */
async function takenProblem(kind, name) {
  for (const path of [...kind.owns(name), ...Object.values(kind.files(name))]) {
    if (await isThere(path)) return `${path} is there already; choose another name, or take it away first`
  }
  return undefined
}

async function make(kind, name) {
  const words = kind.words(name)
  const texts = new Map()
  for (const [template, path] of Object.entries(kind.files(name))) {
    texts.set(path, fill(await readFile(join(kind.folder, template), 'utf8'), words))
  }
  for (const [path, edit] of Object.entries(kind.edits(name))) {
    texts.set(path, edit(await readFile(join(root, path), 'utf8')))
  }
  for (const [path, text] of texts) {
    const full = join(root, path)
    await mkdir(dirname(full), { recursive: true })
    await writeFile(full, await formatted(full, text))
    console.log(path)
  }
  if (kind.generates) {
    const { status } = spawnSync(process.execPath, ['scripts/generate.mjs'], { cwd: root, stdio: 'inherit' })
    if (status !== 0) return status ?? 1
  }
  console.log(`\n${kind.next(name).join('\n')}`)
  return 0
}

function fill(text, words) {
  return Object.entries(words).reduce((filled, [placeholder, word]) => filled.replaceAll(placeholder, word), text)
}

/** The text as the project formats such files; golden files and others it leaves alone stay as they are. */
async function formatted(path, text) {
  const { inferredParser } = await getFileInfo(path, { ignorePath: join(root, '.prettierignore') })
  return inferredParser === null ? text : await format(text, { ...(await resolveConfig(path)), filepath: path })
}

async function isThere(path) {
  try {
    await access(join(root, path))
    return true
  } catch (error) {
    if (error.code === 'ENOENT') return false
    throw error
  }
}

function refuse(message) {
  console.error(message)
  return 1
}
