import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../../src/model/run.ts'
import type { ReportStream } from '../../../src/report/format.ts'
import { findReportFormat, renderReport } from '../../../src/report/index.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { policyResult, resourceResult, runOf } from '../../support/run.ts'
import { auditRun, invalidRun, SAMPLE_RUNS } from '../../support/sample-runs.ts'

const schemaText = readFileSync(new URL('../../../schemas/event.schema.json', import.meta.url), 'utf8')
const validate = new Ajv2020({ strictTypes: true }).compile(JSON.parse(schemaText))
const validateClosed = new Ajv2020().compile(
  JSON.parse(schemaText, (key, value: unknown) =>
    isObjectSchema(value) && key !== 'references' ? { ...value, additionalProperties: false } : value,
  ) as object,
)

function isObjectSchema(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'object'
}

type Event = Readonly<Record<string, unknown>>

/** The events of a text, read by a reader who takes only line feeds for the end of a line. */
function parse(text: string): readonly Event[] {
  expect(text.endsWith('\n')).toBe(true)
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Event)
}

async function eventsOf(run: Run): Promise<readonly Event[]> {
  return parse(await renderReport(run, 'ndjson'))
}

async function openStream(): Promise<ReportStream> {
  const stream = await findReportFormat('ndjson')?.stream?.()
  if (stream === undefined) throw new Error('it cannot be streamed')
  return stream
}

test('starts with the run, has an event per resource that counts, then the policies with their controls, then the end', async () => {
  const events = await eventsOf(auditRun)
  expect(events.map(({ event }) => event)).toEqual([
    'start',
    ...Array.from({ length: 11 }, () => 'resource'),
    'policy',
    'policy',
    'end',
  ])
  expect(events[0]).toMatchObject({
    schema: 'driftgate.event/v1',
    target: { hostname: 'web01' },
    run: { mode: 'audit' },
  })
  expect(events[1]).toMatchObject({ policy: 'ssh.hardening', ...auditRun.policies[0]?.resources[0] })
  expect(events[12]).toMatchObject({ id: 'ssh.hardening', controls: auditRun.policies[0]?.controls })
  expect(events[14]).toMatchObject({ summary: auditRun.summary, exit: auditRun.exit, problems: auditRun.problems })
})

test.each(SAMPLE_RUNS)(
  'the events of the %s run follow the schema, which describes every field',
  async (_name, run) => {
    for (const event of await eventsOf(run)) {
      validate(event)
      expect(validate.errors).toBeNull()
      validateClosed(event)
      expect(validateClosed.errors).toBeNull()
    }
  },
)

test('every line is an event of the schema without terminal control characters', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, async (run) => {
      const text = await renderReport(run, 'ndjson')
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|##(?:vso)?\[/u)
      for (const event of parse(text)) {
        validateClosed(event)
        expect(validateClosed.errors).toBeNull()
      }
    }),
  )
})

test('a text comes back as it was', async () => {
  const message = 'a\n\u001b[31m\u009b\u2028\u202e\u{e0001}\ud800##vso[x]é日本🙂"\\'
  const [, event] = await eventsOf(
    runOf({ policies: [policyResult({ resources: [resourceResult({ verdict: 'not-applicable', message })] })] }),
  )
  expect(event).toMatchObject({ message })
})

/** What the engine tells of a run, in its order: an apply resource with health checks after everything below it. */
function tellAsEngine(run: Run, tell: (policy: string, result: ResourceResult) => void): void {
  const visit = (results: readonly ResourceResult[], policy: string): void => {
    for (let index = 0; index < results.length;) {
      const [result] = results.slice(index)
      if (result === undefined) return
      const depth = result.path?.length ?? 0
      const rest = results.slice(index + 1)
      const ends = rest.findIndex(({ path = [] }) => path.length <= depth)
      const below = ends < 0 ? rest : rest.slice(0, ends)
      visit(below, policy)
      if (below.length === 0 || result.health !== undefined) tell(policy, result)
      index += 1 + below.length
    }
  }
  for (const { id, resources } of run.policies) visit(resources, id)
}

test('the events written during the scan equal the report rendered afterwards', async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryRun.filter(({ target }) => target.kind === 'local'),
      async (run) => {
        const stream = await openStream()
        let text = stream.start({ schema: run.schema, tool: run.tool, run: run.run, target: run.target })
        tellAsEngine(run, (policy, result) => (text += stream.resource(policy, result)))
        expect(text + stream.end(run)).toBe(await renderReport(run, 'ndjson'))
      },
    ),
  )
})

test('an apply resource with health checks comes after its children, one without does not appear', async () => {
  const health = [
    { name: 'up', status: 'OK' as const, attempts: [{ status: 'OK' as const, output: '', durationMs: 1 }] },
  ]
  const at = (id: string, path: readonly string[] = [], fields: Partial<ResourceResult> = {}): ResourceResult =>
    resourceResult({ id, ...(path.length === 0 ? {} : { path }), ...fields })
  const resources = [
    at('apply#a', [], { health }),
    at('file#1', ['apply#a']),
    at('apply#b', ['apply#a'], { health }),
    at('file#2', ['apply#a', 'apply#b']),
    at('apply#c', ['apply#a']),
    at('file#3', ['apply#a', 'apply#c']),
    at('file#4'),
  ]
  const events = await eventsOf(runOf({ policies: [policyResult({ resources })] }))
  const ids = events.flatMap(({ event, id }) => (event === 'resource' ? [id] : []))
  expect(ids).toEqual(['file#1', 'file#2', 'apply#b', 'file#3', 'apply#a', 'file#4'])
})

test('a scan that could not be performed has a start and an end that says why', async () => {
  const stream = await openStream()
  const text = stream.end(invalidRun)
  expect(parse(text).map(({ event }) => event)).toEqual(['start', 'end'])
  expect(parse(text)[1]).toMatchObject({ exit: { code: 1 }, problems: invalidRun.problems })
  expect(text).toBe(await renderReport(invalidRun, 'ndjson'))
})

test('in a merged report every result says where it comes from', async () => {
  const target = { kind: 'local', hostname: 'web02', os: { id: 'debian', version: '12' } } as const
  const origin = { runId: 'r2', mode: 'audit', startedAt: '2026-11-20T12:00:00.000Z', target } as const
  const events = await eventsOf(
    runOf({ target: { ...target, kind: 'merged', hostname: 'web01, web02' }, policies: [policyResult({ origin })] }),
  )
  expect(events[1]).toMatchObject({ event: 'resource', origin })
  expect(events[2]).toMatchObject({ event: 'policy', origin })
})
