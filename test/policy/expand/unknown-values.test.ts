import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scan } from '../../../src/engine/local.ts'
import { checkTemplates } from '../../../src/engine/inspect/check-templates.ts'
import { loadDocuments, loadPolicy, type LoadPolicyOptions } from '../../../src/policy/load.ts'
import { resourceTypes } from '../../support/resource-types.ts'
import { identifiedMachine } from '../../support/identified.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { audit, load, problemsOf } from '../audit.ts'

const DATA = 'data: {port: 80, empty: null, log: {level: info}, users: [{name: ann}]}\n'
const GIVEN: LoadPolicyOptions = { fact: ['role=web'], environ: { STAGE: 'test' } }

/** A policy with one absent file that a condition rules in or out. */
function gated(condition: string): string {
  const control = JSON.stringify({ if: condition })
  return `${DATA}ccm: {resources: [{file: {name: /nowhere/x, ensure: absent, control: ${control}}}]}\n`
}

/** A policy with one file whose content is a template. */
function written(content: string): string {
  const body = 'ensure: present, owner: root, group: root, mode: "0644"'
  return `${DATA}ccm: {resources: [{file: {name: /nowhere/x, ${body}, content: ${JSON.stringify(content)}}}]}\n`
}

async function resultOf(text: string): Promise<string> {
  const { results, run } = await audit(temporaryDirectory(), text, GIVEN)
  const [result] = Object.values(results)
  if (result === undefined) throw new Error('there is no result')
  const { verdict, reason, message } = result
  return [verdict, reason, run.exit.code, message?.replace(/^.*p\.yaml:\d+:\d+ /, '')].join(' ')
}

/** Expressions that read what does not exist, and what is said about them. */
const UNKNOWN: readonly (readonly [string, string])[] = [
  ["Facts.host.info.platfromFamily == 'debian'", 'fact "host.info.platfromFamily", did you mean "platformFamily"?'],
  ["Facts['host']['info']['platfromFamily'] == 'x'", 'did you mean "platformFamily"?'],
  ["Facts.hsot.info.os == 'linux'", 'fact "hsot", did you mean "host"?'],
  ["Facts.rloe == 'web'", 'fact "rloe", did you mean "role"?'],
  ["lookup('facts.host.info.platfromFamily') == 'debian'", 'did you mean "platformFamily"?'],
  ["lookup('facts.host.info').platfromFamily == 'debian'", 'did you mean "platformFamily"?'],
  ["lookup('Facts.role') == 'web'", 'did you mean "facts"?'],
  ["lookup('dta.port', 80) == 80", 'did you mean "data"?'],
  ['Data.prot == 80', 'data key "prot", did you mean "port"?'],
  ['Data.log.levle == "info"', 'data key "log.levle", did you mean "level"?'],
  ['(let d = Data.log; d.levle) == "info"', 'did you mean "level"?'],
  ['any(Data.users, .nmae == "ann")', 'data key "users.0.nmae", did you mean "name"?'],
  ['$env["Data"].prot == 80', 'did you mean "port"?'],
  ['Environ.STAEG == "test"', 'environment variable "STAEG", did you mean "STAGE"?'],
]

describe('a missing value is an error', () => {
  test.each(UNKNOWN)('in a condition: %s', async (expression, message) => {
    const result = await resultOf(gated(expression))
    expect(result).toMatch(/^error template 3 /)
    expect(result).toContain(message)
  })

  test.each(UNKNOWN)('in a content: %s', async (expression, message) => {
    const result = await resultOf(written(`x = {{ ${expression} }}`))
    expect(result).toMatch(/^error template 3 /)
    expect(result).toContain(message)
  })

  test('in a name, which is then its source text', async () => {
    const text = `${DATA}ccm: {resources: [{file: {name: "/srv/{{ Data.typo }}x", ensure: absent}}]}\n`
    const { results } = await audit(temporaryDirectory(), text, GIVEN)
    expect(results).toMatchObject({ 'file#/srv/{{ Data.typo }}x': { verdict: 'error', reason: 'template' } })
  })

  test.each([
    ['the data', 'data: {a: "{{ Facts.nope }}"}\n'],
    ['the data, by lookup', `data: {a: "{{ lookup('facts.nope') }}"}\n`],
    ['an override', 'hierarchy: {order: [all]}\noverrides: {all: {a: "{{ Facts.nope }}"}}\n'],
    ['a level', `hierarchy: {order: ["role:{{ lookup('facts.nope') }}"]}\n`],
    ['a message', 'data: {a: 1}\n', 'pre_message: "{{ Data.nope }}", '],
  ])('in %s it is a problem of the policy', async (_title, text, message = '') => {
    const policy = `${text}ccm: {${message}resources: [{file: {name: /nowhere/x, ensure: absent}}]}\n`
    expect(await problemsOf(temporaryDirectory(), policy)).toEqual([expect.stringContaining('nope')])
  })

  test.each([
    '[[ Data.prot ]]',
    '[[ .Data.prot ]]',
    '[[ if data.prot ]]x[[ end ]]',
    '[[ facts.rloe ]]',
    '[[ .Dta.x ]]',
  ])('in a Jet template: %s', async (template) => {
    expect(await resultOf(written(`{{ jet(${JSON.stringify(template)}) }}`))).toMatch(
      /^error template 3 .*did you mean "(port|role|Data)"\?$/,
    )
  })

  test('in a template of resources', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'r.jet'), '- file: {name: "/nowhere/[[ Data.prot ]]", ensure: absent}\n')
    const problems = await problemsOf(directory, `${DATA}ccm: {resources_jet_file: r.jet}\n`)
    expect(problems).toEqual([expect.stringContaining('did you mean "port"?')])
  })
})

