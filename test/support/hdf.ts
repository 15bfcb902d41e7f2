import { Ajv } from 'ajv'

const text = { type: 'string' }
const optionalText = { type: ['string', 'null'] }

/**
 * What a document of the Heimdall Data Format, version 1, must have, and of what type it is: written from the description
 * of the format. Closed, so that it also shows that nothing is written which the format does not know.
 */
const SCHEMA = closed(
  {
    platform: closed({ name: text, release: text, target_id: optionalText }, ['name', 'release']),
    version: text,
    statistics: closed({ duration: { type: 'number', minimum: 0 } }, []),
    passthrough: { type: 'object' },
    profiles: {
      type: 'array',
      items: closed(
        {
          name: text,
          title: optionalText,
          version: optionalText,
          sha256: text,
          status: { const: 'loaded' },
          supports: { type: 'array' },
          attributes: { type: 'array' },
          groups: { type: 'array' },
          controls: {
            type: 'array',
            items: closed(
              {
                id: text,
                title: optionalText,
                desc: optionalText,
                descriptions: { type: 'array', items: closed({ label: text, data: text }) },
                impact: { type: 'number', minimum: 0, maximum: 1 },
                refs: { type: 'array', items: closed({ ref: text }) },
                tags: { type: 'object' },
                code: optionalText,
                source_location: closed({ ref: text, line: { type: 'integer', minimum: 1 } }),
                waiver_data: closed({
                  expiration_date: optionalText,
                  justification: optionalText,
                  message: optionalText,
                  run: { type: 'boolean' },
                  skipped_due_to_waiver: { type: 'boolean' },
                }),
                results: {
                  type: 'array',
                  minItems: 1,
                  items: closed(
                    {
                      status: { enum: ['passed', 'failed', 'skipped', 'error'] },
                      code_desc: text,
                      start_time: { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$` },
                      run_time: { type: 'number', minimum: 0 },
                      message: text,
                      skip_message: text,
                      exception: text,
                    },
                    ['status', 'code_desc', 'start_time'],
                  ),
                },
              },
              ['id', 'impact', 'refs', 'tags', 'source_location', 'results'],
            ),
          },
        },
        ['name', 'sha256', 'supports', 'attributes', 'groups', 'controls'],
      ),
    },
  },
  ['platform', 'profiles', 'statistics', 'version'],
)

function closed(properties: Readonly<Record<string, object>>, required = Object.keys(properties)): object {
  return { type: 'object', properties, required, additionalProperties: false }
}

export interface ReadControl {
  readonly profile: string
  readonly id: string
  /** What Heimdall shows of it. */
  readonly status: 'Profile Error' | 'Not Applicable' | 'Failed' | 'Passed' | 'Not Reviewed'
  readonly raw: RawControl
}

interface RawControl {
  readonly id: string
  readonly impact: number
  readonly tags: Readonly<Record<string, unknown>>
  readonly waiver_data?: { readonly skipped_due_to_waiver: unknown }
  readonly results: readonly { readonly status: string; readonly [name: string]: unknown }[]
  readonly [name: string]: unknown
}

const validate = new Ajv({ allowUnionTypes: true }).compile<{
  readonly profiles: readonly { readonly name: string; readonly controls: readonly RawControl[] }[]
}>(SCHEMA)

/** Reads a document as viewers of the format do; throws if it is invalid. */
export function readHdf(document: string): readonly ReadControl[] {
  const report: unknown = JSON.parse(document)
  if (!validate(report)) throw new Error(JSON.stringify(validate.errors))
  return report.profiles.flatMap(({ name, controls }) =>
    controls.map((raw) => ({ profile: name, id: raw.id, status: statusOf(raw), raw })),
  )
}

/** The rules of the viewers: a waiver and an impact of 0 hide every result, every truthy value counts as a waiver. */
function statusOf({ impact, results, waiver_data: waiver }: RawControl): ReadControl['status'] {
  const has = (status: string): boolean => results.some((result) => result.status === status)
  if (results.some((result) => 'backtrace' in result)) return 'Profile Error'
  if (Boolean(waiver?.skipped_due_to_waiver) || impact === 0) return 'Not Applicable'
  if (has('error')) return 'Profile Error'
  if (has('failed')) return 'Failed'
  return has('passed') ? 'Passed' : 'Not Reviewed'
}
