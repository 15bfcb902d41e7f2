import { defineProperties, type PropertiesOf } from 'driftgate'

// Ids have 32 bits, and the highest one means "leave it as it is" to the system.
const HIGHEST_ID = 2 ** 32 - 2

/** What a policy may say about a `file.owner`. */
export const properties = defineProperties({
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
  recursive: {
    kind: 'boolean',
    default: false,
    parameter: true,
    summary: 'Everything below a directory, too. No link is followed.',
  },
})

/** The settled properties of one `file.owner`. */
export type FileOwner = PropertiesOf<typeof properties>
