import { conditionsOf, examplePolicy, facetsOf, rowsOf } from './facets.ts'
import type { PropertyReference, Reference, TypeReference } from './model.ts'

export const INDEX_PAGE = 'README.md'

const GENERATED = '<!-- Written by `driftgate docs`; changes here are lost. -->'
const SHARED = 'Properties of every resource'

/** Renders a reference as one Markdown document. */
export function renderMarkdown({ types, common }: Reference): string {
  return document([
    ...types.flatMap((type) => typeBlocks(type, `#${anchorOf(SHARED)}`)),
    `# ${SHARED}`,
    ...sharedBlocks(types, common),
  ])
}

/** Renders a reference as one Markdown page per type and an index, by file name. */
export function markdownPages({ types, common }: Reference): ReadonlyMap<string, string> {
  const index = document([
    GENERATED,
    '# Resource types',
    list(types.map(({ type, summary }) => `[${type}](${encodeURI(pageOf(type))}): ${prose(summary)}`)),
    `## ${SHARED}`,
    ...sharedBlocks(types, common),
  ])
  const pages = types.map((type): [string, string] => [
    pageOf(type.type),
    document([GENERATED, ...typeBlocks(type, `${INDEX_PAGE}#${anchorOf(SHARED)}`)]),
  ])
  return new Map([[INDEX_PAGE, index], ...pages])
}

/** A safe file name for any type name. */
function pageOf(type: string): string {
  return `${encodeURIComponent(type)}.md`
}

function document(blocks: readonly string[]): string {
  return `${blocks.join('\n\n')}\n`
}

function typeBlocks(type: TypeReference, shared: string): readonly string[] {
  return [
    `# ${type.type}`,
    prose(type.summary),
    '## Properties',
    propertyTable(type.properties),
    `It also takes the [properties of every resource](${shared}): ${type.common.map(code).join(', ')}.`,
    ...section('Rules', list(type.rules.map(prose))),
    ...section('Drifts', type.drifts.map(code).join(', ')),
    ...section('Exported values', ...exportBlocks(type)),
    ...section('Providers', list(type.providers.map((each) => `${code(each.name)}: ${prose(conditionsOf(each))}`))),
    ...section('Behaviour', list(type.behaviour.map(prose))),
    ...section('Examples', ...type.examples.flatMap(({ title, yaml }) => [`${prose(title)}:`, fence(yaml)])),
  ]
}

function sharedBlocks(types: readonly TypeReference[], common: readonly PropertyReference[]): readonly string[] {
  const partial = common.flatMap(({ name }) => {
    const takers = types.filter((type) => type.common.includes(name)).map(({ type }) => code(type))
    return takers.length === types.length ? [] : [`Only for ${takers.join(', ')}: ${code(name)}.`]
  })
  return [propertyTable(common), ...partial]
}

function section(title: string, ...blocks: readonly string[]): readonly string[] {
  return blocks.join('') === '' ? [] : [`## ${title}`, ...blocks]
}

function propertyTable(properties: readonly PropertyReference[]): string {
  const rows = properties
    .flatMap(rowsOf)
    .map((property) => [code(property.name), prose(valueOf(property)), prose(property.summary)])
  return table(['property', 'value', 'meaning'], rows)
}

function valueOf(property: PropertyReference): string {
  const { values, aliases, default: normal } = property
  return facetsOf({
    ...property,
    ...(values === undefined ? {} : { values: values.map(code) }),
    ...(aliases === undefined ? {} : { aliases: aliases.map(code) }),
    ...(normal === undefined ? {} : { default: code(String(normal)) }),
  }).join(', ')
}

function exportBlocks({ type, exports: [first, ...others] }: TypeReference): readonly string[] {
  if (first === undefined) return []
  const rows = [first, ...others].map(({ name, kind, summary }) => [code(name), kind, prose(summary)])
  const [path, index] = [`lookup("resources.${type}#NAME.${first.name}")`, `Resources["${type}#NAME"].${first.name}`]
  return [
    `Templates and conditions of later resources read them, as in ${code(path)} or ${code(index)}.`,
    table(['value', 'kind', 'meaning'], rows),
  ]
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A bar ends a table cell, even in code. */
function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`)
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}

function code(text: string): string {
  return `\`${text}\``
}

/** Markdown text on one line, with angle brackets escaped, which would be HTML. */
function prose(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;')))
    .join('')
}

function fence(yaml: string): string {
  return ['```yaml', ...examplePolicy(yaml), '```'].join('\n')
}

/** Anchor of a heading, as Markdown renderers form it. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-')
}
