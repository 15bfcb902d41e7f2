import { definePlugin, defineProperties, defineResource, differences, present } from 'driftgate'

const HIGHEST_ID = 2 ** 32 - 2

const fileOwner = defineResource({
  type: 'file.owner',
  summary: 'The owner and group of a file or a tree.',
  properties: defineProperties({
    destination: {
      kind: 'text',
      required: true,
      nonEmpty: true,
      absolutePath: true,
      summary: 'The path whose owner and group are managed; a link stands for itself.',
    },
    user: { kind: 'text', nonEmpty: true, summary: 'The name of the owner.' },
    uid: { kind: 'integer', minimum: 0, maximum: HIGHEST_ID, summary: 'The id of the owner.' },
    group: { kind: 'text', nonEmpty: true, summary: 'The name of the group.' },
    gid: { kind: 'integer', minimum: 0, maximum: HIGHEST_ID, summary: 'The id of the group.' },
  }),
  exclusive: [
    ['user', 'uid'],
    ['group', 'gid'],
  ],
  drifts: ['ensure'],
  uses: ['files'],
  examples: [],
  observe: () => present({}),
  decide: () => differences([]),
  apply: async () => ({ kind: 'done' }),
})

export const plugin = definePlugin({ apiVersion: 2, types: [fileOwner] })
