const TEXT = ['string', 'number', 'boolean']
const NAME = {
  type: 'string',
  pattern: '^[a-zA-Z][a-zA-Z0-9_-]*$|\\{\\{|\\$\\{',
  $comment: 'must be a name of letters, digits, _ and - that starts with a letter',
}

function numberUpTo(maximum: number): Readonly<Record<string, unknown>> {
  return {
    type: ['integer', 'string'],
    minimum: 1,
    maximum,
    pattern: '\\{\\{|\\$\\{',
    $comment: `must be a whole number between 1 and ${maximum}`,
  }
}

const registration = {
  type: 'object',
  additionalProperties: false,
  required: ['cluster', 'service', 'protocol', 'address', 'port', 'priority'],
  properties: {
    cluster: { ...NAME, description: 'The cluster the service belongs to.' },
    service: { ...NAME, description: 'What the service is called.' },
    protocol: { ...NAME, description: 'What it speaks.' },
    address: {
      type: 'string',
      description: 'The IP address it is reached at; the name of a host is registered with a warning.',
    },
    port: { ...numberUpTo(65_535), description: 'The port it is reached at.' },
    priority: { ...numberUpTo(255), description: 'Its priority; the lower, the sooner it is used.' },
    annotations: {
      type: ['object', 'null'],
      additionalProperties: { type: TEXT },
      description: 'Texts that go with it.',
    },
    ttl: {
      type: TEXT,
      description:
        'How long the registration holds, such as `10m`, or `never`; as the registry has it where it is left out.',
    },
  },
}

const healthCheck = {
  type: 'object',
  additionalProperties: false,
  properties: {
    command: { type: TEXT, description: 'The check with its arguments; it runs without a shell.' },
    goss_rules: {
      description:
        'Rules of Goss in place of a command, such as `port: {tcp:80: {listening: true}}`. Templates are expanded in their keys and values, and cannot add any.',
    },
    name: { type: TEXT, description: 'What reports call the check, by default the command after its last slash.' },
    timeout: { type: TEXT, default: '1m', description: 'How long one try may take; then it is killed.' },
    tries: {
      type: 'integer',
      minimum: 1,
      default: 1,
      $comment: 'must be a whole number of at least 1',
      description: 'How often the check is run until it succeeds.',
    },
    try_sleep: { type: TEXT, default: '1s', description: 'The pause between two tries.' },
    format: {
      enum: ['nagios', 'goss'],
      description: 'How the check reports: `nagios` with a command, `goss` with rules.',
    },
  },
}

/** The JSON Schemas of the properties that every resource has. */
export const commonProperties: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  alias: {
    type: [...TEXT, 'null'],
    description: 'Another name to refer to the resource by; tells apart resources of one type and name.',
  },
  provider: { type: [...TEXT, 'null'], description: 'The way to observe and change the resource.' },
  require: {
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'Earlier resources that must not have failed, as type#name or type#alias.',
  },
  subscribe: {
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'Earlier resources whose changes this one reacts to, as type#name or type#alias.',
  },
  control: {
    type: ['object', 'null'],
    additionalProperties: false,
    properties: {
      if: {
        type: [...TEXT, 'null'],
        description: 'An expression; the resource concerns this machine only if it is true.',
      },
      unless: {
        type: [...TEXT, 'null'],
        description: 'An expression; the resource does not concern this machine if it is true.',
      },
    },
    description: 'Whether the resource concerns this machine.',
  },
  sensitive: { type: ['boolean', 'null'], description: 'The values of the resource are secrets and never shown.' },
  health_checks: {
    type: ['array', 'null'],
    items: healthCheck,
    description:
      'Commands with the exit codes of Nagios plugins, or rules of Goss, that check that the managed thing also works.',
  },
  register_when_stable: {
    type: ['array', 'null'],
    items: registration,
    description:
      'Entries of the registry of Choria Configuration Manager, published by `scan --fix --register` once the resource is as it should be and its checks are OK.',
  },
}
