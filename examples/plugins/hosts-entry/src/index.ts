import {
  absent,
  compare,
  definePlugin,
  defineProperties,
  defineResource,
  differences,
  missing,
  present,
} from 'driftgate'

const properties = defineProperties({
  name: { kind: 'text', required: true, summary: 'The canonical name of the host.' },
  ensure: { kind: 'text', oneOf: ['present', 'absent'], default: 'present', summary: 'Whether a line has the name.' },
  address: { kind: 'text', accepts: 'text', summary: 'Its address.' },
  aliases: { kind: 'list', items: { kind: 'text', summary: 'One name.' }, accepts: 'set', summary: 'Its other names.' },
  file: { kind: 'text', absolutePath: true, default: '/etc/hosts', parameter: true, summary: 'The file.' },
})

interface Entry {
  readonly address?: string
  readonly aliases?: readonly string[]
}

export const hostsEntry = defineResource({
  type: 'acme.hosts_entry',
  summary: 'A line of /etc/hosts.',
  properties,
  drifts: ['ensure', 'address', 'aliases'],
  uses: ['files'],
  rules: [
    {
      reads: ['ensure', 'address'],
      check: ({ ensure, address }) =>
        ensure === 'absent' || address !== undefined
          ? undefined
          : '"address" must be set where the line is to be there',
    },
  ],
  examples: [{ title: 'A host', yaml: 'acme.hosts_entry:\n  - db01:\n      address: 192.0.2.7\n      aliases: [db]' }],
  observe(target, { name, file }) {
    const text = target.files.readText(file)
    if (text.kind === 'unknown') return text
    const words = (text.value ?? '').split('\n').map(wordsOf)
    const [address, , ...aliases] = words.find(([, canonical]) => canonical === name) ?? []
    return address === undefined ? absent() : present<Entry>({ address, aliases })
  },
  decide(desired, seen) {
    const ensure = { desired: desired.ensure, observed: seen.kind }
    const object = `the line of ${desired.name}`
    if (desired.ensure === 'absent') {
      const fix = { action: undefined, effects: [{ kind: 'remove', object }] } as const
      return differences([{ property: 'ensure', original: seen.kind, desired: 'absent' }], { ensure, fix })
    }
    const found: Entry = seen.kind === 'present' ? seen.state : {}
    const { drift, fixed } = compare(properties, desired, found, { names: ['address', 'aliases'] })
    const action = { aliases: found.aliases ?? [], ...fixed }
    if (seen.kind === 'absent') return missing({ fix: { action, effects: [{ kind: 'create', object }] } })
    return differences(drift, { ensure, fix: { action, effects: [{ kind: 'replace', object }] } })
  },
  apply: (remediator, { name, file }, action: Entry | undefined) =>
    remediator.editText(file, (text) => {
      const others = text.split('\n').filter((line) => wordsOf(line)[1] !== name)
      const own = action === undefined ? [] : [[action.address, name, ...(action.aliases ?? [])].join(' ')]
      return [...others.filter((line, index) => line !== '' || index < others.length - 1), ...own, ''].join('\n')
    }),
})

function wordsOf(line: string): readonly string[] {
  return line.replace(/#.*/, '').trim().split(/\s+/)
}

export const plugin = definePlugin({ apiVersion: 2, types: [hostsEntry] })
