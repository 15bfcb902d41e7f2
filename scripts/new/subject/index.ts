// The entries of hosts(5), as glibc 2.36 reads them. Replace them with what the subject is about.
import { type Observation, present, unknown } from '../../model/observation.ts'
import { defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import type { HasFiles } from '../../host/target.ts'
import { decide__Name__, type __Name__State, type __Name__Desired } from './decide.ts'

const MAX_BYTES = 1_048_576

/** What a policy may say: validation, completion, schema, reference and contract tests follow from it. */
const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    pattern: { expression: '[A-Za-z0-9.-]+', describes: 'a host name' },
    phase: 'early',
    summary: 'Host name.',
  },
  address: {
    kind: 'text',
    required: true,
    pattern: { expression: '[0-9A-Fa-f.:]+', describes: 'an IP address' },
    phase: 'early',
    summary: 'Address of the host.',
  },
  file: { kind: 'text', absolutePath: true, default: '/etc/hosts', phase: 'early', summary: 'File of hosts.' },
})

/** Entries of the file of hosts. */
export const __ident__: ResourceType = defineResource({
  type: '__type__',
  summary: 'Entries of the file of hosts.',
  properties,
  // Every property that a difference may carry, and those that never hold a secret.
  drifts: ['ensure', 'address'],
  neverSecret: ['ensure', 'address'],
  examples: [
    {
      title: 'The address of a printer',
      yaml: `
        __type__:
          - printer.example.org:
              address: 192.0.2.7`,
    },
  ],
  observe: observe__Name__,
  decide: decide__Name__,
  apply: (remediator, { file }, { text, attributes }) =>
    remediator.writeFile(file, { kind: 'bytes', bytes: Buffer.from(text) }, attributes),
})

/** Looks at the machine and changes nothing. What cannot be read is `unknown`, never absent. */
function observe__Name__(
  { files }: HasFiles<'stat' | 'readHead'>,
  { file }: Pick<__Name__Desired, 'file'>,
): Observation<__Name__State> {
  const seen = files.stat(file)
  if (seen.kind !== 'present') return seen
  if (seen.state.kind !== 'file') return unknown('invalid', `${file} is not a regular file`)
  const head = files.readHead(file, MAX_BYTES + 1)
  if (head.kind === 'unknown') return head
  if (head.value.length > MAX_BYTES) return unknown('invalid', `${file} is larger than ${MAX_BYTES} bytes`)
  const { uid, gid, mode } = seen.state
  return present({ text: Buffer.from(head.value).toString('utf8'), attributes: { uid, gid, mode } })
}
