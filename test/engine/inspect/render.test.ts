import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResourceResult } from '../../../src/model/run.ts'
import { loadDocuments, type LoadPolicyOptions } from '../../../src/policy/load.ts'
import { renderPolicy, type RenderedPolicy } from '../../../src/engine/inspect/render/index.ts'
import { escapeBeforeExpression, escapeTemplate } from '../../../src/engine/inspect/render/escape-template.ts'
import { resourceTypes } from '../../support/resource-types.ts'
import { expandString, expandTyped, TemplateEnvironment } from '../../../src/policy/template/index.ts'
import { SELF } from '../../support/contract.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { audit, load } from '../../policy/audit.ts'
import { cases } from '../../support/soak.ts'

async function render(
  directory: string,
  text: string,
  { secrets = 'hide', ...options }: LoadPolicyOptions & { readonly secrets?: 'hide' | 'show' } = {},
): Promise<RenderedPolicy> {
  const file = join(directory, 'written.yaml')
  writeFileSync(file, text)
  const loaded = await loadDocuments([file], { environ: {}, ...options, beside: '' })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  const [document] = loaded.value
  if (document === undefined) throw new Error('there is no policy')
  return renderPolicy(document, { types: resourceTypes, secrets })
}

/** What must be the same: everything but how long it took and where it is written, the id of the file's policy included. */
function comparable(result: ResourceResult): unknown {
  const { durationMs: _durationMs, source: _source, message, errors: _errors, ...others } = result
  const rest = { ...others, drift: driftOf(result) }
  return rest.verdict === 'not-applicable' || rest.reason === 'template' ? rest : { ...rest, message }
}

function driftOf({ drift }: Pick<ResourceResult, 'drift'>): unknown {
  return drift.map(({ fingerprint: _fingerprint, ...rest }) => rest)
}

const environment = new TemplateEnvironment({
  facts: () => new Map(),
  data: new Map(),
  environ: new Map(),
  workingDirectory: '/',
  readFile: () => '',
})

const braces = fc.string({ unit: fc.constantFrom('{', '}', '$', "'", '"', '`', '\\', ' ', 'a'), maxLength: 40 })

test('an escaped text expands to itself, also before an expression and where types are kept', () => {
  fc.assert(
    fc.property(fc.oneof(braces, fc.string()), (text) => {
      expect(expandString(escapeTemplate(text), environment)).toBe(text)
      expect(expandTyped(escapeTemplate(text), environment)).toBe(text)
      expect(expandString(`${escapeBeforeExpression(text)}{{ 1 }}`, environment)).toBe(`${text}1`)
    }),
    { numRuns: cases({ usual: 200, soak: 50_000 }) },
  )
})

const POLICY = (directory: string): string => `x-note: free
data:
  dir: ${directory}
  port: 80
  # @sensitive
  password: hunter22
hierarchy: {order: ["{{ Facts.env }}"], merge: deep}
overrides: {prod: {port: 8080}}
policy:
  title: Web
  version: 1.10
  controls: [{id: c, severity: high, tags: [1.0], resources: ["file#${directory}/a"]}]
ccm:
  fail_on_error: false
  pre_message: "port {{ Data.port }} {{ '{{' }}"
  resources:
    - file:
        - defaults: {owner: "${SELF.owner}", group: "${SELF.group}", mode: 0644, control: {unless: Data.port == 1}}
        - "{{ Data.dir }}/a": {ensure: present, content: "{{ Facts.evil }} {{ Data.password }} $\${HOME} {{ Data.port }}"}
        - ${directory}/b: {ensure: present, source: files/b, require: ["file#${directory}/a"]}
        - ${directory}/c: {ensure: absent, control: {if: 'Data.port == 80'}}
        - ${directory}/d: {ensure: present, content: "{{ Data.none.x }}"}
        - ${directory}/e: {ensure: absent, control: {if: Facts.none.x}}
        - ${directory}/f: {ensure: present, sensitive: true, content: literal-secret}
        - ${directory}/{{ Data.none.y }}: {ensure: absent}
    - file: {name: ${directory}/g, alias: gg, ensure: directory, owner: "${SELF.owner}", group: "${SELF.group}", mode: "{{ '07' + '55' }}"}
`

test('a rendered policy scans to the same result without any of the flags', async () => {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'files'))
  for (const name of ['a', 'b', 'f', 'files/b']) writeFileSync(join(directory, name), `${name}\n`)
  const flags = { fact: ['env=prod', 'evil={{ 1+1 }} ${ x }'], set: ['extra=1'] }
  const original = await audit(directory, POLICY(directory), flags)
  const { text, unresolved, hidesSecrets } = await render(directory, POLICY(directory), { ...flags, secrets: 'show' })
  expect(hidesSecrets).toBe(false)
  expect(unresolved.map(({ id }) => id)).toEqual(
    ['d', 'e', '{{ Data.none.y }}'].map((name) => `file#${directory}/${name}`),
  )
  const again = await audit(temporaryDirectory(), text)
  expect(again.run.policies[0]?.resources.map(comparable)).toEqual(original.run.policies[0]?.resources.map(comparable))
  expect(again.run.policies[0]?.controls).toEqual(original.run.policies[0]?.controls)
  expect(again.policy).toMatchObject({ id: 'written', version: '1.10', preMessage: 'port 8080 {{' })
  const verdicts = Object.values(original.results).map(({ verdict }) => verdict)
  expect(verdicts).toEqual(['drifted', 'drifted', 'not-applicable', 'error', 'error', 'drifted', 'error', 'drifted'])
  expect(text).not.toMatch(/hierarchy|overrides/)
})

