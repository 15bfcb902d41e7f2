import {
  absent,
  compare,
  definePlugin,
  defineProperties,
  defineResource,
  defineSubject,
  differences,
  known,
  missing,
  notApplicable,
  present,
  type Reading,
} from 'driftgate'

const MAIN = '/etc/redis/redis.conf'

/** The directives of the configuration, the last of each name; `null` without a configuration. */
type Directives = ReadonlyMap<string, string> | null

/** Read once for all resources of a run. */
const redis = defineSubject({
  name: 'acme.redis',
  read({ files: { readText } }): Reading<Directives> {
    const text = readText(MAIN)
    if (text.kind === 'unknown' || text.value === null) return text.kind === 'unknown' ? text : known(null)
    return known(new Map(text.value.split('\n').map(directiveOf)))
  },
})

function directiveOf(line: string): readonly [name: string, value: string] {
  const [, name = '', value = ''] = /^\s*([a-z-]+)\s+(.*?)\s*$/i.exec(line) ?? []
  return [name.toLowerCase(), value]
}

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    pattern: { expression: '[a-z-]+', describes: 'a directive in small letters' },
    summary: 'The directive.',
  },
  value: { kind: 'text', required: true, accepts: 'text', summary: 'The value that counts.' },
})

export const redisSetting = defineResource({
  type: 'acme.redis_setting',
  summary: 'A directive of Redis.',
  properties,
  drifts: ['ensure', 'value'],
  uses: ['files'],
  secretWhen: (name) => ['requirepass', 'masterauth'].includes(name),
  examples: [{ title: 'Only this machine', yaml: 'acme.redis_setting:\n  - bind:\n      value: 127.0.0.1 -::1' }],
  observe(target, { name }) {
    const directives = redis.of(target)
    if (directives.kind === 'unknown') return directives
    if (directives.value === null) return notApplicable(`there is no ${MAIN}`)
    const value = directives.value.get(name)
    return value === undefined ? absent() : present({ value })
  },
  decide(desired, seen) {
    const found: { readonly value?: string } = seen.kind === 'present' ? seen.state : {}
    const { drift, fixed } = compare(properties, desired, found, { names: ['value'] })
    const object = `${desired.name} of Redis`
    const fix = { action: fixed.value, effects: [{ kind: 'set', object }] } as const
    return seen.kind === 'absent' ? missing({ fix }) : differences(drift, { fix })
  },
  apply: (remediator, { name }, value: string | undefined) =>
    remediator.editText(MAIN, (text) => {
      const others = text.split('\n').filter((line) => directiveOf(line)[0] !== name)
      return [...others.filter((line, index) => line !== '' || index < others.length - 1), `${name} ${value}`, ''].join(
        '\n',
      )
    }),
})

export const plugin = definePlugin({ apiVersion: 2, types: [redisSetting] })