const BOTH = "Facts.host.info.PlatformFamily == Facts.host.info.platformFamily && Facts.host.info.OS == 'linux'"

test.each([
  '!("prot" in Data) && "port" in Data && !("platfromFamily" in Facts.host.info)',
  '(Data.prot ?? 1) == 1',
  '(Data.nope.deeper ?? 1) == 1',
  'Data?.prot == nil && Data.nope?.deeper == nil && Data.log?.levle == nil',
  'get(Data, "prot") == nil',
  "lookup('data.prot', 1) == 1 && lookup('facts.rloe', 'x') == 'x'",
  "(lookup('data.prot') ?? 1) == 1",
  '(Environ.STAEG ?? "") == "" && Environ?.STAEG == nil',
  'Data.empty == nil',
  BOTH,
  "lookup('facts.host.info.PlatformFamily') == Facts.host.info.platformFamily",
  "lookup('facts.host.info.PlatformFamily', '?') == Facts.host.info.platformFamily",
  '"PlatformFamily" in Facts.host.info && Facts.host.info.HostID == Facts.host.info.hostId',
  'Facts.memory.virtual.Total == Facts.memory.virtual.total && Facts.cpu.info[0].VendorID == Facts.cpu.info[0].vendorId',
  'all(Facts.network.interfaces, .MTU == .mtu)',
  'all(Facts.network.interfaces, all(.addrs, .Addr == .addr))',
])('asking on purpose, and either spelling of a fact, is no error: %s', async (expression) => {
  expect(await resultOf(gated(expression))).toMatch(/^compliant {2}0/)
})

test('both spellings serve the data and Jet as well', async () => {
  const content =
    '{{ Data.a }} {{ Data.b }} {{ jet("[[ facts.host.info.OS ]] [[ isset(facts.host.info.PlatformFamily) ]]") }}'
  const data = 'data: {a: "{{ Facts.host.info.OS }}", b: "{{ lookup(\'facts.host.info.OS\') }}"}\n'
  const directory = temporaryDirectory()
  const path = join(directory, 'x')
  const body = `ensure: present, owner: ${process.getuid?.()}, group: ${process.getgid?.()}, mode: "0644"`
  writeFileSync(path, 'linux linux linux true', { mode: 0o644 })
  const text = `${data}ccm: {resources: [{file: {name: ${path}, ${body}, content: ${JSON.stringify(content)}}}]}\n`
  const { results } = await audit(directory, text)
  expect(results[`file#${path}`]).toMatchObject({ verdict: 'compliant' })
})

