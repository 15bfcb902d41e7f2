// What find(1) prints about generated trees is what has to be listed.
import { execFileSync } from 'node:child_process'
import { chmodSync, lchownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideFiles, type FilesDesired } from '../../../../src/subjects/files/walk/decide.ts'
import { observeFiles } from '../../../../src/subjects/files/walk/observe.ts'
import { nameFromBytes, systemPath } from '../../../../src/host/live/file-name.ts'
import { createLocalTarget } from '../../../../src/host/live/local-target.ts'
import { showName } from '../../../../src/model/file-name.ts'
import { cases } from '../../../support/soak.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'

/** A byte that is no UTF-8 among them. */
const NAMES = ['a', 'b', 'c.log', '.h', 'x y', 'dé', 'log', '\udcffé', '*'] as const

const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }).map((names) => names.join('/'))

const entry = fc.record({
  path,
  kind: fc.constantFrom('file', 'file', 'file', 'directory', 'directory', 'directory', 'symlink', 'symlink', 'fifo'),
  mode: fc.constantFrom(0o644, 0o666, 0o755, 0o777, 0o1777, 0o2755, 0o4711, 0o600, 0o700, 0o2775),
  // The last has no account on any machine.
  uid: fc.constantFrom(0, 0, 1, 2_000_000_123),
  gid: fc.constantFrom(0, 0, 4, 2_000_000_124),
})

/** A pattern, and the expression that find(1) compares with the path from the directory on. */
const PATTERNS = [
  ['a', '(.*/)?a'],
  ['*.log', '(.*/)?[^/]*\\.log'],
  ['?', '(.*/)?[^/]'],
  ['[^ab]*', '(.*/)?[^ab/][^/]*'],
  [String.raw`\*`, '(.*/)?\\*'],
  ['a/*', 'a/[^/]*'],
  ['*/b', '[^/]*/b'],
  ['a/**', 'a/.+'],
  ['**/log/*', '(.*/)?log/[^/]*'],
  ['a/**/b', 'a/(.*/)?b'],
  ['**/x y/**', '(.*/)?x y/.+'],
  ['**', '.+'],
] as const

const BITS = ['0644', '0755', '0000', '0022', '1000', '6000', '4755', '7775', '0777'] as const
const patterns = fc.array(fc.constantFrom(...PATTERNS), { minLength: 1, maxLength: 2 })

/** Most queries leave out most conditions, or they would find no entry. */
function seldom<Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
}

const query = fc.record({
  include: seldom(patterns),
  exclude: seldom(patterns),
  depth: seldom(fc.integer({ min: 0, max: 3 })),
  kinds: seldom(fc.subarray(['file', 'directory', 'symlink', 'fifo'], { minLength: 2 })),
  with_mode: seldom(fc.constantFrom(...BITS)),
  rule: fc.oneof(
    fc.constantFrom(...BITS).map((mode) => ({ at_most: mode })),
    fc.constantFrom(...BITS).map((mode) => ({ at_least: mode })),
    fc.constantFrom('owner', 'group', 'unowned', 'kind'),
  ),
})

type Query = typeof query extends fc.Arbitrary<infer Value> ? Value : never

function wantedOf(name: string, { include, exclude, depth, kinds, with_mode: bits, rule }: Query): FilesDesired {
  const rules = {
    owner: { owner: 'root' },
    group: { group: { none_of: ['4'] } },
    unowned: { unowned: false },
    kind: { kind: { not: 'fifo' } },
  }
  return {
    name,
    file_systems: 'own',
    if_absent: 'drift',
    timeout: 60_000,
    include: include?.map(([pattern]) => pattern),
    exclude: exclude?.map(([pattern]) => pattern),
    depth,
    kinds: kinds as FilesDesired['kinds'],
    with_mode: bits === undefined ? undefined : { at_least: bits },
    ...(typeof rule === 'object' ? { mode: rule } : rules[rule as keyof typeof rules]),
  }
}

/** find(1) counts the special bits of directories always. */
function ofMode(test: (bits: number) => string, bits: number): string {
  const ordinary = (bits & 0o7000) === 0 ? bits & 0o777 : bits
  return `( ! -type l ( ( -type d ${test(ordinary)} ) -o ( ! -type d ${test(bits)} ) ) )`
}

function findArguments(name: string, { include, exclude, depth, kinds, with_mode: bits, rule }: Query): string[] {
  const regex = (list: readonly (readonly [string, string])[]): string[] => [
    '(',
    ...list.flatMap(([, expression]) => ['-o', '-regex', `${name}/(${expression})`]).slice(1),
    ')',
  ]
  const letters: Record<string, string> = { file: 'f', directory: 'd', symlink: 'l', fifo: 'p' }
  const octal = (number: number): string => number.toString(8).padStart(4, '0')
  const rules: Record<string, string> = {
    owner: '! -uid 0',
    group: '-gid 4',
    unowned: '( -nouser -o -nogroup )',
    kind: '-type p',
  }
  const wrong =
    typeof rule === 'string'
      ? (rules[rule] ?? '')
      : 'at_most' in rule
        ? surplus(Number.parseInt(rule.at_most, 8), octal)
        : ofMode((number) => (number === 0 ? '-false' : `! -perm -${octal(number)}`), Number.parseInt(rule.at_least, 8))
  return [
    '-regextype',
    'posix-extended',
    ...(depth === undefined ? [] : ['-maxdepth', String(depth)]),
    ...(exclude === undefined ? [] : [...regex(exclude), '-prune', '-o']),
    ...(include === undefined ? [] : regex(include)),
    ...(kinds === undefined ? [] : ['-type', kinds.map((kind) => letters[kind]).join()]),
    ...(bits === undefined ? [] : ['!', '-type', 'l', '-perm', `-${bits}`]),
    ...wrong.split(' '),
    '-printf',
    String.raw`%P\0`,
  ]
}

