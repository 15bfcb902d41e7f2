import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderReport, reportFormats } from '../../src/report/index.ts'
import { renderPolicy } from '../../src/engine/inspect/render/index.ts'
import { loadDocuments } from '../../src/policy/load.ts'
import { resourceTypes } from '../support/resource-types.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { audit } from './audit.ts'

const PASSWORD = 'correct-Horse'
const PIN = 4711

const DATA = `data:
  user: alice
  # @sensitive
  password: ${PASSWORD}
  # @sensitive
  deep: {pin: ${PIN}, list: [staple-battery]}
`

/** Expressions with what they make of the data: computed by hand, or by the shell where a comment says how. */
const MADE: readonly (readonly [expression: string, made: string])[] = [
  // printf alice:correct-Horse | base64
  ["toBase64(Data.user + ':' + Data.password)", 'YWxpY2U6Y29ycmVjdC1Ib3JzZQ=='],
  ['upper(Data.password)', 'CORRECT-HORSE'],
  ['Data.password[2:9]', 'rrect-H'],
  ["split(Data.password, '-')[0]", 'correct'],
  ['string(Data.deep.pin * 3)', '14133'],
  ['toJSON([Data.deep.pin + 1, 1])', '4712'],
  ["join(map(Data.deep.list, reverse(split(#, ''))[0]), '')", 'y'],
  ["lookup('data.password|@reverse')", 'xx'],
  ["upper(lookup('data.password'))", 'CORRECT-HORSE'],
  ["lookup('data.deep.list.#')", 'xx'],
  ["template('{{ lower(Data.password) }}')", 'correct-horse'],
  ["jet('[[ upper: data.password ]]')", 'CORRECT-HORSE'],
  ["jet('[[ range data.deep.list ]][[ . | upper ]][[ end ]]')", 'STAPLE-BATTERY'],
  ['toJSON(Data)[0:300]', PASSWORD],
]

test.each(MADE)('a value derived from a secret is secret in every report: %s', async (expression, made) => {
  const directory = temporaryDirectory()
  for (const name of ['made', 'branched']) writeFileSync(join(directory, name), 'observed-once\n', { mode: 0o644 })
  const own = `ensure: present, owner: "${process.getuid?.()}", group: "${process.getgid?.()}", mode: "0600"`
  const { run, results } = await audit(
    directory,
    `${DATA}ccm:
  resources:
    - file: {name: ${directory}/made, ${own}, content: ${JSON.stringify(`a={{ ${expression} }}\n`)}}
    - file: {name: ${directory}/plain, ${own}, content: ${JSON.stringify(`${made}-in-plain`)}}
`,
  )
  const [result] = Object.values(results)
  expect(result).toMatchObject({ verdict: 'drifted', drift: [{ desired: { redacted: true } }, { property: 'mode' }] })
  const shown = [...(await Promise.all(reportFormats.map(({ name }) => renderReport(run, name)))), JSON.stringify(run)]
  for (const text of shown) {
    if (made.length > 3) expect(text).not.toContain(made)
    // What was there may be the secret of yesterday.
    expect(text).not.toContain('observed-once')
  }
})

test.each([
  ['data beside it', 'content: "{{ Data.user }}"'],
  ['whether there is one', `content: "{{ 'password' in Data ? 1 : 2 }}"`],
  ['a lookup beside it', `content: "{{ lookup('data.user') }}{{ lookup('environ.HOME', '') }}"`],
])('a content that reads no secret is shown: %s', async (_case, content) => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'x'), 'observed-once\n')
  const own = `ensure: present, owner: root, group: root, mode: "0600"`
  const { results } = await audit(
    directory,
    `${DATA}ccm: {resources: [{file: {name: ${directory}/x, ${own}, ${content}}}]}`,
  )
  expect(JSON.stringify(results)).toContain('-observed-once')
})

test.each([
  ['a text', '{{ fromJSON(upper(Data.password)) }}'],
  ['a template', "{{ template('{{ fromJSON(upper(Data.password)) }}') }}"],
  ['a key that does not exist', '{{ Data[upper(Data.password)] }}'],
  ['Jet', `{{ jet('[[ data.password.nope ]]') }}`],
  ['a file', '{{ readFile("/none/" + upper(Data.password)) }}'],
])('why a template fails that reads a secret is not told: %s', async (_case, content) => {
  const directory = temporaryDirectory()
  const own = `ensure: present, owner: root, group: root, mode: "0600"`
  const text = `${DATA}ccm: {resources: [{file: {name: ${directory}/x, ${own}, content: ${JSON.stringify(content)}}}]}`
  const { results } = await audit(directory, text)
  const [result] = Object.values(results)
  expect(result).toMatchObject({ verdict: 'error', reason: 'template' })
  expect(result?.message).toContain('because it reads a secret')
  expect(JSON.stringify(result)).not.toMatch(/correct-horse/i)
})

