import { parseDuration } from '../../model/duration.ts'
import type { HealthCheck } from '../../model/policy.ts'
import { splitWords } from '../../model/shell-split.ts'
import type { Reader } from './body.ts'
import { hasTemplate } from '../expand/has-template.ts'
import { errorAt } from '../document/lines.ts'
import { isGiven, itemsOf, member, textOf, type TreeMember, type TreeNode, type TreeScalar } from '../document/tree.ts'
import { sentence } from '../../subjects/goss/files/problem.ts'
import { placeOf } from '../../subjects/goss/files/read-tree.ts'
import { rulesProblems } from '../../subjects/goss/files/rules.ts'
import type { GossContent } from '../../subjects/goss/files/resource.ts'
import { holdsTemplate } from './written.ts'

/** Expands the templates of a text; undefined without a text. */
type Expand = (node: TreeNode | undefined) => string | undefined

const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_PAUSE_MS = 1000

/** The resource with the checks. */
interface Checked {
  /** Expands the templates of a text; undefined without a text. */
  readonly expand: (node: TreeNode | undefined) => string | undefined
  readonly isSensitive: boolean
}

/** Reads the health checks of a resource, which the schema has already checked. The messages are CCM's. */
export function readHealthChecks(reader: Reader, { value }: TreeMember, checked: Checked): HealthCheck[] {
  return itemsOf(value).flatMap((node) => (node.kind === 'map' ? readCheck(reader, node, checked) : []))
}

function readCheck(reader: Reader, node: TreeNode, { expand, isSensitive }: Checked): HealthCheck[] {
  const problem = problemOf(node)
  if (problem !== undefined) reader.problems.push(errorAt(reader.source, node.offset, problem))
  const timeoutMs = readDuration(reader, 'timeout', member(node, 'timeout'))
  const pauseMs = readDuration(reader, 'try sleep', member(node, 'try_sleep'))
  const trying = {
    tries: triesOf(node),
    pauseMs: pauseMs ?? DEFAULT_PAUSE_MS,
    timeoutMs: timeoutMs ?? DEFAULT_TIMEOUT_MS,
  }
  const givenName = expand(member(node, 'name'))
  if (hasValue(node, 'goss_rules')) {
    const rules = problem === undefined ? readRules(reader, member(node, 'goss_rules'), expand) : undefined
    return rules === undefined ? [] : [{ name: givenName ?? 'goss', rules, ...trying }]
  }
  const commandNode = member(node, 'command')
  const command = expand(commandNode)
  const argv = problem === undefined ? readCommand(reader, commandNode, command) : undefined
  if (command === undefined || argv === undefined) return []
  // The default name is the part after the last slash of the whole command, including arguments unless they are secret.
  const described = isSensitive ? argv[0] : command
  const name = givenName ?? described.slice(described.lastIndexOf('/') + 1)
  return [{ name, argv, ...trying }]
}

function readCommand(
  { source, problems, evaluation }: Reader,
  node: TreeNode | undefined,
  command: string | undefined,
): readonly [program: string, ...args: string[]] | undefined {
  if (node === undefined || command === undefined) return undefined
  // Without an evaluation the templates remain, and may not split like their values.
  if (evaluation === undefined && hasTemplate(command)) return undefined
  const split = splitWords(command)
  const [program, ...args] = split.ok ? split.words : []
  if (program !== undefined) return [program, ...args]
  const problem = split.ok ? 'empty health check command' : `invalid health check command: ${split.problem}`
  problems.push(errorAt(source, node.offset, problem))
  return undefined
}

function triesOf(node: TreeNode): number {
  const tries = member(node, 'tries')
  return tries?.kind === 'scalar' && typeof tries.value === 'number' ? tries.value : 1
}

function problemOf(check: TreeNode): string | undefined {
  const [command, rules] = [hasValue(check, 'command'), hasValue(check, 'goss_rules')]
  const format = textOf(member(check, 'format'))
  if (command && rules) return "'command' or 'goss_rules' are mutually exclusive"
  if (!command && !rules) return "one of 'command' or 'goss_rules' is required"
  if (rules && format !== undefined && format !== 'goss') return "'format' must be 'goss' when using 'goss_rules'"
  if (command && format !== undefined && format !== 'nagios') return "'format' must be 'nagios' when using 'command'"
  return undefined
}

function hasValue(check: TreeNode, key: string): boolean {
  const node = member(check, key)
  return node !== undefined && isGiven(node) && textOf(node) !== ''
}

function readDuration({ source, problems }: Reader, label: string, node: TreeNode | undefined): number | undefined {
  const text = textOf(node)
  if (node === undefined || text === undefined) return undefined
  if (hasTemplate(text)) {
    problems.push(errorAt(source, node.offset, `${label} durations cannot contain templates`))
    return undefined
  }
  const duration = parseDuration(text)
  if (duration === undefined) {
    const quoted = source.secrets.nodes.has(node) ? '' : ` "${text}"`
    problems.push(errorAt(source, node.offset, `invalid ${label} duration${quoted}: invalid duration`))
  }
  return duration
}

/**
 * Reads the Goss rules of a health check. Templates are expanded in each key and value separately, so that no value
 * changes the rules. CCM expands the whole text before it parses it.
 */
function readRules({ source, problems, evaluation }: Reader, node: TreeNode | undefined, expand: Expand): unknown {
  if (node === undefined) return undefined
  // Without an evaluation the templates remain, and need not be valid values.
  if (evaluation === undefined && holdsTemplate(node)) return undefined
  const rules = expandContent(node, expand)
  const found = rulesProblems(rules)
  for (const { path, message } of found) {
    problems.push(errorAt(source, placeOf(node, path), sentence(['goss_rules', ...path], message)))
  }
  return found.length === 0 ? rules : undefined
}

function expandContent(node: TreeNode, expand: Expand): GossContent {
  if (node.kind === 'list') return node.items.map((item) => expandContent(item, expand))
  if (node.kind === 'map') {
    return Object.fromEntries(
      [...node.entries].map(([key, { keyOffset, value }]) => {
        const scalar: TreeScalar = { kind: 'scalar', offset: keyOffset, text: key, value: key }
        return [(hasTemplate(key) ? expand(scalar) : undefined) ?? key, expandContent(value, expand)]
      }),
    )
  }
  const { value, text } = node
  if (typeof value === 'string' && hasTemplate(text)) return expand(node) ?? text
  return typeof value === 'bigint' ? Number(value) : value
}