describe('no nil is ever written', () => {
  test.each(['a {{ Data.empty }}', '{{ Data.empty }}', '{{ [1, Data.empty] }}', '{{ Data?.nope }}'])(
    '%s in a content is an error',
    async (content) => {
      expect(await resultOf(written(content))).toMatch(/^error template 3 .*has no printable value/)
    },
  )

  test('an empty text is written where that is said', async () => {
    expect(await resultOf(written('a{{ Data.empty ?? "" }}{{ Data?.nope ?? "" }}'))).toMatch(/^drifted /)
  })

  test('a nil in a Jet template is an error as well', async () => {
    expect(await resultOf(written('{{ jet("[[ Data.empty ]]") }}'))).toMatch(/has no printable value/)
  })

  const scaffolds: readonly (readonly [string, string, string, RegExp])[] = [
    ['jet', '[[ Data.prot ]]', '', /did you mean "port"/],
    ['jet', '[[ Data.empty ]]', '', /has no printable value/],
    ['jet', '[[ if isset(Data.prot) ]]x[[ else ]]y[[ end ]]', 'y', /^$/],
    ['jet', '[[ Facts.host.info.OS ]]', 'linux', /^$/],
    ['jet', '[[ try ]][[ Data.prot ]][[ catch ]]caught[[ end ]]', 'caught', /^$/],
    ['go', '{{ .data.prot }}', '', /did you mean "port"/],
    ['go', '{{ index .data "prot" }}', '', /did you mean "port"/],
    ['go', '{{ if .data.prot }}x{{ end }}', '', /did you mean "port"/],
    ['go', '{{ .data.empty }}', '', /no printable value/],
    ['go', '{{ .facts.host.info.platfromFamily }}', '', /did you mean "platformFamily"/],
    ['go', '{{ $d := set (dict) "a" 1 }}{{ .data.prot }}', '', /did you mean "port"/],
    ['go', '{{ .data.prot | default "d" }}{{ default "e" .data.nope }}', 'de', /^$/],
    ['go', '{{ hasKey .data "prot" }} {{ lookup "data.prot" "d" }}', 'false d', /^$/],
    ['go', '{{ .facts.host.info.OS }} {{ hasKey .facts.host.info "PlatformFamily" }}', 'linux true', /^$/],
  ]
  test.each(scaffolds)('a fix with a scaffold in %s writes no %s', async (engine, template, rendered, message) => {
    const directory = temporaryDirectory()
    const target = join(directory, 'target')
    mkdirSync(join(directory, 'source'))
    writeFileSync(join(directory, 'source', 'f'), template)
    const text = `${DATA}ccm: {resources: [{scaffold: {name: ${target}, ensure: present, source: source, engine: ${engine}, skip_empty: true}}]}\n`
    const loaded = await load(directory, text, GIVEN)
    if (!loaded.ok) throw new Error(loaded.problems.map((problem) => problem.message).join())
    const run = await scan(loaded.value, { fix: true, target: identifiedMachine() })
    const [result] = run.policies[0]?.resources ?? []
    if (rendered !== '') {
      expect(readFileSync(join(target, 'f'), 'utf8')).toBe(rendered)
      return
    }
    expect(result).toMatchObject({ verdict: 'error', reason: 'template', message: expect.stringMatching(message) })
    expect(existsSync(target) ? readdirSync(target) : []).toEqual([])
  })
})

/** What `validate` says, as `line message`. */
async function validated(text: string, options: LoadPolicyOptions = {}): Promise<readonly string[]> {
  const file = join(temporaryDirectory(), 'p.yaml')
  writeFileSync(file, text)
  const loaded = await loadDocuments([file], { environ: {}, ...options })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join())
  return loaded.value
    .flatMap((document) => checkTemplates(document, resourceTypes))
    .map(({ position, message }) => `${position?.line}:${position?.column} ${message}`)
}

describe('validation reports names that do not exist', () => {
  test.each(
    UNKNOWN.filter(([expression]) => /platfromFamily|^Data|\$env/.test(expression) && !/\)\.|^\(let/.test(expression)),
  )('%s', async (expression, message) => {
    expect(await validated(gated(expression))).toEqual([expect.stringContaining(message)])
  })

  test('at its place', async () => {
    const text = gated("Facts.host.info.platfromFamily == 'debian'")
    const line = text.split('\n')[1] ?? ''
    expect(await validated(text)).toEqual([
      `2:${line.indexOf('platfromFamily') + 1} no fact "host.info.platfromFamily", did you mean "platformFamily"?`,
    ])
  })

  test.each([
    ['a fact that the operator adds to a family', gated("Facts.host.info.rack == 'a'"), { fact: ['host.info.rack=a'] }],
    ['a fact of the own', gated("Facts.role == 'web'"), {}],
    ['data of another machine', `hierarchy: {order: [x]}\noverrides: {y: {only: 1}}\n${gated('Data.only == 1')}`, {}],
    ['a tested key', gated('"only" in Data and Data.only == 1'), {}],
    ['data of the operator', gated('Data.only == 1'), { set: ['only=1'] }],
    ['a key of a policy without data', gated('Data.only == 1').replace(DATA, ''), {}],
  ])('%s is not reported', async (_title, text, options) => {
    expect(await validated(text, options)).toEqual([])
  })

  test.each(['examples/file-permissions.yaml'])('the shipped policy %s has no unknown name', async (name) => {
    const loaded = await loadPolicy(join('policies', name), { environ: {} })
    expect(loaded.ok).toBe(true)
  })
})
