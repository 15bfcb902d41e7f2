import { expect, test } from 'vitest'
import { referencePages, renderReference } from '../../../src/cli/reference/index.ts'
import { resourceTypes } from '../../support/resource-types.ts'
import { blocksOf } from '../../docs/document.ts'
import { gadget, parse } from '../../policy/support.ts'

const plain = (_tone: string, text: string): string => text

test.each([40, 60, 110])('no prose is wider than a terminal of %i columns', (width) => {
  const types = resourceTypes.map((type) => ({ ...type, examples: [] }))
  const text = renderReference(types, { format: 'text', width, paint: plain })
  for (const line of text.split('\n').filter((each) => each.length > width)) expect(line.trim()).not.toContain(' ')
})

const hostile = {
  ...gadget,
  type: '../../etc/gadget\u001b[31m',
  summary: 'Takes <name> | `<b>|`\nand more.\u001b[31m',
  examples: [{ title: 'An \u001b[31mexample', yaml: 'gadget:\n  - a:\n      data: "\u001b[31m"' }],
}

test('texts of a type cannot send escape sequences to the terminal', () => {
  expect(renderReference([hostile], { format: 'text', width: 80, paint: plain })).not.toContain('\u001b')
})

test('tones mark what stands out and change nothing else', () => {
  const painted = renderReference([gadget], {
    format: 'text',
    width: 80,
    paint: (tone, text) => `<${tone}>${text}</${tone}>`,
  })
  expect(painted).toContain('<strong>gadget</strong>\n')
  expect(painted).toContain('  <good>size</good>  integer, from 1 to 9\n')
  expect(painted.replaceAll(/<\/?(strong|good|dim)>/g, '')).toBe(
    renderReference([gadget], { format: 'text', width: 80, paint: plain }),
  )
})

test('the pages stay in their directory, and the index leads to them', () => {
  const pages = referencePages([hostile, gadget])
  for (const name of pages.keys()) expect(name).not.toContain('/')
  const links = [...(pages.get('README.md') ?? '').matchAll(/\]\(([^)]*)\)/g)].map(([, link = '']) => decodeURI(link))
  expect(links).toEqual([...pages.keys()].filter((name) => name !== 'README.md'))
})

test('a table of Markdown keeps its columns, and no text becomes HTML', () => {
  const properties = { name: { kind: 'text', oneOf: ['a|b', 'c'], summary: hostile.summary } } as const
  const markdown = renderReference([{ ...gadget, properties }], { format: 'markdown' })
  expect(markdown).toContain('| `name` | `a\\|b` \\| `c` | Takes &lt;name> \\| `<b>\\|` and more.')
})

const exporting = { ...gadget, exports: { uid: { kind: 'integer' as const, summary: 'The id of the owner.' } } }

test('exported values are shown', () => {
  expect(renderReference([exporting], { format: 'markdown' })).toContain(
    'read them, as in `lookup("resources.gadget#NAME.uid")` or `Resources["gadget#NAME"].uid`.\n\n| value | kind | meaning |\n| --- | --- | --- |\n| `uid` | integer | The id of the owner. |\n',
  )
  expect(renderReference([exporting], { format: 'text', width: 80, paint: plain })).toContain(
    'Exported values\n  uid\n      integer. The id of the owner.\n',
  )
})

const pages = [...referencePages(resourceTypes)]

test.each(pages.filter(([name]) => name !== 'README.md'))('the examples of %s are policies', (_name, markdown) => {
  const blocks = blocksOf(markdown)
  expect(blocks).not.toHaveLength(0)
  for (const { lines } of blocks) expect(parse(lines.join('\n'))).toMatchObject({ ok: true })
})
