import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadPolicy } from '../../src/policy/load.ts'
import type { Policy } from '../../src/core/policy.ts'

interface Written {
  readonly data: Readonly<Record<string, unknown>>
}

const catalogue = parse(readFileSync('scripts/baselines/benchmarks.yaml', 'utf8')) as {
  readonly benchmarks: Readonly<Record<string, unknown>>
  readonly parameters: Readonly<Record<string, unknown>>
}
const names = Object.keys(catalogue.benchmarks)

describe.each(names)('@%s', async (name) => {
  const loaded = await loadPolicy(`@${name}`)
  const [policy] = loaded.ok ? loaded.value : []

  test('is valid', () => {
    expect(loaded).toMatchObject({ ok: true, warnings: [] })
  })

  test('every control says what it asks, why, how bad it is, and what to do', () => {
    for (const { id, title = '', description = '', remediation = '', references } of controlsOf(policy)) {
      expect(title, id).toMatch(/^.{8,100}$/)
      expect(description, id).toMatch(/^\S.{15,}[.!)]$/s)
      expect(remediation, id).toMatch(/^.{5,}\.$/s)
      expect(references['nist-800-53'], id).not.toEqual([])
    }
  })

  test('a control is automated, or says that a person has to look', () => {
    for (const { id, manual = false, resources } of controlsOf(policy)) expect(manual, id).toBe(resources.length === 0)
  })

  test('every resource supports a control', () => {
    const supporting = new Set(controlsOf(policy).flatMap(({ resources }) => resources))
    expect(policy?.resources.map(({ id }) => id).filter((id) => !supporting.has(id))).toEqual([])
  })

  test('what a site decides is data with a meaning', () => {
    const { data } = parse(readFileSync(`policies/${name}.yaml`, 'utf8')) as Written
    for (const key of Object.keys(data)) expect(catalogue.parameters, key).toHaveProperty(key)
  })

  test.runIf(name.startsWith('cis-'))('is for one system: on another a fix stops at the first control', () => {
    const [system] = controlsOf(policy)
    expect(system?.id).toBe('0')
    const asked = system?.resources ?? []
    const others = policy?.resources.filter(({ id }) => !asked.includes(id)) ?? []
    expect(others.filter(({ require }) => !asked.every((id) => require.includes(id)))).toEqual([])
  })
})

test('each file of the catalogue is a subject by which controls are chosen', async () => {
  const loaded = await loadPolicy('@cis-debian-13')
  const [policy] = loaded.ok ? loaded.value : []
  const subjects = readdirSync('scripts/baselines/controls').map((file) => file.replace(/\.yaml$/, ''))
  const tags = new Set(controlsOf(policy).flatMap((control) => control.tags))
  expect([...tags].filter((tag) => !tag.startsWith('level-') && !subjects.includes(tag))).toEqual([])
})

test.each(['dev-sec-linux', 'dev-sec-ssh'])('the guide says of every control of @%s what is compared', async (name) => {
  const loaded = await loadPolicy(`@${name}`)
  const [policy] = loaded.ok ? loaded.value : []
  const rows = new Set(
    [...readFileSync('docs/guide/dev-sec.md', 'utf8').matchAll(/^\| ([a-z]+-\w+) /gm)].map(([, id]) => id),
  )
  expect(controlsOf(policy).flatMap(({ id }) => (rows.has(id) ? [] : [id]))).toEqual([])
})

function controlsOf(policy: Policy | undefined): Policy['controls'] {
  if (policy === undefined) throw new Error('the policy is not valid')
  return policy.controls
}
