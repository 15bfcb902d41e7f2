import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { HealthResult, ResourceResult } from '../../src/model/run.ts'
import { scan, type ScanOptions } from '../../src/engine/local.ts'
import { loadPolicy } from '../../src/policy/load.ts'
import { temporaryDirectory } from '../support/temporary.ts'

interface Check {
  readonly goss_rules: unknown
  readonly [key: string]: unknown
}

/** Scans a resource that is always right, with a health check by rules of Goss. */
async function resultOf(check: Check, options: ScanOptions = {}): Promise<ResourceResult> {
  const directory = temporaryDirectory()
  const resource = { name: 'always right', command: 'true', health_checks: [check] }
  const data = { word: 'fine', root: '/', structure: 'x}, matches: {not: x' }
  const policy = join(directory, 'p.yaml')
  writeFileSync(policy, JSON.stringify({ data, ccm: { resources: [{ command: resource }] } }))
  const loaded = await loadPolicy(policy, { environ: {} })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  const run = await scan(loaded.value, options)
  const [result] = run.policies.flatMap(({ resources }) => resources)
  if (result === undefined) throw new Error('there is no result')
  return result
}

async function healthOf(check: Check, options: ScanOptions = {}): Promise<HealthResult | undefined> {
  return (await resultOf(check, options)).health?.[0]
}

const matching = (content: unknown, matches: unknown): unknown => ({ matching: { x: { content, matches } } })

describe('rules of Goss as a health check', () => {
  test('are OK where all hold', async () => {
    expect(await healthOf({ goss_rules: matching('a', 'a'), format: 'goss' })).toMatchObject({
      name: 'goss',
      status: 'OK',
      attempts: [{ output: 'Count: 1, Failed: 0, Skipped: 0' }],
    })
  })

  test('are critical where one does not, which is drift', async () => {
    const rules = {
      matching: { x: { content: 'a', matches: 'b' }, y: { content: 'a', matches: 'a' } },
      file: { '/nowhere/at/all': { exists: true, mode: '0644' } },
    }
    const result = await resultOf({ goss_rules: rules, name: 'works' })
    const output =
      'Count: 4, Failed: 2, Skipped: 1; matches matching:x: want b, found a; exists file:/nowhere/at/all: want true, found false'
    expect(result).toMatchObject({ verdict: 'drifted', drift: [{ property: 'health', note: `works: ${output}` }] })
  })

  test('are unknown where it cannot be told, which is no compliance', async () => {
    expect(await resultOf({ goss_rules: matching('a', { not: { gt: 1 } }) })).toMatchObject({
      verdict: 'error',
      reason: 'invalid',
    })
  })

  test('run no command where none may be run', async () => {
    const rules = { command: { true: { 'exit-status': 0 } } }
    expect(await healthOf({ goss_rules: rules, tries: 3, try_sleep: '1ms' }, { runCommands: false })).toMatchObject({
      status: 'UNKNOWN',
      attempts: [{ trouble: 'not-observable' }],
    })
  })

  test('are tried until they hold', async () => {
    const counter = join(temporaryDirectory(), 'count')
    const rules = { command: { [`echo x >> ${counter}; wc -l < ${counter}`]: { 'exit-status': 0, stdout: ['3'] } } }
    const health = await healthOf({ goss_rules: rules, tries: 5, try_sleep: '1ms' })
    expect(health?.attempts.map(({ status }) => status)).toEqual(['CRITICAL', 'CRITICAL', 'OK'])
  })

  test('may take as long as a try may', async () => {
    const rules = { command: { 'sleep 60': { 'exit-status': 0 } } }
    expect(await healthOf({ goss_rules: rules, timeout: '50ms' })).toMatchObject({
      status: 'UNKNOWN',
      attempts: [{ trouble: 'timeout' }],
    })
  })
})

describe('templates in them', () => {
  test('are expanded in keys and values', async () => {
    const rules = {
      file: { '{{ Data.root }}': { exists: true, filetype: 'directory' } },
      matching: { x: { content: '{{ Data.word }}', matches: 'fine' } },
    }
    expect(await healthOf({ goss_rules: rules })).toMatchObject({ status: 'OK' })
  })

  test('cannot make rules of values', async () => {
    const rules = matching('{{ Data.structure }}', 'x}, matches: {not: x')
    expect(await healthOf({ goss_rules: rules })).toMatchObject({ status: 'OK' })
  })
})