function surplus(bound: number, octal: (number: number) => string): string {
  const test = (mask: number): string => `-perm /${octal(mask)}`
  const special = (bound & 0o7000) === 0 ? 0o777 : 0o7777
  const [ofDirectories, ofOthers] = [special & ~bound, 0o7777 & ~bound]
  // No bit at all is what find(1) takes for any mode.
  const directories = ofDirectories === 0 ? '-false' : test(ofDirectories)
  return `( ! -type l ( ( -type d ${directories} ) -o ( ! -type d ${test(ofOthers)} ) ) )`
}

type Entry = typeof entry extends fc.Arbitrary<infer Value> ? Value : never

/** Makes a tree, but for what only a program can make: that is returned as commands. */
function build(root: string, entries: readonly Entry[]): readonly string[] {
  const made = new Map<string, Entry | undefined>()
  for (const each of entries) {
    const parents = each.path.split('/').map((_, index, names) => names.slice(0, index).join('/'))
    const isFree = parents.every((parent) => (made.get(parent)?.kind ?? 'directory') === 'directory')
    if (!isFree || made.has(each.path)) continue
    for (const parent of parents.slice(1)) if (!made.has(parent)) made.set(parent, undefined)
    made.set(each.path, each)
  }
  const things = [...made].flatMap(([, each]) => (each === undefined ? [] : [each]))
  for (const { path: name, kind } of things) {
    const at = join(root, name)
    mkdirSync(systemPath(kind === 'directory' ? at : dirname(at)), { recursive: true })
    if (kind === 'file') writeFileSync(systemPath(at), '')
    if (kind === 'symlink') symlinkSync('..', systemPath(at))
  }
  const isRoot = needsRoot === undefined
  return things.toReversed().flatMap(({ path: name, kind, mode, uid, gid }) => {
    const at = systemPath(join(root, name))
    const bits = isRoot || kind !== 'directory' ? mode : mode | 0o700
    if (kind === 'fifo') {
      const owner = isRoot ? `chown ${uid}:${gid} '${root}/${name}';` : ''
      return [`mkfifo -m ${(bits & 0o777).toString(8)} '${root}/${name}'; ${owner}`]
    }
    if (isRoot) lchownSync(at, uid, gid)
    if (kind !== 'symlink') chmodSync(at, bits)
    return []
  })
}

test('queries of generated trees find the same entries as find(1)', { timeout: 120_000 }, async () => {
  const base = temporaryDirectory()
  const count = cases({ usual: 250, soak: 20_000 })
  const sampled = fc.sample(fc.record({ entries: fc.array(entry, { minLength: 5, maxLength: 14 }), query }), {
    numRuns: count,
    seed: 22,
  })
  const commands = sampled.map(({ entries, query: asked }, index) => {
    const root = join(base, `t${index}`)
    mkdirSync(root)
    const made = build(root, entries)
    const words = findArguments(root, asked).map((word) => `'${word}'`)
    return [...made, `find ${root} ${words.join(' ')} >${base}/found${index} || echo ${index} failed`]
  })
  writeFileSync(join(base, 'all.sh'), systemPath(commands.flat().join('\n')))
  // For find(1) any byte is a character then, too.
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' }
  expect(execFileSync('bash', [join(base, 'all.sh')], { encoding: 'utf8', env })).toBe('')
  // Nothing changes any more, and who an id belongs to is asked once.
  const target = createLocalTarget()
  let printed = 0
  for (const [index, { query: asked }] of sampled.entries()) {
    const wanted = wantedOf(join(base, `t${index}`), asked)
    const seen = await observeFiles(target, wanted, { signal: new AbortController().signal })
    if (seen.kind === 'unknown') throw new Error(seen.detail)
    const { drift, unknown } = decideFiles(wanted, seen)
    const expected = pathsIn(readFileSync(join(base, `found${index}`)))
    printed += expected.length
    expect({ asked, unknown, paths: [...new Set(drift.map(({ path: each }) => each))] }).toEqual({
      asked,
      unknown: [],
      paths: expected,
    })
  }
  // Most of it would be proved by nothing otherwise.
  expect(printed).toBeGreaterThan(count)
})

function pathsIn(output: Buffer): readonly string[] {
  const names: string[] = []
  for (let start = 0, end = output.indexOf(0); end !== -1; start = end + 1, end = output.indexOf(0, start)) {
    names.push(nameFromBytes(output.subarray(start, end)) || '.')
  }
  return names.toSorted((left, right) => (left < right ? -1 : 1)).map(showName)
}
