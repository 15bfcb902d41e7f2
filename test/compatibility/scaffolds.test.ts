import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { LoadPolicyOptions, ResourceResult } from '../../src/index.ts'
import { UNSUPPORTED_SPRIG } from '../../src/templates/gotemplate/sprig/index.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { oneResource, resultOf, scanWith } from './support.ts'

/** A policy beside its templates, and the directory they are rendered into. */
interface Place {
  readonly directory: string
  readonly rendered: (file: string) => string
  readonly scan: (
    properties: Readonly<Record<string, unknown>>,
    options?: LoadPolicyOptions & { readonly fix?: boolean },
  ) => Promise<ResourceResult>
}

function createPlace(templates: Readonly<Record<string, string>>): Place {
  const directory = temporaryDirectory()
  const target = `${directory}/etc`
  mkdirSync(`${directory}/templates`)
  for (const [file, text] of Object.entries(templates)) writeFileSync(`${directory}/templates/${file}`, text)
  return {
    directory,
    rendered: (file) => join(target, file),
    async scan(properties, options = {}) {
      const body = { ensure: 'present', source: 'templates', ...properties }
      const text = `data: { port: 8080 }\n${oneResource('scaffold', target, body)}`
      return resultOf(await scanWith(directory, text, options))
    },
  }
}

test('the default engine of a scaffold is Jet', async () => {
  const { scan, rendered } = createPlace({ conf: '[[ 40 + 2 ]] {{ 40 + 2 }}' })
  expect((await scan({}, { fix: true })).verdict).toBe('fixed')
  expect(readFileSync(rendered('conf'), 'utf8')).toBe('42 {{ 40 + 2 }}')
})

test('post commands run only after a fix wrote the file', async () => {
  const { scan, rendered, directory } = createPlace({ 'a.conf': 'a\n', 'b.conf': 'b\n', other: 'c\n' })
  const log = `${directory}/log`
  const post = [{ '*.conf': `sh -c 'echo "$1" >> ${log}' sh {}` }]
  expect((await scan({ post })).verdict).toBe('drifted')
  expect(existsSync(log)).toBe(false)
  expect((await scan({ post }, { fix: true })).verdict).toBe('fixed')
  expect(readFileSync(log, 'utf8')).toBe(`${rendered('a.conf')}\n${rendered('b.conf')}\n`)
  writeFileSync(rendered('b.conf'), 'changed\n')
  writeFileSync(log, '')
  expect((await scan({ post }, { fix: true })).verdict).toBe('fixed')
  expect(readFileSync(log, 'utf8')).toBe(`${rendered('b.conf')}\n`)
})

test('rendered files must match after a fix', async () => {
  const { scan } = createPlace({ conf: 'text\n' })
  const post = [{ conf: `sh -c 'echo more >> "$1"' sh {}` }]
  const { verdict, remaining } = await scan({ post }, { fix: true })
  expect(verdict).toBe('fix-failed')
  expect(remaining).toMatchObject([{ property: 'content', path: 'conf' }])
})

test('a fix keeps the mode of a rendered file', async () => {
  const { scan, rendered } = createPlace({ conf: 'new\n' })
  mkdirSync(rendered(''))
  writeFileSync(rendered('conf'), 'old\n')
  chmodSync(rendered('conf'), 0o600)
  expect((await scan({}, { fix: true })).verdict).toBe('fixed')
  expect(readFileSync(rendered('conf'), 'utf8')).toBe('new\n')
  expect(statSync(rendered('conf')).mode & 0o7777).toBe(0o600)
})

test.each([
  ['go', '{{ .facts.role }} {{ .data.port }}'],
  ['jet', '[[ facts.role ]] [[ data.port ]] [[ lookup("data.missing", "none") ]]'],
])('facts and data keep their names in templates: %s', async (engine, template) => {
  const { scan, rendered } = createPlace({ conf: template })
  expect((await scan({ engine }, { fix: true, fact: ['role=web'] })).verdict).toBe('fixed')
  expect(readFileSync(rendered('conf'), 'utf8')).toMatch(/^web 8080( none)?$/)
})

test('a dangling link is drift of an absent scaffold', async () => {
  const { scan, rendered } = createPlace({ conf: 'new\n' })
  symlinkSync('nowhere', resolve(rendered('')))
  expect(await scan({ ensure: 'absent' })).toMatchObject({ verdict: 'drifted', drift: [{ observed: 'symlink' }] })
  expect((await scan({ ensure: 'absent' }, { fix: true })).verdict).toBe('fixed')
  expect(existsSync(rendered(''))).toBe(false)
})

test.each([...UNSUPPORTED_SPRIG])('functions that vary per run are refused: %s', async (name, reason) => {
  const { scan } = createPlace({ conf: `{{ ${name} }}` })
  const { verdict, reason: kind, message } = await scan({ engine: 'go' })
  expect([verdict, kind]).toEqual(['error', 'template'])
  expect(message).toContain(`function "${name}" is not supported: ${reason}`)
  // The page lists each of them.
  expect(readFileSync(resolve('docs/guide/ccm-compatibility.md'), 'utf8')).toContain(`\`${name}\``)
})
