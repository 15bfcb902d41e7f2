import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { type Outcome, temporaryDirectory } from './driftgate.ts'

export function markerPolicy(body: string): string {
  return `ccm:\n  resources:\n    - demo.marker:\n        - ${body}\n`
}

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

/** A scan with these plugins, of which one is refused, is one message and exit 1, and writes no report. */
export async function expectRefused(
  run: (args: readonly string[], options: { readonly cwd: string }) => Promise<Outcome>,
  plugins: readonly string[],
  files: Readonly<Record<string, string>>,
  message: RegExp,
): Promise<void> {
  const cwd = temporaryDirectory()
  writeFiles(cwd, { 'p.yaml': markerPolicy(`${cwd}/marker: {}`), 'package.json': '{ "type": "module" }', ...files })
  const named = plugins.flatMap((name) => ['--plugin', name])
  const { code, stdout, stderr } = await run(['scan', 'p.yaml', '--report', 'json=report.json', ...named], { cwd })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^driftgate: .*\n$/)
  expect(stderr.trimEnd()).toMatch(message)
  expect(readdirSync(cwd)).not.toContain('report.json')
}
