import { Document, isCollection, isMap, isScalar, visit, YAMLMap } from 'yaml'
import { yamlText } from '../../policy/document/yaml-text.ts'
import { escapeTemplate, escapeTemplates } from '../../engine/inspect/render/escape-template.ts'
import type { CapturedResource } from './gather.ts'

/** A group of resources with a preceding comment. */
export interface Section {
  readonly comment?: string
  readonly resources: readonly CapturedResource[]
}

/** Contents of a written policy. */
export interface PolicyParts {
  /** Comment lines above it. */
  readonly head: readonly string[]
  readonly id: string
  readonly title: string
  readonly sections: readonly Section[]
  /** Write short resources on one line. */
  readonly isCompact?: boolean
}

/** Formats a policy; consecutive resources of a type form one list. */
export function policyText({ head, id, title, sections, isCompact = false }: PolicyParts): string {
  const items = sections.flatMap(({ comment, resources }) =>
    byType(resources).map((item, index) => ({ item, comment: index === 0 ? comment : undefined })),
  )
  const document = new Document({
    policy: { id, title: escapeTemplate(title) },
    ccm: { resources: items.map(({ item }) => item) },
  })
  for (const [index, { comment }] of items.entries()) {
    const node: unknown = document.getIn(['ccm', 'resources', index])
    if (comment === undefined || !isMap(node)) continue
    node.commentBefore = comment.replaceAll(/^/gm, ' ')
    node.spaceBefore = index > 0
  }
  visit(document, {
    // Short lists and acceptances are written on one line.
    Pair(_key, { value }, path) {
      const isInside = path.length > DEPTH_OF_PROPERTIES || (isCompact && path.length === DEPTH_OF_RESOURCES)
      if (isInside && isCollection(value) && isShort(value)) value.flow = true
    },
  })
  const heading = head.map((line) => `# ${line}`.trimEnd()).join('\n')
  return `${heading}\n${yamlText(document)}`
}

/** Depth of a resource property: document, map, pair, map, pair, list, map, pair, list, map, pair, map. */
const DEPTH_OF_PROPERTIES = 11

const DEPTH_OF_RESOURCES = 10

const MOST_IN_ONE_LINE = 90

function isShort(value: unknown): boolean {
  return JSON.stringify(value).length <= MOST_IN_ONE_LINE && !(value instanceof YAMLMap && value.items.some(isLong))
}

function isLong({ value }: { readonly value: unknown }): boolean {
  return isScalar(value) && typeof value.value === 'string' && value.value.includes('\n')
}

type Item = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

function byType(resources: readonly CapturedResource[]): readonly Item[] {
  const groups: { readonly type: string; readonly list: Readonly<Record<string, unknown>>[] }[] = []
  for (const { type, name, properties } of resources) {
    const resource = { [escapeTemplate(name)]: escapeTemplates(properties) }
    const last = groups.at(-1)
    if (last?.type === type) last.list.push(resource)
    else groups.push({ type, list: [resource] })
  }
  return groups.map(({ type, list }) => ({ [type]: list }))
}
