import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { known, unknown } from '../../../../src/model/observation.ts'
import { TemplateError } from '../../../../src/templates/errors.ts'
import type { GoFunction, GoValue } from '../../../../src/templates/govalue/index.ts'
import {
  type RenderedTree,
  renderScaffold,
  type ScaffoldOptions,
  type SourceEntry,
  SourceError,
} from '../../../../src/subjects/scaffolds/template/index.ts'
import { cases } from '../../../support/soak.ts'

/** Files by path; a path that ends in a slash is a directory. Parents are added. */
type Files = Readonly<Record<string, string | Uint8Array>>

function entriesOf(files: Files): SourceEntry[] {
  const directories = new Set<string>()
  for (const path of Object.keys(files)) {
    for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
      directories.add(path.slice(0, slash))
    }
  }
  return [
    ...[...directories].map((path) => ({ path, kind: 'directory' as const })),
    ...Object.keys(files).flatMap((path) => (path.endsWith('/') ? [] : [{ path, kind: 'file' as const }])),
  ]
}

function render(
  files: Files,
  options: Partial<ScaffoldOptions> = {},
  extra: readonly SourceEntry[] = [],
): Promise<RenderedTree> {
  const source = {
    directory: '/SRC',
    entries: [...entriesOf(files), ...extra],
    read: (path: string) => known(Buffer.from(files[path] ?? 'linked')),
  }
  return renderScaffold(source, {
    engine: 'go',
    skipEmpty: false,
    target: '/TMP/target',
    context: null,
    variables: new Map(),
    functions: new Map(),
    signal: new AbortController().signal,
    ...options,
  })
}

async function texts(...args: Parameters<typeof render>): Promise<Record<string, string>> {
  const { files } = await render(...args)
  return Object.fromEntries([...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]))
}

const n: GoValue = new Map([['n', 'v']])

// Each row was observed with the real library.
describe('like choria-io/scaffold', () => {
  test.each<[string, Files, Partial<ScaffoldOptions>, Record<string, string>]>([
    ['names are literal', { '{{ .n }}/a-{{ .n }}.txt': 'a' }, { context: n }, { '{{ .n }}/a-{{ .n }}.txt': 'a' }],
    ['a file named _partials hides the rest of its directory', { A: 'A', _partials: 'x', b: 'b' }, {}, { A: 'A' }],
    [
      'a directory named _partials is hidden at any depth, not for render',
      { 'd/_partials/p': 'P', 'd/f': '{{ render "d/_partials/p" . }}' },
      {},
      { 'd/f': 'P' },
    ],
    ['empty files are left out', { e: ' \n', f: 'x' }, { skipEmpty: true }, { f: 'x' }],
    ['empty files are kept', { e: ' \n' }, {}, { e: ' \n' }],
    [
      'a blank partial leaves out the caller in Go',
      { '_partials/p': ' ', a: '{{ render "_partials/p" . }}x' },
      { skipEmpty: true },
      {},
    ],
    [
      'write after the directory',
      { 'a/k': 'k', 'z.txt': '{{ write "a/w" "hi" }}' },
      {},
      { 'a/k': 'k', 'a/w': 'hi', 'z.txt': '' },
    ],
    [
      'a later file wins over write',
      { 'a.txt': '{{ write "b.txt" "w" }}', 'b.txt': 'from-file' },
      {},
      { 'a.txt': '', 'b.txt': 'from-file' },
    ],
    [
      'write outlives a caller that is left out',
      { 'a.txt': '{{ write "b.txt" "w" }}' },
      { skipEmpty: true },
      { 'b.txt': 'w' },
    ],
    ['dot files are ordinary', { '.git/x': 'g', '.hidden': 'h' }, {}, { '.git/x': 'g', '.hidden': 'h' }],
    ['render renders any file', { a: '{{ render "b" . }}', b: 'x' }, {}, { a: 'x', b: 'x' }],
    ['a missing key', { a: '{{ .nope }}' }, { context: n }, { a: '<no value>' }],
    [
      'jet has no comments in other marks',
      { a: 'a{* c *}b' },
      { engine: 'jet', delimiters: ['[[', ']]'] },
      { a: 'a{* c *}b' },
    ],
  ])('%s', async (_name, files, options, wanted) => {
    expect(await texts(files, options)).toEqual(wanted)
  })

  test.each<[string, Files, Partial<ScaffoldOptions>, RegExp]>([
    [
      'a blank partial fails in Jet',
      { '_partials/p': ' ', a: '{{ render("_partials/p", .) }}' },
      { engine: 'jet', skipEmpty: true },
      /render: skipped rendering/,
    ],
    [
      'a function that is not there',
      { b: '{{ nofunc }}' },
      {},
      /^parsing template b failed: template: b:1: function "nofunc" not defined$/,
    ],
    [
      'templates of other files',
      { a: '{{ define "T" }}t{{ end }}', b: '{{template "T"}}' },
      {},
      /template "T" not defined/,
    ],
    [
      'Jet finds no other file',
      { a: 'a', b: '{{ include "a" }}' },
      { engine: 'jet' },
      /template \/a could not be found/,
    ],
    [
      'write leaves the target',
      { f: '{{ write "../w.txt" "hi" }}' },
      {},
      /error calling write: \/TMP\/w\.txt is not in target directory \/TMP\/target$/,
    ],
    [
      'render leaves the source',
      { f: '{{ render "../x" . }}' },
      {},
      /error calling render: \.\.\/x is not in source directory \/SRC$/,
    ],
    [
      'render leaves the source in Jet',
      { f: '{{ render("../../etc/passwd", .) }}' },
      { engine: 'jet' },
      /render: \.\.\/\.\.\/etc\/passwd is not in source directory \/SRC$/,
    ],
    ['a partial that is not there', { f: '{{ render "x" . }}' }, {}, /open \/SRC\/x: no such file or directory/],
    ['a directory as partial', { f: '{{ render "d" . }}', 'd/': '' }, {}, /read \/SRC\/d: is a directory/],
    [
      'a file written where a directory is',
      { 'd/x': '{{ write "d" "" }}' },
      {},
      /open \/TMP\/target\/d: is a directory/,
    ],
    [
      'a file written below a file',
      { a: '', b: '{{ write "a/x" "" }}' },
      {},
      /open \/TMP\/target\/a\/x: not a directory/,
    ],
    [
      'a directory where a file was written',
      { a: '{{ write "d" "" }}', 'd/x': '' },
      {},
      /mkdir \/TMP\/target\/d: not a directory/,
    ],
    ['the target itself written', { a: '{{ write "/" "" }}' }, {}, /open \/TMP\/target: is a directory/],
    ['write with one argument', { a: '{{ write("x") }}' }, { engine: 'jet' }, /write: requires 2 string arguments/],
    ['write with a number', { a: '{{ write("x", 1) }}' }, { engine: 'jet' }, /write: requires 2 string arguments/],
    ['render without data', { a: '{{ render("x") }}' }, { engine: 'jet' }, /render: requires 2 arguments/],
  ])('%s', async (_name, files, options, message) => {
    await expect(render(files, options)).rejects.toThrow(TemplateError)
    await expect(render(files, options)).rejects.toThrow(message)
  })

  test('an absolute path of write means the target', async () => {
    expect(await texts({ f: '{{ write "/etc/zz" "w" }}' })).toEqual({ 'etc/zz': 'w', f: '' })
  })

  test('empty directories belong to the tree, those of partials do not', async () => {
    const { directories } = await render({ 'd/e/': '', '_partials/x/': '', f: '{{ write "w/x/y" "" }}' })
    expect(directories).toEqual(['d', 'd/e', 'w', 'w/x'])
  })

  test('files are sorted by path', async () => {
    const { files } = await render({ 'a/x': '', 'a.txt': '', B: '', é: '', '\u{1f600}': '', '\uff5e': '' })
    expect([...files.keys()]).toEqual(['B', 'a.txt', 'a/x', 'é', '\uff5e', '\u{1f600}'])
  })
})