test('secrets are left out, and a scan says which it needs', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'a'), '')
  const flags = { fact: ['env=prod', 'evil=x'] }
  const { text, hidesSecrets } = await render(directory, POLICY(directory), flags)
  expect(hidesSecrets).toBe(true)
  expect(text).not.toMatch(/hunter22|literal-secret/)
  expect(text).toContain('x {{ Data.password }} $${HOME} 8080')
  const incomplete = await load(temporaryDirectory(), text)
  expect(incomplete.ok ? [] : incomplete.problems.map(({ message }) => message)).toEqual(
    expect.arrayContaining(['key "password" is required but has no value']),
  )
  const values: Readonly<Record<string, string>> = {
    content: 'literal-secret',
    owner: JSON.stringify(SELF.owner),
    group: JSON.stringify(SELF.group),
    mode: '"0644"',
  }
  const set = [...text.matchAll(/^ {4}(file#\S+ (\w+)): null$/gm)].map(
    ([, name = '', property = '']) => `rendered_secrets.${name.replaceAll('.', '\\.')}=${values[property] ?? ''}`,
  )
  const given = await audit(temporaryDirectory(), text, { set: ['password=hunter22', ...set] })
  const original = await audit(directory, POLICY(directory), flags)
  const [expected, actual] = [original, given].map(({ results }) =>
    driftOf(results[`file#${directory}/a`] ?? { drift: [] }),
  )
  expect(actual).toEqual(expected)
  expect(actual).not.toEqual([])
  expect(JSON.stringify(given.run)).not.toContain('hunter22')
})

test('a rendered policy applies the same manifests from anywhere', async () => {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'sub'))
  writeFileSync(
    join(directory, 'sub/child.yaml'),
    'data: {list: [c]}\nccm: {resources: [{file: {name: "/{{ Data.word }}/{{ join(Data.list, \'-\') }}", ensure: absent}}]}\n',
  )
  const policy = `data: {word: "{{ Facts.env }}", list: [p]}
policy: {controls: [{id: c, resources: [apply#sub/child.yaml]}]}
ccm:
  resources:
    - apply:
        - "{{ 'sub' }}/child.yaml":
        - ./sub/child.yaml: {data: {word: "{{ Data.word }}2"}, noop: true}
        - missing.yaml: {control: {if: Data.word == 'none'}}
    - file: {name: /nowhere, ensure: absent, require: [apply#sub/child.yaml]}
`
  const flags = { fact: ['env=prod'], set: ['list=[o]'] }
  const original = await audit(directory, policy, flags)
  const { text } = await render(directory, policy, flags)
  const again = await audit(temporaryDirectory(), text)
  const seen = ({ run }: typeof original): unknown =>
    run.policies[0]?.resources.filter(({ type }) => type === 'file').map(({ name, verdict }) => `${name} ${verdict}`)
  expect(seen(again)).toEqual(['/prod/c-p-o compliant', '/prod2/c compliant', '/nowhere compliant'])
  expect(seen(original)).toEqual(['/prod/c-p-o compliant', '/prod2/c-o compliant', '/nowhere compliant'])
  expect(again.run.policies[0]?.controls).toMatchObject([{ id: 'c', verdict: 'compliant' }])
  expect(text).toContain(`name: ${directory}/sub/child.yaml`)
})

test('any content comes through rendering unchanged', async () => {
  const directory = temporaryDirectory()
  const content = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string(),
    braces,
    fc.constantFrom('~', 'null', '1.10', '0644', 'a\r\nb', ' \n x\n\n', '- a', '# b', '<<'),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(content, { minLength: 1, maxLength: 8 }), async (texts) => {
      const resources = texts.map((_text, at) => ({
        file: {
          name: `/nowhere/${at}`,
          ensure: 'present',
          owner: '0',
          group: '0',
          mode: '0644',
          content: `{{ Data["${at}"] }}`,
        },
      }))
      const data = Object.fromEntries(texts.map((text, at) => [at, escapeTemplate(text)]))
      const policy = { data, ccm: { resources } }
      const { text } = await render(directory, JSON.stringify(policy))
      const loaded = await load(directory, text)
      if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join())
      const [again] = loaded.value
      const contents = again?.resources.map((declaration) => {
        const expansion = again.expander?.expand(declaration)
        return expansion?.kind === 'expanded' ? expansion.properties['content'] : declaration.properties['content']
      })
      expect(contents).toEqual(texts)
    }),
    { numRuns: cases({ usual: 40, soak: 1500 }) },
  )
})
