import { Document, isMap, isScalar, isSeq, Scalar, visit } from 'yaml'
import { escapeForTerminal } from '../../../model/escape.ts'
import type { DataMap } from '../../../policy/data/merge.ts'
import { formatGoValue, type GoValue, toPlain } from '../../../templates/govalue/index.ts'
import { expandProperties, type RunnablePolicy } from '../../../policy/runnable/policy.ts'
import type { ResourceType } from '../../../resource-type/define.ts'
import { escapeTemplate } from './escape-template.ts'
import type { Evaluation } from '../../../policy/expand/evaluation.ts'
import type { PolicyDocument } from '../../../policy/read/policy.ts'
import { entriesOf, member, toPlainValue, type TreeNode } from '../../../policy/document/tree.ts'
import { yamlText } from '../../../policy/document/yaml-text.ts'
import { HIDDEN_KEY, hideNothing, hideSecrets, type StandIns } from './hide.ts'
import { renderResource, type RenderedResource } from './resource.ts'

/** A policy with resolved values, as YAML. */
export interface RenderedPolicy {
  readonly text: string
  /** Resources that could not be resolved and stay as written, with the reason. */
  readonly unresolved: readonly { readonly id: string; readonly message: string }[]
  /** True if secrets were left out, so that the text cannot be scanned without them. */
  readonly hidesSecrets: boolean
}

export interface RenderPolicyOptions {
  readonly types: readonly ResourceType[]
  readonly secrets: 'hide' | 'show'
}

/**
 * Writes a policy that scans to the same result without facts, hierarchy and flags. Names and templates are expanded,
 * excluded resources get a constant condition, and relative sources become absolute unless they are in a bundle.
 * Literal text that looks like a template is escaped. Unless secrets are shown, they become references to required
 * data.
 */
export function renderPolicy(document: PolicyDocument, { types, secrets }: RenderPolicyOptions): RenderedPolicy {
  const { policy, root, written, evaluation } = document
  const { data = new Map() } = evaluation ?? {}
  // A first expansion finds all values derived from secrets.
  if (secrets === 'hide') for (const declaration of policy.resources) expandProperties(policy, declaration)
  const hiding = secrets === 'show' || evaluation === undefined ? hideNothing() : hideSecrets(evaluation)
  const resources = policy.resources.flatMap((declaration) => {
    const type = types.find((each) => each.type === declaration.type)
    const own = written.get(declaration.id)
    if (type === undefined || own === undefined) return []
    return [{ id: declaration.id, ...renderResource(declaration, { policy, type, written: own, hiding, evaluation }) }]
  })
  const shownData = renderData(data, hiding)
  const hidesSecrets = shownData.leftOut.size > 0
  const yaml = new Document(
    {
      ...extensions(root),
      policy: metadata(document),
      ...(Object.keys(shownData.values).length === 0 ? {} : { data: shownData.values }),
      ccm: {
        ...message('pre_message', policy.preMessage, hiding),
        ...message('post_message', policy.postMessage, hiding),
        ...(policy.failOnError ? { fail_on_error: true } : {}),
        resources: resources.map(({ type, body }) => ({ [type]: body })),
      },
    },
    { aliasDuplicateObjects: false },
  )
  annotate(yaml, shownData, evaluation)
  comment(yaml, resources, hiding)
  yaml.commentBefore = header(policy, hidesSecrets)
  const unresolved = resources.flatMap(({ id, unresolved: why }) => (why === undefined ? [] : [{ id, message: why }]))
  return { text: yamlText(yaml), unresolved, hidesSecrets }
}

function header({ source, confine }: RunnablePolicy, hidesSecrets: boolean): string {
  const lines = [` Rendered by driftgate from ${source === '-' ? 'standard input' : escapeForTerminal(source)}.`]
  if (confine !== undefined) lines.push(' Relative sources refer to the bundle: keep this file next to them.')
  if (hidesSecrets) {
    lines.push(' Secrets are omitted: pass them with --data or --set, or render with --show-secrets.')
  }
  return lines.join('\n')
}

/** Extension keys (`x-`) as written. */
function extensions(root: TreeNode): Readonly<Record<string, unknown>> {
  const free = [...entriesOf(root)].filter(([key]) => key.startsWith('x-'))
  return Object.fromEntries(free.map(([key, { value }]) => [key, toPlainValue(value)]))
}

