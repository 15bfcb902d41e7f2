import type { Problem } from '../../model/problem.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import { orderOf } from '../../resource-type/decode-value.ts'
import { isSensitive, type Written } from '../../policy/read/written.ts'
import { errorAt, type SourceText } from '../../policy/document/lines.ts'
import type { PolicyDocument } from '../../policy/read/policy.ts'
import {
  entriesOf,
  itemsOf,
  member,
  textOf,
  type TreeMember,
  type TreeNode,
  type TreeScalar,
} from '../../policy/document/tree.ts'

/** Types of Choria Configuration Manager (CCM), each with the properties that only driftgate has. */
const OURS_ALONE: ReadonlyMap<string, readonly string[]> = new Map([
  ['apply', []],
  ['archive', ['timeout', 'tries', 'max_size', 'max_extracted_size']],
  ['exec', []],
  ['file', ['access', 'acl', 'capabilities', 'if_absent', 'immutable', 'sha256']],
  ['package', ['one_of', 'exactly_one_of', 'none_of']],
  ['scaffold', []],
  ['service', ['masked', 'one_of', 'exactly_one_of', 'none_of']],
])

/**
 * Elements of a policy that CCM would reject or read differently, with positions. Elements that CCM ignores harmlessly,
 * such as the `policy` section, are omitted. Differences in behaviour are described in docs/guide/ccm-compatibility.md.
 */
export function ccmDifferences(
  { policy, root, source, written, writtenIn }: PolicyDocument,
  types: readonly ResourceType[],
): readonly Problem[] {
  const found: (readonly [source: SourceText, ...Difference])[] = []
  for (const { id, type } of policy.resources) {
    const resource = written.get(id)
    if (resource === undefined) continue
    const differences = differencesOf(resource, type, types)
    const foreign: readonly Difference[] = OURS_ALONE.has(type)
      ? []
      : [[resource.name.offset, `CCM has no type ${type}`]]
    found.push(...[...foreign, ...differences].map((each) => [resource.source ?? writtenIn, ...each] as const))
  }
  if (writtenIn === source) found.push(...wipedDefaults(root).map((each) => [source, ...each] as const))
  // The defaults of a list are found once for each resource in it.
  const once = new Map(found.map((each) => [`${each[0].file} ${each[1]} ${each[2]}`, each]))
  // Grouped by file.
  const files = [...new Set(found.map(([{ file }]) => file))]
  return [...once.values()]
    .toSorted((left, right) => files.indexOf(left[0].file) - files.indexOf(right[0].file) || left[1] - right[1])
    .map(([text, offset, message]) => {
      // The line may contain a secret, and the message suffices.
      const { sourceLine: _, ...problem } = errorAt(text, offset, message)
      return problem
    })
}

type Difference = readonly [offset: number, message: string]

function differencesOf(resource: Written, type: string, types: readonly ResourceType[]): readonly Difference[] {
  const specs = types.find((each) => each.type === type)?.properties ?? {}
  const found: Difference[] = []
  const isSecret = isSensitive(resource.body)
  if ((resource.reads ?? []).length > 0) {
    found.push([resource.name.offset, 'CCM has no Resources: it cannot read values of other resources'])
  }
  for (const [name, entry] of resource.body) {
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined
    if (OURS_ALONE.get(type)?.includes(name) === true) {
      found.push([entry.keyOffset, `CCM ignores ${name}: it has no such property`])
    }
    if (spec !== undefined && orderOf(spec) !== undefined && entry.value.kind === 'map') {
      found.push([entry.value.offset, `CCM takes one value for ${name}, not a map of conditions`])
    } else if (type === 'file' && name === 'mode' && !isSecret)
      found.push(...modeDifferences(entry, textOf(resource.body.get('ensure')?.value)))
    if (spec?.kind === 'text' && entry.value.kind === 'scalar' && !(isSecret || spec.sensitive === true)) {
      found.push(...numberDifferences(name, entry.value))
    }
    found.push(...escapes(entry.value))
  }
  return found
}

/** @see CCM's schema, which wants three or four digits, and `resources/file/type.go`, which compares them as text */
function modeDifferences({ value }: TreeMember, ensure: string | undefined): readonly Difference[] {
  if (value.kind !== 'scalar' || typeof value.value !== 'string') return []
  const { text, offset } = value
  if (/^[0-7]{3}$/.test(text) && ensure !== 'directory')
    return [[offset, `CCM never finds a file with mode "${text}" stable: write "0${text}"`]]
  if (/^[1-7][0-7]{3}$/.test(text))
    return [[offset, `CCM stops at mode "${text}": it does not support setuid, setgid and sticky`]]
  return /^0[oO]|^[0-7]{5,}$/.test(text) ? [[offset, `CCM refuses mode "${text}": write four digits`]] : []
}

/** CCM formats an unquoted number from its value, as Go does. */
function numberDifferences(name: string, { value, text, offset }: TreeScalar): readonly Difference[] {
  if (typeof value !== 'number' && typeof value !== 'bigint') return []
  const read = throughValue(text)
  if (read === text) return []
  return [[offset, `CCM takes ${name} ${text} for a number and reads it as "${read}": quote it`]]
}

function throughValue(text: string): string {
  if (/^[+-]?0[oO]?[0-7]+$/.test(text)) return BigInt(`0o${text.replace(/^[+-]?0[oO]?/, '')}`).toString()
  if (/^[+-]?\d+$/.test(text) || /^0x/i.test(text)) return BigInt(text.replace(/^\+/, '')).toString()
  return String(Number(text))
}

/** Every `$${`, which CCM evaluates as an expression. */
function escapes(node: TreeNode): readonly Difference[] {
  if (node.kind === 'list') return node.items.flatMap(escapes)
  if (node.kind === 'map') return [...node.entries.values()].flatMap(({ value }) => escapes(value))
  return node.text.includes('$${') ? [[node.offset, "CCM has no '$${': it evaluates the expression in the braces"]] : []
}

/** Resources with an empty body, which lose the defaults in CCM. */
function wipedDefaults(root: TreeNode): readonly Difference[] {
  return itemsOf(member(member(root, 'ccm'), 'resources')).flatMap((item) =>
    [...entriesOf(item).values()].flatMap(({ value }) => {
      const bodies = itemsOf(value).flatMap((each) => [...entriesOf(each)])
      if (!bodies.some(([name]) => name === 'defaults')) return []
      return bodies.flatMap(([name, entry]): Difference[] =>
        entry.value.kind === 'scalar' && entry.value.value === null
          ? [[entry.keyOffset, `CCM forgets the defaults of ${name}, which has no body: write {}`]]
          : [],
      )
    }),
  )
}
