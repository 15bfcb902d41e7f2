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
    service: { ...NAME, description: 'The name of the service.' },
    protocol: { ...NAME, description: 'Its protocol.' },
    address: {
      type: 'string',
      description: 'Its IP address; a host name is registered with a warning.',
    },
    port: { ...numberUpTo(65_535), description: 'Its port.' },
    priority: { ...numberUpTo(255), description: 'Its priority; lower values are preferred.' },
    annotations: {
      type: ['object', 'null'],
      additionalProperties: { type: TEXT },
      description: 'Additional strings.',
    },
    ttl: {
      type: TEXT,
      description: 'The lifetime of the registration, such as `10m`, or `never`; by default that of the registry.',
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
        'Goss rules instead of a command, such as `port: {tcp:80: {listening: true}}`. Templates are expanded in their keys and values but cannot add any.',
    },
    name: { type: TEXT, description: 'The name of the check in reports, by default the base name of the command.' },
    timeout: { type: TEXT, default: '1m', description: 'Time limit of one try, after which it is killed.' },
    tries: {
      type: 'integer',
      minimum: 1,
      default: 1,
      $comment: 'must be a whole number of at least 1',
      description: 'The maximum number of tries until the check succeeds.',
    },
    try_sleep: { type: TEXT, default: '1s', description: 'The delay between two tries.' },
    format: {
      enum: ['nagios', 'goss'],
      description: 'The format of the check: `nagios` with a command, `goss` with rules.',
    },
  },
}

/** The JSON Schemas of the properties that every resource has. */
export const commonProperties: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  alias: {
    type: [...TEXT, 'null'],
    description: 'Another name for references to the resource; distinguishes resources with the same type and name.',
  },
  provider: { type: [...TEXT, 'null'], description: 'The provider that observes and changes the resource.' },
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
        description: 'An expression; the resource applies to this host only if it is true.',
      },
      unless: {
        type: [...TEXT, 'null'],
        description: 'An expression; the resource does not apply to this host if it is true.',
      },
    },
    description: 'Whether the resource applies to this host.',
  },
  sensitive: { type: ['boolean', 'null'], description: 'The values of the resource are secrets and never shown.' },
  health_checks: {
    type: ['array', 'null'],
    items: healthCheck,
    description:
      'Commands with the exit codes of Nagios plugins, or Goss rules, that check whether the managed service works.',
  },
  register_when_stable: {
    type: ['array', 'null'],
    items: registration,
    description:
      'Entries of the registry of Choria Configuration Manager, published by `scan --fix --register` once the resource is compliant and its checks are OK.',
  },
}
