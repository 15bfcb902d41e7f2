import { resolve } from 'node:path'
import type { Origin } from '../../model/policy.ts'
import type { Problem } from '../../model/problem.ts'
import { TemplateError } from '../template/index.ts'
import type { Evaluation } from '../expand/evaluation.ts'
import { errorAt, sourceText, type SourceText } from '../document/lines.ts'
import { readDocument } from '../document/read-document.ts'
import { withoutQuote } from './secret-places.ts'
import { nameBeside } from '../fetch/files.ts'
import { headlineOf } from '../expand/template-error.ts'
import { entriesOf, member, textOf, type TreeMember, type TreeNode } from '../document/tree.ts'

/** The list of resources of a policy, with its source text. */
export interface ResourceList {
  readonly source: SourceText
  readonly list: TreeNode | undefined
  readonly problems: readonly Problem[]
  /** Whether the resources are unknown, because rendering failed. */
  readonly isOpen: boolean
  /** Origins of the data in the template, and therefore of any part of the result. */
  readonly madeOf: ReadonlySet<Origin>
}

/** The parts of the policy that rendering needs. */
interface JetPolicy {
  readonly source: SourceText
  readonly workingDirectory: string
  readonly evaluation: Evaluation | undefined
}

/**
 * Renders the list of resources from the file in `resources_jet_file`, if set. Positions in it count the lines of the
 * rendered text, under the name of the file.
 * @see CCM's `resources/apply/jet.go`
 */
export function renderResources(ccm: TreeNode | undefined, policy: JetPolicy): ResourceList | undefined {
  const entry = entriesOf(ccm).get('resources_jet_file')
  if (entry === undefined) return undefined
  const { source, evaluation } = policy
  const failed = (...problems: readonly Problem[]): ResourceList => ({
    source,
    list: undefined,
    problems,
    isOpen: true,
    madeOf: new Set(),
  })
  if (member(ccm, 'resources') !== undefined) {
    return failed(errorAt(source, entry.keyOffset, 'resources and resources_jet_file cannot be used together'))
  }
  const path = textOf(entry.value)
  // The schema reports a value that is not text.
  if (path === undefined) return failed()
  if (evaluation === undefined) {
    return failed(errorAt(source, entry.keyOffset, 'resources_jet_file cannot be rendered here'))
  }
  const template = readTemplate(entry, path, { ...policy, evaluation })
  if ('message' in template) return failed(template)
  const { result: rendered, origins: madeOf } = evaluation.reads.during(() => render(template, evaluation))
  if (typeof rendered !== 'string') return failed(rendered)
  if (rendered.trim() === '') {
    const message = 'resources jet template produced no output, check for syntax errors'
    return failed(errorAt(source, entry.value.offset, message))
  }
  const read = readList(sourceText(`${template.file} (rendered)`, rendered))
  return { ...read, madeOf, problems: madeOf.has('secret') ? read.problems.map(withoutQuote) : read.problems }
}

function readTemplate(
  { value }: TreeMember,
  path: string,
  { source, workingDirectory, evaluation }: JetPolicy & { readonly evaluation: Evaluation },
): SourceText | Problem {
  try {
    return sourceText(nameBeside(source.file, path), evaluation.readFile(resolve(workingDirectory, path)))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return errorAt(source, value.offset, `resources_jet_file cannot be read: ${reason}`)
  }
}

function render(template: SourceText, evaluation: Evaluation): string | Problem {
  try {
    return evaluation.renderFile(template)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return errorAt(template, error.offset ?? 0, headlineOf(error))
  }
}

function readList(source: SourceText): Omit<ResourceList, 'madeOf'> {
  const read = readDocument(source)
  if (!('root' in read)) return { source, list: undefined, problems: read.problems, isOpen: true }
  return { source, list: read.root, problems: read.problems, isOpen: false }
}

/** A policy that consists only of its resources, to check their shape. */
export function policyOfList(list: TreeNode): TreeNode {
  const ccm: TreeNode = {
    kind: 'map',
    offset: list.offset,
    entries: new Map([['resources', { keyOffset: list.offset, value: list }]]),
  }
  return { kind: 'map', offset: list.offset, entries: new Map([['ccm', { keyOffset: list.offset, value: ccm }]]) }
}
