import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import type { SarifLog } from '../../src/report/words/sarif-log.ts'

const SCHEMA = new URL('../fixtures/sarif/sarif-schema-2.1.0.json', import.meta.url)

const validate = compile()

/** Reads a log that the schema of OASIS accepts, or throws what it says against it. */
export function parseSarif(text: string): SarifLog {
  const log: unknown = JSON.parse(text)
  if (isSarif(log)) return log
  throw new Error(JSON.stringify(validate.errors, undefined, 2))
}

function isSarif(value: unknown): value is SarifLog {
  return validate(value) === true
}

/** The schema is written for draft 4, of which it uses nothing that later drafts mean otherwise but these two keys. */
function compile(): ValidateFunction {
  const { $schema: _draft, id: _id, ...schema } = JSON.parse(readFileSync(SCHEMA, 'utf8')) as Record<string, unknown>
  return new Ajv({
    strict: false,
    unicodeRegExp: false,
    allErrors: true,
    formats: {
      uri: (text: string) => isUri(text) && URL.canParse(text),
      'uri-reference': isUri,
      'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
    },
  }).compile(schema)
}

/** The characters RFC 3986 allows, and no percent sign without its two digits. */
function isUri(text: string): boolean {
  return /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[\dA-F]{2})*$/i.test(text)
}
