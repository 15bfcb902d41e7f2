import { parseDuration } from '../core/duration.ts'
import { hasTemplate } from './has-template.ts'
import { errorAt } from './lines.ts'
import type { Reading } from './body.ts'
import type { TreeEntry, TreeNode } from './tree.ts'
import { isGiven, itemsOf, member, textOf } from './tree-access.ts'

/** Checks the health checks of a resource beyond what the schema says. The messages are CCM's. */
export function checkHealthChecks(reading: Reading, { keyOffset, value }: TreeEntry): void {
  const before = reading.problems.length
  for (const check of itemsOf(value)) {
    if (check.kind !== 'map') continue
    const message = problemOf(check)
    if (message !== undefined) reading.problems.push(errorAt(reading.source, check.offset, message))
    checkDuration(reading, 'timeout', member(check, 'timeout'))
    checkDuration(reading, 'try sleep', member(check, 'try_sleep'))
  }
  if (reading.problems.length === before && itemsOf(value).length > 0) refuse(reading, keyOffset)
}

/** Health checks are part of a verdict, so a version that does not run them must not accept them. */
function refuse({ source, problems }: Reading, keyOffset: number): void {
  problems.push(errorAt(source, keyOffset, 'this version of driftgate does not run health checks'))
}

function problemOf(check: TreeNode): string | undefined {
  const [command, rules] = [given(check, 'command'), given(check, 'goss_rules')]
  const format = textOf(member(check, 'format'))
  if (command && rules) return "'command' or 'goss_rules' are mutually exclusive"
  if (!command && !rules) return "one of 'command' or 'goss_rules' is required"
  if (rules && format !== undefined && format !== 'goss') return "'format' must be 'goss' when using 'goss_rules'"
  if (command && format !== undefined && format !== 'nagios') return "'format' must be 'nagios' when using 'command'"
  return undefined
}

function given(check: TreeNode, key: string): boolean {
  const node = member(check, key)
  return node !== undefined && isGiven(node) && textOf(node) !== ''
}

function checkDuration({ source, problems }: Reading, label: string, node: TreeNode | undefined): void {
  const text = textOf(node)
  if (node === undefined || text === undefined) return
  if (hasTemplate(text)) problems.push(errorAt(source, node.offset, `${label} durations cannot hold templates`))
  else if (parseDuration(text) === undefined) {
    problems.push(errorAt(source, node.offset, `invalid ${label} duration "${text}": invalid duration`))
  }
}
