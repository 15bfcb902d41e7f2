import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../support/temporary.ts'
import { audit, expanded, problemsOf } from '../audit.ts'

// The truth table of CCM's documentation: a resource is managed if `if` is not false and `unless` is not true.
test.each([
  [undefined, undefined, 'compliant'],
  [undefined, false, 'compliant'],
  [undefined, true, 'not-applicable'],
  [true, undefined, 'compliant'],
  [true, false, 'compliant'],
  [true, true, 'not-applicable'],
  [false, undefined, 'not-applicable'],
  [false, false, 'not-applicable'],
  [false, true, 'not-applicable'],
])('if %s, unless %s: %s', async (wanted, unwanted, verdict) => {
  const control = JSON.stringify({
    ...(wanted === undefined ? {} : { if: `Data.x == ${wanted ? 1 : 2}` }),
    ...(unwanted === undefined ? {} : { unless: `Data.x == ${unwanted ? 1 : 2}` }),
  })
  const text = `data: {x: 1}\nccm: {resources: [{file: {name: /nowhere/x, ensure: absent, control: ${control}}}]}`
  const { results } = await audit(temporaryDirectory(), text)
  const { verdict: found, message } = results['file#/nowhere/x'] ?? {}
  expect(found).toBe(verdict)
  if (verdict === 'not-applicable') expect(message).toContain(wanted === false ? 'Data.x == 2' : 'Data.x == 1')
})

