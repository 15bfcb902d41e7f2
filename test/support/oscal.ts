import { Ajv, type SchemaObject } from 'ajv'

/**
 * The rules of NIST's JSON schema of OSCAL for the parts that are written: members, which of them are required, that there are
 * no others, that no array is empty, and the patterns, formats and words of values. No package ships the schema, so this is a table
 * of our own. Properties, findings with their targets, observations down to their evidence, assets, objectives and types of values
 * were compared with the text of oscal_complete_schema.json 1.1.2; results, metadata, risks, subjects, actors, components, inventory
 * items and assessment logs with that of oscal_assessment-results_schema.json 1.2.0, of which 1.1.2 may be narrower. Where it says
 * "any text, or one of these words" the table takes the words alone. Not compared: reviewed-controls and back-matter.
 */
const uuid = text('^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[45][0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$')
const token = text(String.raw`^(\p{L}|_)(\p{L}|\p{N}|[.\-_])*$`)
const string = text(String.raw`^\S(.*\S)?$`)
const line = text('^[^\n]+$')
const prose = { type: 'string' }
const uri = text(String.raw`^[a-zA-Z][a-zA-Z0-9+\-.]+:.+$`)
/** RFC 3986, which the format `uri-reference` is. */
const uriReference = text(String.raw`^([A-Za-z0-9._~:/?#@!$&'()*+,;=\[\]\-]|%[0-9A-Fa-f]{2})*$`)
/** A day that there is, and always UTC; the schema takes offsets that are in use somewhere, too. */
const time: SchemaObject = {
  allOf: [
    text(String.raw`^(19|2\d)\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(2[0-3]|[01]\d):[0-5]\d:[0-5]\d(\.\d+)?Z$`),
    { not: text('-(02-3|(02|04|06|09|11)-31)') },
    { not: text('^..([02468][1235679]|[13579][01345789])-02-29') },
  ],
}

function text(pattern: string): SchemaObject {
  return { type: 'string', pattern }
}

function words(...list: readonly string[]): SchemaObject {
  return { type: 'string', enum: list }
}

function some(items: SchemaObject): SchemaObject {
  return { type: 'array', minItems: 1, items }
}

/** An object of these members and no others; a name with `?` may be absent. */
function members(shape: Readonly<Record<string, SchemaObject>>): SchemaObject {
  const names = Object.keys(shape)
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name.replace('?', ''), schema])),
    required: names.filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  }
}

const props = some(members({ name: token, 'ns?': uri, value: string, 'class?': token, 'remarks?': prose }))
const origins = some(
  members({ actors: some(members({ type: words('tool', 'assessment-platform', 'party'), 'actor-uuid': uuid })) }),
)
const observations = some(members({ 'observation-uuid': uuid }))
const controls = some(members({ 'control-id': token, 'statement-ids?': some(token) }))

const observation = members({
  uuid,
  'title?': line,
  description: prose,
  'props?': props,
  methods: some(words('EXAMINE', 'INTERVIEW', 'TEST', 'UNKNOWN')),
  'origins?': origins,
  'subjects?': some(
    members({
      'subject-uuid': uuid,
      type: words('component', 'inventory-item', 'location', 'party', 'user', 'resource'),
      'title?': line,
    }),
  ),
  'relevant-evidence?': some(members({ 'href?': uriReference, description: prose, 'props?': props })),
  collected: time,
})

const risk = members({
  uuid,
  title: line,
  description: prose,
  statement: prose,
  'props?': props,
  status: words('open', 'investigating', 'remediating', 'deviation-requested', 'deviation-approved', 'closed'),
  'origins?': origins,
  'deadline?': time,
  'remediations?': some(
    members({ uuid, lifecycle: words('recommendation', 'planned', 'completed'), title: line, description: prose }),
  ),
  'related-observations?': observations,
})

const finding = members({
  uuid,
  title: line,
  description: prose,
  'props?': props,
  'origins?': origins,
  target: members({
    type: words('statement-id', 'objective-id'),
    'target-id': token,
    status: members({
      state: words('satisfied', 'not-satisfied'),
      'reason?': words('pass', 'fail', 'other'),
      'remarks?': prose,
    }),
  }),
  'related-observations?': observations,
  'related-risks?': some(members({ 'risk-uuid': uuid })),
})

