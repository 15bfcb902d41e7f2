import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { isAcceptance } from '../../../src/model/acceptance.ts'
import type { Declaration, Policy } from '../../../src/model/policy.ts'
import { readCoverage } from '../../../src/policy/catalogue/coverage.ts'
import { loadPolicy } from '../../../src/policy/load.ts'
import { runInProcess } from '../../support/command-line.ts'

const catalogue = parse(readFileSync('policies/catalogue/catalogue.yaml', 'utf8')) as {
  readonly lists: readonly string[]
  readonly parameters: Readonly<Record<string, { readonly meaning: string }>>
}
const names = catalogue.lists.map((path) => basename(path, '.yaml'))
const SEVERITY_ROWS = readFileSync('docs/reference/severities-of-controls.md', 'utf8')
  .replaceAll(/\\([|*<_])/g, '$1')
  .split('\n')

describe.each(names)('@%s', async (name) => {
  const loaded = await loadPolicy(`@${name}`)
  const [policy] = loaded.ok ? loaded.value : []

  test('is valid', () => {
    expect(loaded).toMatchObject({ ok: true, warnings: [] })
  })

  test('every control has a title, description, remediation and NIST reference', () => {
    for (const { id, title = '', description = '', remediation = '', references } of controlsOf(policy)) {
      expect(title, id).toMatch(/^.{8,100}$/)
      expect(description, id).toMatch(/^\S.{15,}[.!)]$/s)
      expect(remediation, id).toMatch(/^.{5,}\.$/s)
      expect(references['nist-800-53'], id).not.toEqual([])
    }
  })

  test('the page of severities has each control with its severity and its reason', () => {
    for (const { id, severity, title = '', description = '' } of controlsOf(policy)) {
      const here = [`\`${name}\` ${id},`, `\`${name}\` ${id} |`]
      const rows = SEVERITY_ROWS.filter((row) => here.some((text) => row.includes(text)))
      const start = `| ${severity} | ${title} | ${description} |`
      expect(
        rows.map((row) => row.slice(0, start.length)),
        id,
      ).toEqual([start])
    }
  })

  test('a control is automated, or says that a person has to look', () => {
    for (const { id, manual = false, resources } of controlsOf(policy))
      expect(manual || resources.length > 0, id).toBe(true)
  })

  test('the remediation promises --fix where a fix can do something, and nowhere else', () => {
    const byId = new Map(policy?.resources.map((resource) => [resource.id, resource]))
    const promises = ({ remediation = '' }: Control): boolean => remediation.includes('--fix')
    const asked = controlsOf(policy).map((control) => ({
      control,
      resources: control.resources.flatMap((id) => byId.get(id) ?? []),
    }))
    const none = asked.filter(({ resources }) => resources.every(isNeverFixed))
    expect(none.flatMap(({ control }) => (promises(control) ? [control.id] : []))).toEqual([])
    const all = asked.filter(({ resources }) => resources.length > 0 && resources.every(({ type }) => FIXED.has(type)))
    expect(all.flatMap(({ control }) => (promises(control) ? [] : [control.id]))).toEqual([])
  })

  test('every resource supports a control', () => {
    const supporting = new Set(controlsOf(policy).flatMap(({ resources }) => resources))
    expect(policy?.resources.map(({ id }) => id).filter((id) => !supporting.has(id))).toEqual([])
  })

  if (!name.startsWith('cis-')) return
  test('is for one system: on another a fix stops at the first control', () => {
    const [system] = controlsOf(policy)
    expect(system?.id).toBe('0')
    const asked = system?.resources ?? []
    const others = policy?.resources.filter(({ id }) => !asked.includes(id)) ?? []
    expect(others.filter(({ require }) => !asked.every((id) => require.includes(id)))).toEqual([])
  })
})

test.each(Object.entries(catalogue.parameters))(
  'a parameter of the site has a description: %s',
  (_name, { meaning }) => {
    expect(meaning).toMatch(/^.{10,}$/)
  },
)

test('each file of the catalogue is a subject by which controls are chosen', async () => {
  const loaded = await loadPolicy('@cis-debian-13')
  const [policy] = loaded.ok ? loaded.value : []
  const subjects = readdirSync('policies/catalogue').map((file) => file.replace(/\.yaml$/, ''))
  const tags = new Set(controlsOf(policy).flatMap((control) => control.tags))
  expect([...tags].filter((tag) => !tag.startsWith('level-') && !subjects.includes(tag))).toEqual([])
})

test.each(['dev-sec-linux', 'dev-sec-ssh'])(
  'the guide describes the comparison of every control of @%s',
  async (name) => {
    const loaded = await loadPolicy(`@${name}`)
    const [policy] = loaded.ok ? loaded.value : []
    const rows = new Set(
      [...readFileSync('docs/guide/dev-sec.md', 'utf8').matchAll(/^\| ([a-z]+-\w+) /gm)].map(([, id]) => id),
    )
    expect(controlsOf(policy).flatMap(({ id }) => (rows.has(id) ? [] : [id]))).toEqual([])
  },
)

type Control = Policy['controls'][number]

/** Types whose every difference a fix knows how to take away. */
const FIXED = new Set(['boot_argument', 'crypto_policy', 'kernel_module', 'sysctl'])

/** Types that look alone. */
const ONLY_LOOK = new Set([
  'boot_password',
  'certificate',
  'command',
  'goss',
  'interface',
  'kernel_option',
  'port',
  'process',
])

