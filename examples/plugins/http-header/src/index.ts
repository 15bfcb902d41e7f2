import {
  cannot,
  compare,
  definePlugin,
  defineProperties,
  defineResource,
  differences,
  onlyRunning,
  present,
  unknown,
} from 'driftgate'

const properties = defineProperties({
  name: { kind: 'text', required: true, summary: 'The header, in any case.' },
  url: { kind: 'text', required: true, summary: 'What is asked for with HEAD.' },
  value: { kind: 'text', required: true, accepts: 'text', summary: 'What the server sends.' },
  patience: { kind: 'duration', default: 5000, parameter: true, summary: 'How long the answer may take.' },
})

export const httpHeader = defineResource({
  type: 'acme.http_header',
  summary: 'A header that a server sends. It is only looked at.',
  properties,
  drifts: ['value'],
  uses: ['network'],
  examples: [
    {
      title: 'A policy for embedding',
      yaml: 'acme.http_header:\n  - x-frame-options:\n      url: https://www.example.org/\n      value: { one_of: [DENY, SAMEORIGIN] }',
    },
  ],
  async observe(target, { name, url, patience }, { signal, commandsForbidden }) {
    if (target.kind !== 'local') return onlyRunning(`${url} is asked for by systems that run alone`)
    if (commandsForbidden === true) return unknown('not-observable', `${url} is not asked for with --no-commands`)
    try {
      const limits = AbortSignal.any([signal, AbortSignal.timeout(patience)])
      const { headers } = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: limits })
      return present({ value: headers.get(name) ?? undefined })
    } catch (error) {
      return unknown(
        'not-observable',
        `${url} does not answer: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  },
  decide(desired, seen) {
    const found = seen.kind === 'present' ? seen.state : {}
    const { drift } = compare(properties, desired, found, { names: ['value'] })
    return differences(drift, {
      obstacles: [cannot('the configuration of the server is not in the hands of this type')],
    })
  },
  apply: async () => ({ kind: 'failed', message: 'it is only looked at' }),
})

export const plugin = definePlugin({ apiVersion: 2, types: [httpHeader] })