const component = members({
  uuid,
  type: string,
  title: line,
  description: prose,
  status: members({ state: words('under-development', 'operational', 'disposition', 'other') }),
})

const result = members({
  uuid,
  title: line,
  description: prose,
  start: time,
  'end?': time,
  'props?': props,
  'local-definitions?': members({
    'inventory-items?': some(members({ uuid, description: prose, 'props?': props })),
    'assessment-assets?': members({
      'components?': some(component),
      'assessment-platforms': some(members({ uuid, 'uses-components?': some(members({ 'component-uuid': uuid })) })),
    }),
  }),
  'reviewed-controls': members({
    'control-selections': some(members({ 'description?': prose, 'include-controls?': controls })),
  }),
  'assessment-log?': members({
    entries: some(members({ uuid, 'title?': line, 'description?': prose, start: time })),
  }),
  'observations?': some(observation),
  'risks?': some(risk),
  'findings?': some(finding),
})

const objective = members({
  'control-id': token,
  'description?': prose,
  parts: some(members({ 'id?': token, name: token, 'title?': line, 'prose?': prose })),
})

const document = members({
  'assessment-results': members({
    uuid,
    metadata: members({ title: line, 'last-modified': time, version: string, 'oscal-version': string }),
    'import-ap': members({ href: uriReference, 'remarks?': prose }),
    'local-definitions?': members({ 'objectives-and-methods?': some(objective) }),
    results: some(result),
    'back-matter?': members({ 'resources?': some(members({ uuid, 'title?': line, 'description?': prose })) }),
  }),
})

const validate = new Ajv({ allErrors: true }).compile(document)

export interface ReadFinding {
  readonly host: string
  readonly target: string
  readonly state: string
  readonly reason: string
  readonly risks: readonly string[]
}

interface Read {
  readonly 'assessment-results': {
    readonly 'import-ap': { readonly href: string }
    readonly results: readonly {
      readonly title: string
      readonly risks?: readonly { readonly uuid: string; readonly status: string }[]
      readonly findings?: readonly {
        readonly target: {
          readonly 'target-id': string
          readonly status: { readonly state: string; readonly reason: string }
        }
        readonly 'related-risks'?: readonly { readonly 'risk-uuid': string }[]
      }[]
    }[]
  }
}

/** The findings of a document; throws where it breaks a rule of the format, or refers to what it does not hold. */
export function readOscal(source: string): readonly ReadFinding[] {
  const read = JSON.parse(source) as Read
  if (!validate(read)) throw new Error(JSON.stringify(validate.errors, undefined, 1))
  const { missing, twice } = checkReferences(read)
  if (missing.length + twice.length > 0) throw new Error(`missing: ${missing.join()}; twice: ${twice.join()}`)
  return read['assessment-results'].results.flatMap(({ title, risks = [], findings = [] }) =>
    findings.map(({ target, 'related-risks': related = [] }) => ({
      host: title,
      target: target['target-id'],
      state: target.status.state,
      reason: target.status.reason,
      risks: related.flatMap(({ 'risk-uuid': id }) => risks.find((each) => each.uuid === id)?.status ?? 'missing'),
    })),
  )
}

/** The same host and the same tool have one UUID wherever they are defined. */
const SHARED = new Set(['inventory-items', 'components'])

function checkReferences(read: Read): { readonly missing: readonly string[]; readonly twice: readonly string[] } {
  const defined = new Set<string>()
  const referred = new Set<string>([read['assessment-results']['import-ap'].href.slice(1)])
  const twice: string[] = []
  const define = (id: string, list: string): void => {
    if (defined.has(id) && !SHARED.has(list)) twice.push(id)
    defined.add(id)
  }
  const visit = (value: unknown, list: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value)) {
      if (typeof member !== 'string') visit(member, Array.isArray(value) ? list : name)
      else if (name === 'uuid' || (name === 'id' && list === 'parts')) define(member, list)
      else if (name.endsWith('-uuid') || name === 'target-id') referred.add(member)
    }
  }
  visit(read, '')
  return { missing: [...referred].filter((id) => !defined.has(id)), twice }
}