const OF_ACCOUNTS = /^(?:(?:max|min|warn|inactive)_days|home_(?:owner|group|mode)|dot_files_mode)$/
const FLAGS = /^(?:dconf:locks\/|pwquality:enforce_for_root$)/

/** Whether no fix takes away any difference of a resource, as its `decide` says with a plan that is refused. */
function isNeverFixed({ type, name, properties }: Declaration): boolean {
  const names = Object.keys(properties)
  if (ONLY_LOOK.has(type)) return true
  switch (type) {
    case 'accounts':
      return !names.some((each) => OF_ACCOUNTS.test(each))
    case 'file':
      return isWithoutNearest(properties['content']) && !names.some((each) => /^(?:owner|group|mode)$/.test(each))
    case 'files':
      return !names.some((each) => /^(?:owner|group|mode|capabilities)$/.test(each))
    case 'mount':
      return properties['ensure'] === 'mounted' && properties['options'] === undefined
    case 'pam':
      // A stack is not rewritten; pam_unix has no file of its own.
      return properties['module'] === 'pam_unix.so' && properties['arguments'] !== undefined
    case 'setting':
      return isSettingNeverFixed(name, properties)
    case 'user':
      return names.every((each) => each === 'password_hash' || each === 'if_absent' || each === 'ensure')
    default:
      return false
  }
}

function isSettingNeverFixed(name: string, { value, ensure, any_of: anyOf }: Declaration['properties']): boolean {
  if (typeof anyOf === 'object') return !JSON.stringify(anyOf).includes('"fix"')
  // Who has no other way in only a person knows.
  if (/^sudoers:(?:NOPASSWD|!authenticate)$/.test(name)) return true
  return ensure === 'present' && value === undefined ? !FLAGS.test(name) : isWithoutNearest(value)
}

/** Whether a map of conditions names nothing that could be written. */
function isWithoutNearest(value: unknown): boolean {
  if (!isAcceptance(value) || value.fix !== undefined) return false
  return Object.keys(value).every((word) => ['not', 'none_of', 'matches', 'not_matches'].includes(word))
}

function controlsOf(policy: Policy | undefined): Policy['controls'] {
  if (policy === undefined) throw new Error('the policy is not valid')
  return policy.controls
}

interface CatalogueControl {
  readonly id: string
  readonly variants?: Readonly<Record<string, string>>
  readonly resources?: readonly unknown[] | Readonly<Record<string, readonly unknown[]>>
}

const withVariants = readdirSync('policies/catalogue')
  .filter((file) => file !== 'catalogue.yaml')
  .flatMap((file) => parse(readFileSync(`policies/catalogue/${file}`, 'utf8')) as CatalogueControl[])
  .flatMap(({ id, variants = {}, resources = [] }) =>
    Array.isArray(resources) && Object.keys(variants).length === 0 ? [] : [{ id, variants, resources }],
  )

test.each(withVariants)('the lists differ in $id with a reason', ({ variants, resources }) => {
  const { otherwise = [], ...differing } = resources as Readonly<Record<string, readonly unknown[]>>
  expect(Object.keys(variants)).toEqual(Object.keys(differing))
  expect(Object.values(variants).filter((reason) => !/^.{15,}$/.test(reason))).toEqual([])
  const sorted = (all: readonly unknown[]): readonly string[] => all.map((each) => JSON.stringify(each)).toSorted()
  const alike = Object.entries(differing).filter(([, own]) => sorted(own).join() === sorted(otherwise).join())
  expect(alike).toEqual([])
})

describe.each(readdirSync('policies').filter((name) => name.startsWith('cis-')))('the coverage of %s', (file) => {
  const name = basename(file, '.yaml')

  test('each recommendation has a control or a reason for having none, never both', async () => {
    const { catalogue: list } = parse(readFileSync(join('policies', file), 'utf8')) as {
      readonly catalogue: { readonly controls: readonly string[] }
    }
    // The check of the operating system and requirements that SSG adds have no number of the benchmark.
    const controls = list.controls.flatMap((line) => /^\d+(?:\.\d+)+/.exec(line)?.[0] ?? [])
    const { numbers, uncovered } = await readCoverage(`@${name}`)
    expect([...controls, ...uncovered.map(({ number }) => number)].toSorted()).toEqual(numbers.toSorted())
    for (const { number, why, reason } of uncovered) {
      expect(['manual', 'not expressible', 'to do'], number).toContain(why)
      expect(reason, number).toMatch(/^.{8,80}$/)
    }
  })

  test('policies show --coverage prints it', async () => {
    const { numbers, uncovered } = await readCoverage(`@${name}`)
    const { code, stdout } = await runInProcess('policies', 'show', `@${name}`, '--coverage')
    const rows = stdout.split('\n').slice(1, -1)
    expect(code).toBe(0)
    expect(stdout).toContain(`${numbers.length} recommendations, ${numbers.length - uncovered.length} with a control\n`)
    expect(rows.map((row) => row.split(' ')[0])).toEqual(uncovered.map(({ number }) => number))
  })
})

test('--coverage is refused for a policy that follows no numbered benchmark', async () => {
  const { code, stderr } = await runInProcess('policies', 'show', '@linux', '--coverage')
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('one of @cis-debian-12, ') })
})
