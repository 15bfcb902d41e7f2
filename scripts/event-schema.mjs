/** The JSON Schema of the events of `--report ndjson`: the parts of a report, each with the event that tells it. */
export function eventSchema(report) {
  const { properties, $defs } = report
  const kinds = {
    start: {
      type: 'object',
      description: 'The first event. What is known of a run before its first result.',
      required: ['event', 'schema', 'tool', 'run', 'target'],
      properties: {
        event: { const: 'start', description: 'Which event it is.' },
        schema: { const: 'driftgate.event/v1', description: 'The name and version of this format.' },
        tool: properties.tool,
        run: pick(properties.run, ['id', 'mode', 'startedAt']),
        target: properties.target,
      },
    },
    resource: extend($defs.resource, 'resource', 'A resource that counts was evaluated.', {
      policy: { type: 'string', description: 'The id of the policy that was given to the run.' },
      origin: $defs.policy.properties.origin,
    }),
    policy: extend(
      omit($defs.policy, ['resources']),
      'policy',
      'Everything of this policy was told; its controls.',
      {},
    ),
    end: {
      type: 'object',
      description: 'The last event. Where it is missing, so are others.',
      required: ['event', 'run', 'summary', 'exit'],
      properties: {
        event: { const: 'end', description: 'Which event it is.' },
        ...pick({ properties }, ['run', 'summary', 'exit', 'problems', 'notes', 'waivers', 'baseline']).properties,
      },
    },
  }
  return {
    $schema: report.$schema,
    $id: 'urn:driftgate:schema:event:v1',
    title: 'driftgate.event/v1',
    description:
      'One event of a scan: a line of --report ndjson. In this order: one start, a resource for each that counts, a policy for each, one end. Within v1 fields are only ever added, and events too, so readers must ignore what they do not know.',
    oneOf: Object.keys(kinds).map((kind) => ({ $ref: `#/$defs/${kind}Event` })),
    $defs: {
      ...omit({ properties: $defs }, ['policy', 'resource']).properties,
      ...Object.fromEntries(Object.entries(kinds).map(([kind, schema]) => [`${kind}Event`, schema])),
    },
  }
}

function extend(schema, event, description, properties) {
  return {
    ...schema,
    description,
    required: ['event', ...Object.keys(properties).filter((name) => name !== 'origin'), ...schema.required],
    properties: { event: { const: event, description: 'Which event it is.' }, ...properties, ...schema.properties },
  }
}

function pick(schema, names) {
  return filter(schema, (name) => names.includes(name))
}

function omit(schema, names) {
  return filter(schema, (name) => !names.includes(name))
}

function filter(schema, keeps) {
  return {
    ...schema,
    ...(schema.required === undefined ? {} : { required: schema.required.filter(keeps) }),
    properties: Object.fromEntries(Object.entries(schema.properties).filter(([name]) => keeps(name))),
  }
}