test.each([
  ['long', '{{ upper(Data.password) }}', 'CORRECT'],
  ['short', '{{ Data.password[0:2] }}-{{ Data.password[2:4] }}', 'co-rr'],
  ['chosen by it', `{{ Data.password == "${PASSWORD}" ? "chosen-so" : "chosen-else" }}`, 'chosen-so'],
])('names and messages made of secrets are hidden: %s', async (_case, template, made) => {
  const directory = temporaryDirectory()
  const { run } = await audit(
    directory,
    `${DATA}ccm: {pre_message: ${JSON.stringify(template)}, resources: [{file: {name: ${JSON.stringify(`/none/${template}`)}, ensure: absent}}]}`,
  )
  expect(JSON.stringify(run)).not.toContain(made)
})

test('a child manifest and a list of resources keep values derived from secrets', async () => {
  const directory = temporaryDirectory()
  const own = `ensure: present, owner: root, group: root, mode: "0600"`
  writeFileSync(
    join(directory, 'child.yaml'),
    `ccm: {resources: [{file: {name: ${directory}/c, ${own}, content: "{{ upper(Data.password) }}{{ lower(Data.made) }}"}}]}`,
  )
  writeFileSync(
    join(directory, 'list.jet'),
    `- file: [{${directory}/j: {${own}, content: "[[ upper: data.password ]]"}}]\n`,
  )
  for (const name of ['c', 'j']) writeFileSync(join(directory, name), 'observed-once\n')
  const all = await Promise.all([
    audit(
      directory,
      `${DATA}ccm: {resources: [{apply: {name: child.yaml, data: {password: "{{ Data.password }}", made: "{{ upper(Data.password) }}"}}}]}`,
    ),
    audit(directory, `${DATA}ccm: {resources_jet_file: list.jet}`),
  ])
  for (const { run, results } of all) {
    const last = Object.values(results).at(-1)
    expect(last).toMatchObject({ verdict: 'drifted' })
    expect(last?.drift).toContainEqual(
      expect.objectContaining({ property: 'content', desired: expect.objectContaining({ redacted: true }) }),
    )
    expect(JSON.stringify(run)).not.toMatch(/correct-horse|observed-once/i)
  }
})

test.each(['go', 'jet'])('a file of a scaffold that is rendered with a secret is hidden: %s', async (engine) => {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'source'))
  mkdirSync(join(directory, 'target'))
  writeFileSync(join(directory, 'target/x'), 'observed-once\n')
  writeFileSync(
    join(directory, 'source/x'),
    engine === 'go' ? '{{ upper .data.password }}\n' : '[[ upper: data.password ]]\n',
  )
  const scaffold = `{name: ${directory}/target, ensure: present, source: ${directory}/source, engine: ${engine}}`
  const { run, results } = await audit(directory, `${DATA}ccm: {resources: [{scaffold: ${scaffold}}]}`)
  expect(Object.values(results)).toMatchObject([{ verdict: 'drifted', drift: [{ desired: { redacted: true } }] }])
  expect(JSON.stringify(run)).not.toMatch(/correct-horse|observed-once/i)
})

test('a scaffold that looks up no secret is shown', async () => {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'source'))
  mkdirSync(join(directory, 'target'))
  writeFileSync(join(directory, 'target/x'), 'observed-once\n')
  writeFileSync(join(directory, 'source/x'), '[[ data.user ]][[ lookup("data.user") ]]\n')
  const scaffold = `{name: ${directory}/target, ensure: present, source: ${directory}/source, engine: jet}`
  const { results } = await audit(directory, `${DATA}ccm: {resources: [{scaffold: ${scaffold}}]}`)
  expect(JSON.stringify(results)).toContain('-observed-once')
})

test('a rendered policy has names for values derived from secrets and reads the others', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'p.yaml')
  const own = 'ensure: present, owner: root, group: root, mode: "0600"'
  writeFileSync(
    file,
    `${DATA}ccm:
  resources:
    - file: {name: /x/a, ${own}, content: "pw={{ Data.password }}"}
    - file: {name: /x/b, ${own}, content: "{{ upper(Data.password) }}"}
    - file: {name: "/x/{{ upper(Data.password) }}", ${own}, content: c}
`,
  )
  const loaded = await loadDocuments([file], { environ: {} })
  const [document] = loaded.ok ? loaded.value : []
  if (document === undefined) throw new Error('the policy is sound')
  const { text } = renderPolicy(document, { types: resourceTypes, secrets: 'hide' })
  expect(text).not.toMatch(/correct-horse/i)
  expect(text).toContain('pw={{ Data.password }}')
  expect(text).toContain('file#/x/b content')
})