describe('accepted files of a source', () => {
  test.each(['symlink', 'other'] as const)('a %s is refused, but not among partials', async (kind) => {
    await expect(render({ a: 'a' }, {}, [{ path: 'd/l', kind }])).rejects.toThrow('invalid file in source: d/l')
    expect(await texts({ a: 'a', '_partials/': '' }, {}, [{ path: '_partials/l', kind }])).toEqual({ a: 'a' })
  })

  test('a special file is refused by render', async () => {
    const special = [{ path: '_partials/p', kind: 'other' }] as const
    await expect(render({ a: '{{ render "_partials/p" . }}' }, {}, special)).rejects.toThrow('is not a regular file')
  })

  test.each(['../x', 'a/../b', '/etc/passwd', 'a//b', './a', 'a/.', '..', '', 'a\0b'])(
    'the name %j is refused',
    async (path) => {
      await expect(render({}, {}, [{ path, kind: 'file' }])).rejects.toThrow(TemplateError)
    },
  )

  test('a file that cannot be read says why', async () => {
    const denied = unknown('permission-denied', 'source /SRC/a: permission denied')
    const source = { directory: '/SRC', entries: [{ path: 'a', kind: 'file' } as const], read: () => denied }
    const options = { engine: 'jet', skipEmpty: false, target: '/t', context: null } as const
    const rest = { variables: new Map(), functions: new Map(), signal: new AbortController().signal }
    const failure = await renderScaffold(source, { ...options, ...rest }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(SourceError)
    expect(failure).toMatchObject({ reading: denied })
  })
})

describe('the data of templates', () => {
  const facts: GoValue = new Map<GoValue, GoValue>([['hostname', 'h1']])
  const variables = new Map<string, GoValue>([['facts', facts]])
  const view = { variables, context: new Map<GoValue, GoValue>(variables) }

  test.each<[string, Files, Partial<ScaffoldOptions>]>([
    ['Go, by the dot', { a: '{{ .facts.hostname }}' }, {}],
    ['Jet, by the dot', { a: '{{ .facts.hostname }}' }, { engine: 'jet' }],
    ['Jet, by name', { a: '{{ facts.hostname }}' }, { engine: 'jet' }],
    ['Jet, own delimiters', { a: '<<facts.hostname>>' }, { engine: 'jet', delimiters: ['<<', '>>'] }],
    ['Go, in a partial', { a: '{{ render "_partials/p" . }}', '_partials/p': '{{ .facts.hostname }}' }, {}],
    [
      'Jet, in a partial',
      { a: '{{ render("_partials/p", .) }}', '_partials/p': '{{ .facts.hostname }}' },
      { engine: 'jet' },
    ],
  ])('%s', async (_name, files, options) => {
    expect((await texts(files, { ...view, ...options }))['a']).toBe('h1')
  })

  test('functions of the host, but write and render stay those of the scaffold', async () => {
    const call = (name: string): GoFunction => ({ kind: 'function', name, call: () => `host ${name}` })
    const functions = new Map(['greet', 'write'].map((name) => [name, call(name)]))
    expect(await texts({ a: '{{ greet }}{{ write "b" "x" }}' }, { functions })).toEqual({ a: 'host greet', b: 'x' })
  })

  test('regular expressions of sprig work in partials', async () => {
    const files = { a: '{{ render "_partials/p" . }}', '_partials/p': '{{ regexReplaceAll "l+" "hello" "L" }}' }
    expect((await texts(files))['a']).toBe('heLo')
  })
})

describe('limits', () => {
  test('a template that renders itself', async () => {
    await expect(render({ a: '{{ render "a" . }}' })).rejects.toThrow(/nested/)
    await expect(render({ a: '{{ try }}{{ render("a", .) }}{{ catch }}{{ end }}' }, { engine: 'jet' })).rejects.toThrow(
      /nested/,
    )
  })

  test('a limit names the file', async () => {
    const loop = '{{ range ints(0, 2000000) }}{{ end }}'
    await expect(render({ 'd/a': loop }, { engine: 'jet' })).rejects.toThrow(/d\/a/)
  })

  test('an aborted signal ends the rendering', async () => {
    await expect(render({ a: 'a' }, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
  })
})

describe('bytes', () => {
  const marks = { go: ['{{', '}}'], jet: ['[[', ']]'] } as const

  test.each(['go', 'jet'] as const)('invalid UTF-8 is kept by %s', async (engine) => {
    const [left, right] = marks[engine]
    const source = Buffer.concat([
      Buffer.from([0, 0xff, 0xc3, 0xed, 0xa0, 0x80]),
      Buffer.from(`${left}"é"${right}`),
      Buffer.from([0xe2, 0x82]),
    ])
    const { files } = await render({ a: source }, { engine, delimiters: marks[engine] })
    expect(Buffer.from(files.get('a') ?? []).toString('hex')).toBe('00ffc3eda080c3a9e282')
  })

  test.each(['go', 'jet'] as const)('any bytes without an action come out of %s as they are', async (engine) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (bytes) => {
        fc.pre(!Buffer.from(bytes).includes('<<'))
        // White space in front of all else is no part of a Jet template.
        const source = Buffer.concat([Buffer.from('x'), bytes])
        const { files } = await render({ a: source }, { engine, delimiters: ['<<', '>>'] })
        expect(files.get('a')).toEqual(source)
      }),
      { numRuns: cases({ usual: 60, soak: 2000 }) },
    )
  })
})

