// Proves that a subject is its folder and its line in the registry: bundles the program without each in turn, and without the
// types of others that ask it, and scans a policy with what is left. `npm run prove:subjects [-- NAME ...]`.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import ts from 'typescript'

/** Subjects that the program cannot be without, each with what needs it. */
const CORE = {
  accounts: 'names of owners',
  archives: 'policies in archives',
  goss: 'Goss files as policies',
  mounts: 'file systems of an offline root',
  network: 'measured by Goss',
  packages: 'driftgate init, and measured by Goss',
  policies: 'policies in policies',
  processes: 'driftgate init, and measured by Goss',
  services: 'driftgate init, and measured by Goss',
  settings: 'surfaces of plugins',
  sockets: 'driftgate init, and measured by Goss',
  sysctl: 'measured by Goss',
}

/** Types of two subjects: a scan needs one that remains. */
const POLICIES = { file: '{ name: /nowhere, ensure: absent }', user: '{ name: root, ensure: present }' }

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const REGISTRY = 'src/subjects/index.ts'
/** A loader of the registry: the file, and the part of it. */
const LOADER = /^async \(\) => \(await import\('([^']+)'\)\)\.(\w+)$/
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g

const names = await readdir(join(ROOT, 'src/subjects'), { withFileTypes: true })
const subjects = names.flatMap((each) => (each.isDirectory() && each.name !== 'shared' ? [each.name] : [])).toSorted()
const texts = new Map()
for (const path of await readdir(join(ROOT, 'src'), { recursive: true }))
  if (path.endsWith('.ts')) texts.set(`src/${path}`, await readFile(join(ROOT, 'src', path), 'utf8'))
const importers = new Map()
for (const [file, text] of texts)
  for (const [, path] of text.matchAll(IMPORT)) {
    const imported = join(dirname(file), path)
    importers.set(imported, [...(importers.get(imported) ?? []), file])
  }

const asked = process.argv.slice(2)
const failures = []
for (const subject of asked.length > 0 ? asked : subjects) {
  const problem = await prove(subject)
  if (problem !== undefined) failures.push(`${subject}: ${problem}`)
}
for (const failure of failures) console.error(failure)
process.exitCode = failures.length > 0 ? 1 : 0

async function prove(subject) {
  const gone = goneWith(subject)
  const outside = [...gone].filter((file) => !file.startsWith('src/subjects/'))
  if (subject in CORE) {
    console.log(`${subject}: needed (${CORE[subject]})`)
    return outside.length === 0 ? 'is not needed any more: take it out of CORE' : undefined
  }
  if (outside.length > 0) return `${outside[0]} cannot be without it`
  const { text, removed } = registryWithout(gone)
  console.log(`${subject}: proved without ${removed.join(', ')}`)
  return scanWithout(gone, text)
}

/** The files of a subject and those that import them, up to the registry. */
function goneWith(subject) {
  const gone = new Set([...texts.keys()].filter((file) => file.startsWith(`src/subjects/${subject}/`)))
  for (const file of gone)
    for (const importer of importers.get(file) ?? []) if (importer !== REGISTRY) gone.add(importer)
  return gone
}

async function scanWithout(gone, registry) {
  // Below the checkout, where the packages are found.
  await mkdir(join(ROOT, '.cache'), { recursive: true })
  const folder = await mkdtemp(join(ROOT, '.cache/without-'))
  const remaining = {
    name: 'remaining',
    setup(bundle) {
      bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const file = relative(ROOT, path)
        if (gone.has(file)) return { errors: [{ text: `${file} is imported all the same` }] }
        return { contents: file === REGISTRY ? registry : texts.get(file), loader: 'ts' }
      })
    },
  }
  try {
    const outfile = join(folder, 'bin/main.mjs')
    const options = { bundle: true, format: 'esm', platform: 'node', packages: 'external', logLevel: 'silent' }
    await build({ ...options, absWorkingDir: ROOT, entryPoints: ['src/cli/main.ts'], outfile, plugins: [remaining] })
    const results = Object.entries(POLICIES).map(([type, resource]) => scan(outfile, folder, type, resource))
    return results.some(({ status, stdout }) => status === 0 && stdout.includes('1 compliant'))
      ? undefined
      : results.map(({ status, stdout, stderr }) => `a scan exits with ${status}: ${stdout}${stderr}`).join('\n')
  } catch (error) {
    return error.message
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function scan(program, folder, type, resource) {
  writeFileSync(join(folder, 'policy.yaml'), `ccm: { resources: [{ ${type}: ${resource} }] }\n`)
  const code = `import(${JSON.stringify(program)}).then(({ main }) => main(['scan', 'policy.yaml']))`
  return spawnSync(process.execPath, ['-e', code], { cwd: folder, encoding: 'utf8' })
}

/** The registry without loaders of removed files: its text, and the parts that it lost. */
function registryWithout(gone) {
  const source = ts.createSourceFile(REGISTRY, texts.get(REGISTRY), ts.ScriptTarget.Latest, true)
  const removed = []
  const isGone = (node) => {
    const [, path, part] = LOADER.exec(node?.getText(source) ?? '') ?? []
    if (path === undefined || !gone.has(join(dirname(REGISTRY), path))) return false
    removed.push(part)
    return true
  }
  const visitor = (context) =>
    function visit(node) {
      if (isGone(ts.isPropertyAssignment(node) ? node.initializer : node)) return undefined
      return ts.visitEachChild(node, visit, context)
    }
  const { transformed } = ts.transform(source, [(context) => (file) => ts.visitNode(file, visitor(context))])
  return { text: ts.createPrinter().printFile(transformed[0]), removed }
}
