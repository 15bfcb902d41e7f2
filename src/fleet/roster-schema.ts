import { DURATION_PATTERN } from '../model/duration.ts'
import { type JsonSchema, mapSchema, TEXT } from '../policy/document/form-schema.ts'
import { NAME_RULE, SAFE_NAME } from './nats/names.ts'

const INTERVAL: JsonSchema = { type: 'string', pattern: DURATION_PATTERN, examples: ['15m', '1h', '1d'] }

const NKEY: JsonSchema = { type: 'string', pattern: '^U[A-Z2-7]{55}$' }

/** JSON Schema (draft 7) of rosters for editors; the reader checks more. */
export function rosterSchema(): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'driftgate roster',
    description: 'The hosts that should report, and how often, passed to driftgate fleet with --roster.',
    ...mapSchema(['hosts'], {
      interval: { ...INTERVAL, description: 'How often hosts report for which nothing else is said.' },
      policies: {
        type: 'object',
        additionalProperties: { anyOf: [{ const: 'retired' }, INTERVAL] },
        description: 'Policies that are evaluated at another interval than their host reports, or no more.',
      },
      hosts: { type: 'array', items: { anyOf: [{ type: 'string', minLength: 1 }, { $ref: '#/definitions/host' }] } },
    }),
    definitions: {
      host: mapSchema(['name'], {
        name: { ...TEXT, pattern: '.', description: 'Its own host name.' },
        interval: { ...INTERVAL, description: 'How often it reports.' },
        labels: { type: 'object', additionalProperties: TEXT, description: 'Texts that hosts are chosen by.' },
        retired: {
          type: 'string',
          pattern: String.raw`^\d{4}-\d{2}-\d{2}$`,
          description: 'The day since when it is expected no longer.',
        },
        revoked: {
          type: 'string',
          pattern: String.raw`^\d{4}-\d{2}-\d{2}$`,
          description: 'The day since when its key is let in no longer.',
        },
        reason: { ...TEXT, description: 'Why it is retired or revoked.' },
        ring: {
          ...TEXT,
          pattern: SAFE_NAME.source,
          description: `The ring whose assignments are for it; ${NAME_RULE}.`,
        },
        key: { ...NKEY, description: 'The public key that it connects with.' },
        next: { ...NKEY, description: 'The public key that replaces it; both are valid until the host uses it.' },
        replaced: {
          type: 'array',
          items: NKEY,
          description: 'The replaced public keys: their signatures remain valid.',
        },
        former: {
          type: 'array',
          items: NKEY,
          description: 'The revoked public keys: their signatures are no longer valid.',
        },
      }),
    },
  }
}
