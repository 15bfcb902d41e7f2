import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Entry {
  readonly resolved?: string
  readonly version?: string
  readonly os?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Entry> }

/** The entry that a package finds under a name: in its own node_modules, or in one further up. */
function findEntry(parent: string, name: string): Entry | undefined {
  const entry = packages[`${parent === '' ? '' : `${parent}/`}node_modules/${name}`]
  if (entry !== undefined || parent === '') return entry
  return findEntry(parent.slice(0, Math.max(parent.lastIndexOf('/node_modules/'), 0)), name)
}

// `npm ci` refuses a lockfile that lacks any of them, on any platform.
test.each(['dependencies', 'optionalDependencies'] as const)('the lockfile names all packages among %s', (kind) => {
  const missing = Object.entries(packages).flatMap(([path, entry]) =>
    Object.keys(entry[kind] ?? {})
      .filter((name) => findEntry(path, name) === undefined)
      .map((name) => `${name}, which ${path} asks for`),
  )
  expect(missing).toEqual([])
})

test.each([
  ['x64', 'glibc'],
  ['x64', 'musl'],
  ['arm64', 'glibc'],
  ['arm64', 'musl'],
])('the linter can be installed on Linux with %s and %s', (cpu, libc) => {
  expect(Object.entries(packages)).toContainEqual([
    expect.stringMatching(/^node_modules\/@oxlint\//),
    expect.objectContaining({ os: ['linux'], cpu: [cpu], libc: [libc] }),
  ])
})

test('the lockfile names no registry, so that each user installs from their own', () => {
  expect(Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
})
