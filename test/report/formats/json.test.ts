import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderReport } from '../../../src/report/index.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { policyResult, resourceResult, runOf } from '../../support/run.ts'
import { auditRun, SAMPLE_RUNS } from '../../support/sample-runs.ts'

const schemaText = readFileSync(new URL('../../../schemas/report.schema.json', import.meta.url), 'utf8')
const validate = new Ajv2020({ strictTypes: true }).compile(JSON.parse(schemaText))

/** The schema as it ships allows fields it does not know. Closed, it also shows that it knows all there are. */
const closedSchema: object = JSON.parse(schemaText, (key, value) =>
  isObjectSchema(value) && key !== 'references' ? { ...value, additionalProperties: false } : value,
)
const validateClosed = new Ajv2020().compile(closedSchema)

function isObjectSchema(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'object'
}

test.each(SAMPLE_RUNS)(
  'the report of the %s run follows the schema, which describes every field',
  async (_name, run) => {
    const report: unknown = JSON.parse(await renderReport(run, 'json'))
    validate(report)
    expect(validate.errors).toBeNull()
    validateClosed(report)
    expect(validateClosed.errors).toBeNull()
    expect(report).toEqual(run)
  },
)

test('every report follows the schema and equals the run', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, async (run) => {
      const report: unknown = JSON.parse(await renderReport(run, 'json'))
      validateClosed(report)
      expect(validateClosed.errors).toBeNull()
      expect(report).toEqual(run)
    }),
  )
})

test('every description in the schema is a sentence', () => {
  const undescribed: string[] = []
  JSON.parse(schemaText, (key, value) => {
    if (key !== 'properties') return value
    for (const [name, property] of Object.entries<object>(value)) {
      if ('$ref' in property || 'const' in property || 'minItems' in property || 'maxItems' in property) continue
      if (!('description' in property) || !String(property.description).endsWith('.')) undescribed.push(name)
    }
    return value
  })
  expect(undescribed).toEqual([])
})

test.each([
  ['an unknown verdict', '"verdict": "drifted"', '"verdict": "different"'],
  ['drift without what a fix would do', '"change": "will",', ''],
  ['an error without its reason', '"reason": "permission-denied",', ''],
  ['a compliant resource with drift', '"verdict": "drifted"', '"verdict": "compliant"'],
  ['an exit code that does not exist', '"code": 2', '"code": 6'],
  ['a position without a column', '"column": 11', '"col": 11'],
  ['a time with a zone', '2026-11-20T12:00:00.250Z', '2026-11-20T12:00:00+01:00'],
  ['a secret in the clear', '"redacted": true', '"redacted": false'],
  ['another format', 'driftgate.report/v1', 'driftgate.report/v2'],
])('the schema refuses %s', async (_case, from, to) => {
  const report = await renderReport(auditRun, 'json')
  expect(report).toContain(from)
  expect(validate(JSON.parse(report.replace(from, to)))).toBe(false)
})

test('the schema accepts fields that a later version adds', async () => {
  const report = await renderReport(auditRun, 'json')
  const later = report.replace('"verdict": "drifted"', '"attempts": 2, "verdict": "drifted"')
  expect(later).not.toBe(report)
  expect(validate(JSON.parse(later))).toBe(true)
})

test('the order of the fields does not depend on how the run was put together', async () => {
  const { id, type, source, ...rest } = resourceResult()
  const { file, line, column } = source
  const other = { ...rest, source: { column, line, file }, type, id }
  const { policies: _policies, summary, schema, ...fields } = runOf()
  const run = { ...fields, summary, policies: [policyResult({ resources: [other] })], schema }
  expect(await renderReport(run, 'json')).toBe(await renderReport(runOf(), 'json'))
})

test('is indented by two spaces, starts with its schema and ends with a line feed', async () => {
  const report = await renderReport(runOf(), 'json')
  expect(report.split('\n').slice(0, 3)).toEqual(['{', '  "schema": "driftgate.report/v1",', '  "tool": {'])
  expect(report.endsWith('\n}\n')).toBe(true)
})
