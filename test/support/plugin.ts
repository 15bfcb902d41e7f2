import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The code of a plugin with one type, by default `demo.marker`: an empty file at the path that is the name. */
export function markerPlugin(type = 'demo.marker'): string {
  return `import { writeFileSync } from 'node:fs'
import { defineProperties, definePlugin, defineResource } from 'driftgate'

const marker = defineResource({
  type: ${JSON.stringify(type)},
  summary: 'An empty file',
  properties: defineProperties({
    name: { kind: 'text', required: true, absolutePath: true, summary: 'The path of the file' },
    ensure: { kind: 'text', default: 'present', oneOf: ['present', 'absent'], summary: 'Whether it is there' },
    colour: { kind: 'text', oneOf: ['red', 'green'], summary: 'Nothing' },
  }),
  drifts: ['ensure'], uses: ['files'],
  examples: [],
  providers: [
    {
      name: 'posix',
      observe: (target, { name }) => target.files.lstat(name),
      apply(_remediator, { name }) {
        writeFileSync(name, '')
        return Promise.resolve({ kind: 'done' })
      },
    },
  ],
  decide({ ensure }, { kind }) {
    const isStable = ensure === kind
    return {
      ensure: { desired: ensure, observed: kind },
      drift: isStable ? [] : [{ property: 'ensure', desired: ensure, observed: kind }],
      unknown: [],
      plan: isStable
        ? { kind: 'none' }
        : { kind: 'act', action: 'create', text: 'Would have created the marker', obstacles: [] },
    }
  },
})

export const plugin = definePlugin({ apiVersion: 2, types: [marker] })
`
}

/** The code of a plugin with a report format of that name that lists the ids of all resources. */
export function idsPlugin(name = 'ids', more = ''): string {
  return `export const plugin = {
  apiVersion: 2,
  reportFormats: [
    {
      name: ${JSON.stringify(name)},
      summary: 'The ids',
      render: ({ policies }) => policies.flatMap(({ resources }) => resources.map(({ id }) => id + '\\n')).join(''),
      ${more}
    },
  ],
}
`
}

/** Writes files below a directory, each with its parents; others cannot write to them, with any umask. */
export function writeFiles(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name)
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
    writeFileSync(path, text, { mode: 0o644 })
  }
}