/** Metadata with an explicit id, since the id from the file name may change, and resolved resource ids. */
function metadata({ policy, root }: PolicyDocument): unknown {
  const own = textTree(member(root, 'policy') ?? { kind: 'map', offset: 0, entries: new Map() })
  const controls = policy.controls.map(({ resources }) => resources)
  if (typeof own !== 'object' || own === null) return { id: policy.id }
  const written: unknown = Reflect.get(own, 'controls')
  if (!Array.isArray(written)) return { ...own, id: policy.id }
  const resolved = written.map((item: unknown, at) =>
    typeof item === 'object' && item !== null && 'resources' in item ? { ...item, resources: controls[at] } : item,
  )
  return { ...own, id: policy.id, controls: resolved }
}

/** Metadata is text, so an unquoted `9.10` keeps its characters. */
function textTree(node: TreeNode): unknown {
  if (node.kind === 'scalar') return node.value === null ? null : node.text
  if (node.kind === 'list') return node.items.map(textTree)
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, textTree(value)]))
}

function message(key: string, text: string | undefined, hiding: StandIns): Readonly<Record<string, string>> {
  return text === undefined ? {} : { [key]: hiding.template(text) }
}

interface RenderedData {
  readonly values: Readonly<Record<string, unknown>>
  /** Paths of the omitted secrets, with their keys joined. */
  readonly leftOut: ReadonlySet<string>
}

function renderData(data: DataMap, hiding: StandIns): RenderedData {
  const leftOut = new Set<string>()
  const renderMap = (map: DataMap, path: readonly string[]): Record<string, unknown> =>
    Object.fromEntries(
      [...map].map(([key, value]) => {
        const name = formatGoValue(key)
        return [name, render(value, [...path, name])]
      }),
    )
  const render = (value: GoValue, path: readonly string[]): unknown => {
    if (value instanceof Map) return renderMap(value, path)
    if (hiding.hides(path) && !isNothing(value)) {
      leftOut.add(pathKey(path))
      return null
    }
    if (Array.isArray(value)) return value.map((item: GoValue) => render(item, path))
    // Data templates can only refer to facts, so they cannot refer to a secret.
    return typeof value === 'string' ? escapeTemplate(hiding.shown(value)) : toPlain(value)
  }
  const values = renderMap(data, [])
  for (const name of hiding.names) leftOut.add(pathKey([HIDDEN_KEY, name]))
  const own =
    hiding.names.size === 0 ? {} : { [HIDDEN_KEY]: Object.fromEntries([...hiding.names].map((name) => [name, null])) }
  return { values: { ...values, ...own }, leftOut }
}

function pathKey(path: readonly string[]): string {
  return path.join('\0')
}

function isNothing(value: GoValue): boolean {
  return value === null || value === ''
}

/** Comments the secrets of the data, and marks the omitted ones as required. */
function annotate(yaml: Document, { leftOut }: RenderedData, evaluation: Evaluation | undefined): void {
  const starts = new Set([...(evaluation?.secretPaths ?? []).map(pathKey), HIDDEN_KEY])
  const walk = (node: unknown, path: readonly string[]): void => {
    if (!isMap(node)) return
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue
      const inner = [...path, String(key.value)]
      const lines = [
        ...(starts.has(pathKey(inner)) ? [' @sensitive'] : []),
        ...(leftOut.has(pathKey(inner)) ? [' @require'] : []),
      ]
      if (lines.length > 0) key.commentBefore = lines.join('\n')
      walk(value, inner)
    }
  }
  walk(yaml.get('data', true), [])
}

function comment(yaml: Document, resources: readonly RenderedResource[], hiding: StandIns): void {
  const items = yaml.getIn(['ccm', 'resources'], true)
  if (!isSeq(items)) return
  for (const [at, { unresolved }] of resources.entries()) {
    const item = items.items[at]
    if (unresolved === undefined || !isMap(item)) continue
    item.commentBefore = ` is printed unresolved: ${escapeForTerminal(hiding.shown(unresolved))}`
  }
  // A plain `<<` would be a merge key.
  visit(yaml, {
    Scalar(place, node) {
      if (place === 'key' && node.value === '<<') node.type = Scalar.QUOTE_DOUBLE
    },
  })
}