const hostileName = fc.oneof(
  fc.constantFrom('..', '.', '', '/', '_partials', 'a', 'b', '~', '-rf', '$(x)', '{{', 'a\nb', '\ud800', '\\', 'CON'),
  fc.string({ unit: 'binary', maxLength: 6 }),
)

test('no name that a source or a template gives leads out of the target', async () => {
  const path = fc.array(hostileName, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'))
  await fc.assert(
    fc.asyncProperty(
      fc.array(path, { maxLength: 4 }),
      path,
      fc.constantFrom('go', 'jet'),
      async (paths, out, engine) => {
        const entries = paths.map((name) => ({ path: name, kind: 'file' }) as const)
        const context = new Map([['out', out]])
        const source = {
          directory: '/SRC',
          entries: [...entries, { path: 'main', kind: 'file' } as const],
          read: () => known(Buffer.from(engine === 'go' ? '{{ write .out "" }}' : '{{ write(.out, "") }}')),
        }
        const options = { skipEmpty: false, target: '/TMP/target', variables: new Map(), functions: new Map() }
        const signal = new AbortController().signal
        try {
          const tree = await renderScaffold(source, { ...options, engine, context, signal })
          for (const rendered of [...tree.files.keys(), ...tree.directories]) {
            expect(rendered.split('/').filter((part) => ['', '.', '..'].includes(part) || part.includes('\0'))).toEqual(
              [],
            )
          }
        } catch (error) {
          expect(error).toBeInstanceOf(TemplateError)
        }
      },
    ),
    { numRuns: cases({ usual: 100, soak: 5000 }) },
  )
})
