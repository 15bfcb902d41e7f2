import type { Problem } from '../../model/problem.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import { scanTemplate, type Segment, type TemplateEnvironment, TemplateError } from '../../policy/template/index.ts'
import { hasTemplate } from '../../policy/expand/has-template.ts'
import type { SourceText } from '../../policy/document/lines.ts'
import type { PolicyDocument } from '../../policy/read/policy.ts'
import { templateProblem } from '../../policy/expand/template-error.ts'
import { member, type TreeNode, type TreeScalar } from '../../policy/document/tree.ts'

/**
 * Templates and conditions that fail on every machine: syntax errors, unknown names, non-boolean conditions. Evaluates
 * nothing.
 */
export function checkTemplates(
  { writtenIn, written, policy, evaluation }: PolicyDocument,
  types: readonly ResourceType[],
): readonly Problem[] {
  if (evaluation === undefined) return []
  const check = checker(writtenIn, evaluation.environment)
  for (const { id, type } of policy.resources) {
    const { name, body } = written.get(id) ?? {}
    const properties = types.find((each) => each.type === type)?.properties ?? {}
    if (name !== undefined) check.texts(name)
    for (const [property, { value }] of body ?? []) {
      if (property === 'control') check.conditions(value)
      else if (isExpanded(property) && properties[property]?.phase !== 'never') check.texts(value)
    }
  }
  return check.problems()
}

/** References, and names in a body, are not expanded. */
function isExpanded(property: string): boolean {
  return property !== 'require' && property !== 'name' && property !== 'alias'
}

type ExpressionSegment = Extract<Segment, { kind: 'expression' }>

interface Checker {
  readonly texts: (node: TreeNode) => void
  readonly conditions: (control: TreeNode) => void
  readonly problems: () => readonly Problem[]
}

function checker(source: SourceText, environment: TemplateEnvironment): Checker {
  // The defaults of a list are found once for each resource in it.
  const found = new Map<string, Problem>()
  const attempt = (scalar: TreeScalar, work: () => void): void => {
    try {
      work()
    } catch (error) {
      const problem = templateProblem(source, scalar, error)
      found.set(`${problem.position?.line}:${problem.position?.column}`, problem)
    }
  }
  const expressions = (scalar: TreeScalar): void => {
    for (const segment of scanTemplate(scalar.text)) {
      if (segment.kind === 'expression') attempt(scalar, () => checkSegment(segment, environment))
    }
  }
  const texts = (node: TreeNode): void => {
    if (node.kind === 'scalar') {
      if (hasTemplate(node.text)) attempt(node, () => expressions(node))
      return
    }
    const children = node.kind === 'list' ? node.items : [...node.entries.values()].map(({ value }) => value)
    children.forEach(texts)
  }
  const conditions = (control: TreeNode): void => {
    for (const key of ['if', 'unless']) {
      const scalar = member(control, key)
      if (scalar?.kind === 'scalar') attempt(scalar, () => environment.check(scalar.text, 'bool'))
    }
  }
  return { texts, conditions, problems: () => [...found.values()] }
}

function checkSegment({ source, offset }: ExpressionSegment, environment: TemplateEnvironment): void {
  try {
    environment.check(source, 'any')
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new TemplateError(error.message, offset + (error.offset ?? 0), { cause: error, hint: error.hint })
  }
}
