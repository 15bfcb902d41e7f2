import type { ExportsOf } from '../../core/exported.ts'
import type { Seen } from '../../core/observation.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { apply__Name__ } from './apply.ts'
import { decide__Name__, type __Name__State } from './decide.ts'
import { observe__Name__ } from './observe.ts'

// This file is the specification of the type: validation, completion, schema, reference and contract tests follow from it. As
// it stands, a resource is a file that holds one line, as those below /proc/sys do. Put in its place what the type is about.

/** What a policy may say. The summaries are read in the reference and in editors. */
const properties = defineProperties({
  // Without a property `name` the resource can be called anything.
  name: {
    kind: 'text',
    required: true,
    absolutePath: true,
    phase: 'early',
    summary: 'Absolute path of the file that holds the value.',
  },
  // What is compared with the machine says the order of its values where more than one can be right: a policy may write
  // what it accepts then, and validation, schema and reference follow from that.
  value: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    pattern: { expression: '.*', describes: 'a single line' },
    accepts: 'text',
    phase: 'early',
    summary: 'The line that the file holds.',
  },
})

/** What later resources can read. */
const exports = defineExports({
  value: { kind: 'text', summary: 'The line that the file holds now.' },
})

/** Files that hold one line. */
export const __ident__: ResourceType = defineResource({
  type: '__type__',
  summary: 'Files that hold one line.',
  properties,
  // Conditions over properties that their definitions cannot state are `rules`; their summaries stand in the reference.
  exports,
  // Every name that a difference may carry, and those of them that never hold a secret.
  drifts: ['ensure', 'value'],
  neverSecret: ['ensure'],
  examples: [
    {
      title: 'One value',
      yaml: `
        __type__:
          - /etc/example:
              value: "1"`,
    },
    {
      title: 'Two values that are right, and the one that a fix writes',
      yaml: `
        __type__:
          - /etc/example:
              value: { one_of: ["1", "2"], fix: "2" }`,
    },
  ],
  // Several ways to observe and apply, such as several package managers, are `providers`.
  observe: observe__Name__,
  decide: decide__Name__,
  apply: apply__Name__,
  exportsOf: exportsOf__Name__,
})

function exportsOf__Name__(_desired: unknown, observed: Seen<__Name__State>): ExportsOf<typeof exports> {
  return { value: observed.kind === 'present' ? observed.state.value : undefined }
}
