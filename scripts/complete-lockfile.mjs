// Adds to package-lock.json the optional packages of other platforms that the registry in use did not have when the file
// was made, since npm leaves those out and `npm ci` then refuses the file everywhere. Run it after making the lockfile from
// nothing (no node_modules, no package-lock.json; `npm install --package-lock-only`). What such an entry says follows from
// its name and from an entry of the same parent; it has no integrity, which only a registry that holds the package knows.
import { readFile, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url))
const lock = JSON.parse(await readFile(file, 'utf8'))
const added = []

for (const [parentPath, parent] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    if (findEntry(lock.packages, parentPath, name) !== undefined) continue
    lock.packages[`node_modules/${name}`] = entryOf({ name, version, ...siblingOf(parentPath, parent) })
    added.push(`${name}@${version}`)
  }
}
const packages = Object.entries(lock.packages).toSorted(([left], [right]) => left.localeCompare(right, 'en'))
await writeFile(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`)
console.log(added.length === 0 ? 'package-lock.json is complete' : `added ${added.length}:\n  ${added.join('\n  ')}`)

/** The entry that `require(name)` finds from a package: in its own node_modules, or in one further up. */
function findEntry(entries, parentPath, name) {
  for (let path = parentPath; ; path = path.slice(0, Math.max(path.lastIndexOf('/node_modules/'), 0))) {
    const entry = entries[`${path === '' ? '' : `${path}/`}node_modules/${name}`]
    if (entry !== undefined || path === '') return entry
  }
}

/** Engines and license of a package for another platform, which are the same for all packages of one parent. */
function siblingOf(parentPath, parent) {
  for (const name of Object.keys(parent.optionalDependencies)) {
    const entry = findEntry(lock.packages, parentPath, name)
    if (entry?.os !== undefined) return { engines: entry.engines, license: entry.license, dev: entry.dev }
  }
  console.error(`no optional package of ${parentPath} is known, so what the others need cannot be told`)
  process.exit(1)
}

/** Platform packages are named `<prefix><os>-<cpu>[-<abi>]`; the C library is stated only where the abi is gnu or musl. */
function entryOf({ name, version, engines, license, dev }) {
  const [, os, cpu, abi] =
    /(?:^|[/-])([a-z0-9]+)-(arm64|arm|ia32|loong64|mips64el|ppc64|riscv64|s390x|x64)(?:-([a-z]+))?$/.exec(name) ?? []
  if (os === undefined || !/^\d+\.\d+\.\d+$/.test(version)) {
    console.error(`${name}@${version} is no package of a platform in an exact version`)
    process.exit(1)
  }
  const libc = { gnu: 'glibc', musl: 'musl' }[abi]
  return {
    version,
    cpu: [cpu],
    ...(dev === true && { dev }),
    ...(libc !== undefined && { libc: [libc] }),
    license,
    optional: true,
    os: [os],
    ...(engines !== undefined && { engines }),
  }
}