test('an expression that fails costs its own resource only and shows its place', async () => {
  const text = `data: {port: 80, name: n}
ccm:
  resources:
    - file: {name: /nowhere/1, ensure: absent, control: {if: Data.port.x.y}}
    - file: {name: /nowhere/2, ensure: absent, control: {unless: "1 + Data.name"}}
    - file: {name: /nowhere/3, ensure: absent, control: {if: Data.name}}
    - file:
        name: /nowhere/4
        ensure: present
        owner: 'plain {{ Data.none.x }}'
        group: root
        mode: "0644"
    - file:
        name: /nowhere/5
        ensure: present
        owner: root
        group: root
        mode: "0644"
        content: |
          first
          second \${ 1 + nope } rest
    - file:
        name: /nowhere/6
        ensure: present
        owner: root
        group: root
        mode: "0644"
        content: a {{ Data.none.x }}
    - file: {name: "/nowhere/{{ Data.port.x }}", ensure: absent}
    - file: {name: /nowhere/7, ensure: absent}
`
  const { results, run } = await audit(temporaryDirectory(), text)
  const errors = Object.entries(results).flatMap(([id, { verdict, reason, message }]) =>
    verdict === 'error' ? [`${id} ${reason} ${message?.replace(/ \S*p\.yaml:/, ' ')}`] : [],
  )
  const column = (line: number, part: string): string =>
    `${line}:${(text.split('\n')[line - 1] ?? '').indexOf(part) + 1}`
  expect(errors).toEqual([
    `file#/nowhere/1 template control.if: ${column(4, 'x.y')} cannot fetch x from int`,
    expect.stringContaining(`file#/nowhere/2 template control.unless: ${column(5, '+ Data')} `),
    expect.stringMatching(/^file#\/nowhere\/3 template control\.if: 6:/),
    expect.stringContaining(`file#/nowhere/4 template owner: ${column(10, 'none')} no data key "none"`),
    expect.stringContaining(`file#/nowhere/5 template content: ${column(21, 'nope')} expr compile error`),
    expect.stringContaining(`file#/nowhere/6 template content: ${column(28, 'none')} no data key "none"`),
    expect.stringContaining(`file#/nowhere/{{ Data.port.x }} template name: ${column(29, 'x }}')} cannot fetch x`),
  ])
  expect(results['file#/nowhere/7']?.verdict).toBe('compliant')
  expect(run.exit.code).toBe(3)
})

test('an invalid expression is a problem of the policy', async () => {
  const text = `ccm:
  resources:
    - file: {name: /nowhere/1, ensure: absent, control: {if: "1 +", unless: "a b"}}
`
  expect(await problemsOf(temporaryDirectory(), text)).toEqual([
    expect.stringMatching(/^3:\d+ unexpected token EOF/),
    expect.stringMatching(/^3:\d+ unexpected token/),
  ])
})

test('names are expanded before anything refers to them', async () => {
  const directory = temporaryDirectory()
  const text = `data: {dir: ${directory}, names: {a: one}}
policy: {controls: [{id: c, resources: ["file#${directory}/one"]}]}
ccm:
  resources:
    - file:
        - "{{ Data.dir }}/{{ Data.names.a }}": {ensure: absent}
        - "\${ Data.dir }/two": {ensure: absent, require: ["file#${directory}/one"]}
    - file: {name: "{{ lookup('data.dir') }}/three", alias: third, ensure: absent, require: ["file#${directory}/two"]}
`
  const { results, run } = await audit(directory, text)
  expect(Object.keys(results)).toEqual(['one', 'two', 'three'].map((name) => `file#${directory}/${name}`))
  expect(run.policies[0]?.controls).toMatchObject([{ id: 'c', verdict: 'compliant' }])
  const twice = text.replace('/two"', '/one"').replace(`/two"]`, `/one"]`)
  expect(await problemsOf(directory, twice)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^7:11 file#.*\/one was already declared on line 6/)]),
  )
})

/** What a file resource with this content would write, by comparing it with what is there. */
async function contentMatches(content: string, found: string, options: Parameters<typeof audit>[2]): Promise<unknown> {
  const directory = temporaryDirectory()
  const path = join(directory, 'file')
  writeFileSync(path, found)
  const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const text = `data: {who: "{{ lookup('facts.evil') }}", port: 80}
ccm:
  resources:
    - file: {name: ${path}, ensure: present, owner: "${uid}", group: "${gid}", mode: "0644", content: ${JSON.stringify(content)}}
`
  const { results } = await audit(directory, text, options)
  return results[`file#${path}`]?.drift.map(({ property, diff }) => `${property} ${diff}`)
}

// A fact or datum that looks like a template must never be evaluated: its source is not trusted.
test.each([
  ['{{ Facts.evil }}', '{{ 1+1 }} ${ 2+2 }'],
  ['[{{ Data.who }}]', '[{{ 1+1 }} ${ 2+2 }]'],
  ["{{ lookup('facts.evil') }}!", '{{ 1+1 }} ${ 2+2 }!'],
  ['$${HOME} and {{ Data.port }}', '${HOME} and 80'],
  ["{{ '{{' }} x }} ${ '$' }{y}", '{{ x }} ${y}'],
  ['cost $5, $HOME, $(id), ${{ Data.port }}', 'cost $5, $HOME, $(id), $80'],
  ['{{ Environ.GREETING }}-{{ Environ.NONE ?? "" }}-', 'hi--'],
  ['{{ 1 + 1 }}', '2'],
  ['{{ 10 / 4 }} {{ [1, "a"] }} {{ {"b": true} }}', '2.5 [1 a] map[b:true]'],
])('%j is %j', async (template, text) => {
  const options = { fact: ['evil={{ 1+1 }} ${ 2+2 }'], environ: { GREETING: 'hi' } }
  expect(await contentMatches(template, text, options)).toEqual([])
  expect(await contentMatches(template, `${text}x`, options)).toHaveLength(1)
})

test('content and source are only expanded once control has let the resource pass', async () => {
  const body = 'ensure: present, owner: root, group: root, mode: "0644"'
  const text = `ccm:
  resources:
    - file: {name: /nowhere/a, ${body}, content: "{{ readFile('/nowhere/none') }}", control: {if: "false"}}
    - file: {name: /nowhere/b, ${body}, source: "{{ Data.x.y }}", control: {unless: "true"}}
    - file: {name: /nowhere/c, ${body}, content: "{{ readFile('/nowhere/none') }}"}
`
  const { results } = await audit(temporaryDirectory(), text)
  expect(Object.values(results).map(({ verdict }) => verdict)).toEqual(['not-applicable', 'not-applicable', 'error'])
})

test('files are read relative to the policy, through readFile, file and template', async () => {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'sub'))
  writeFileSync(join(directory, 'sub/name'), 'world {{ 1 }}')
  writeFileSync(join(directory, 'sub/greeting.templ'), 'hello {{ readFile("sub/name") }} {{ Data.n + 1 }}')
  const policy = 'data: {n: 1}'
  expect(await expanded(directory, "{{ readFile('sub/name') }}|{{ file('./sub/name') }}", { policy })).toBe(
    'world {{ 1 }}|world {{ 1 }}',
  )
  expect(await expanded(directory, "{{ template('sub/greeting.templ') }}", { policy })).toBe('hello world {{ 1 }} 2')
  expect(await expanded(directory, '{{ WorkingDir }}')).toBe(directory)
})

test.each([
  ['a fifo', 'fifo', /it is not a regular file/],
  ['a directory', 'directory', /it is a directory/],
  ['a device', '/dev/zero', /it is not a regular file/],
  ['nothing', 'none', /no such file/],
  ['bytes that are no text', 'binary', /not valid/],
])('%s is not read and not waited for', async (_title, name, message) => {
  const directory = temporaryDirectory()
  execFileSync('mkfifo', [join(directory, 'fifo')])
  mkdirSync(join(directory, 'directory'))
  writeFileSync(join(directory, 'binary'), Uint8Array.of(0xff, 0xfe, 0xfd))
  await expect(expanded(directory, `{{ readFile('${name}') }}`)).rejects.toThrow(message)
})

test('fileExists reports existing files, directories and dangling links', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'there'), '')
  execFileSync('ln', ['-s', '/nowhere/at/all', join(directory, 'dangling')])
  const ask = (path: string): Promise<string | undefined> => expanded(directory, `{{ fileExists('${path}') }}`)
  expect(await ask(join(directory, 'there'))).toBe('true')
  expect(await ask(directory)).toBe('true')
  expect(await ask(join(directory, 'dangling'))).toBe('true')
  expect(await ask(join(directory, 'none'))).toBe('false')
  expect(await ask(join(directory, 'there/below'))).toBe('false')
})
