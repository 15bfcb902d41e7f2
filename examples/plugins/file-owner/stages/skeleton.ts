import { definePlugin, defineProperties, defineResource, differences, present } from 'driftgate'

const fileOwner = defineResource({
  type: 'file.owner',
  summary: 'The owner and group of a file or a tree.',
  properties: defineProperties({}),
  drifts: ['ensure'],
  uses: ['files'],
  examples: [],
  observe: () => present({}),
  decide: () => differences([]),
  apply: async () => ({ kind: 'done' }),
})

export const plugin = definePlugin({ apiVersion: 2, types: [fileOwner] })
