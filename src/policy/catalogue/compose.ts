import { resolve } from 'node:path'
import type { Position, Problem } from '../../model/problem.ts'
import { didYouMean } from '../../model/suggest.ts'
import { errorAt, positionAt, type SourceText } from '../document/lines.ts'
import { readDocument } from '../document/read-document.ts'
import { entriesOf, itemsOf, member, textOf, type TreeMap, type TreeMember, type TreeNode } from '../document/tree.ts'
import { defaultId, reasonOf } from '../fetch/files.ts'
import { type Catalogue, parseControl, placeOf, readCatalogue } from './catalogue.ts'
import { CATALOGUE, type ControlList, type Entry, readControlList } from './control-list.ts'
import { type Beside, openCatalogueFiles } from './files.ts'
import { gatherResources, numberOf, type Taken } from './gather.ts'
import { list, map, relocateNode, text, textOfNode, withMember } from './nodes.ts'

/** A policy in which selected controls replace their references. */
export interface Composed {
  readonly root: TreeMap
  /** The whole policy as text, for its digest. */
  readonly text: string
  /** The resources of these controls as text, to detect template languages. */
  readonly resources: string
  /** The position in the catalogue of each control, by its line in the policy. */
  readonly origins: ReadonlyMap<number, string>
  /** Catalogues beside the policy, with the position of their reference. */
  readonly includes: readonly { readonly path: string; readonly position: Position }[]
  readonly problems: readonly Problem[]
}

export interface NotComposed {
  readonly problems: readonly Problem[]
}

/**
 * Composes a policy with controls from catalogues; undefined if it selects none. All parts of a control have the
 * position of its reference in the policy.
 */
export async function composePolicy(source: SourceText, policy: Beside): Promise<Composed | NotComposed | undefined> {
  const read = readDocument(source)
  if (!('root' in read) || read.root.kind !== 'map') return undefined
  const problems: Problem[] = [...read.problems]
  const asked = readControlList(read.root, { source, problems })
  if (asked === undefined) return undefined
  const catalogue = problems.length > 0 ? undefined : await openCatalogue(asked, { source, policy, problems })
  if (catalogue === undefined || problems.length > 0) return { problems }
  const id = textOf(member(member(read.root, 'policy'), 'id')) ?? defaultId(source.file)
  const composing: Composing = { source, asked, catalogue, id, problems }
  const taken = asked.entries.flatMap((entry) => take(entry, composing))
  checkVariant(composing, taken)
  const composed = problems.length > 0 ? undefined : assemble(read.root, taken, composing)
  if (composed === undefined || problems.some(({ severity }) => severity === 'error')) return { problems }
  const includes = asked.from.flatMap(({ text: path, offset }) =>
    path.startsWith('@')
      ? []
      : [{ path: resolve(policy.workingDirectory, path), position: positionAt(source, offset) }],
  )
  return { ...composed, includes, problems }
}

interface Composing {
  readonly source: SourceText
  readonly asked: ControlList
  readonly catalogue: Catalogue
  readonly id: string
  readonly problems: Problem[]
}

interface Opening extends Pick<Composing, 'source' | 'problems'> {
  readonly policy: Beside
}

async function openCatalogue(
  { from }: ControlList,
  { source, policy, problems }: Opening,
): Promise<Catalogue | undefined> {
  try {
    return await readCatalogue(
      from.map(({ text: path }) => openCatalogueFiles(path, policy)),
      problems,
    )
  } catch (error) {
    problems.push(errorAt(source, from[0]?.offset ?? 0, `the catalogue cannot be used: ${reasonOf(error)}`))
    return undefined
  }
}

function take(entry: Entry, { source, asked, catalogue, id, problems }: Composing): readonly Taken[] {
  const found = catalogue.controls.get(entry.id)
  if (found === undefined) {
    const where = asked.from.map(({ text: path }) => path).join(', ')
    const message = `no control "${entry.id}" in ${where}${didYouMean(entry.id, catalogue.controls.keys())}`
    problems.push(errorAt(source, entry.offset, message))
    return []
  }
  const control = parseControl(found, problems)
  if (control === undefined) return []
  const here = relocateNode(control, entry.offset)
  const all = member(here, 'resources')
  const variant = asked.variant?.text ?? id
  const resources = all?.kind === 'map' ? (member(all, variant) ?? member(all, 'otherwise')) : all
  return [{ entry, theme: found.theme, applies: found.applies, control: here, resources }]
}

/** An unknown variant would silently select the default of every control. */
function checkVariant({ source, asked: { variant }, catalogue, problems }: Composing, taken: readonly Taken[]): void {
  if (variant === undefined) return
  const variants = taken.flatMap(({ control }) => [...entriesOf(member(control, 'resources')).keys()])
  const known = new Set([...catalogue.lists, ...variants])
  known.delete('otherwise')
  if (known.has(variant.text)) return
  const message = `no control has the variant "${variant.text}"${didYouMean(variant.text, known)}`
  problems.push(errorAt(source, variant.offset, message))
}

function assemble(
  root: TreeMap,
  taken: readonly Taken[],
  composing: Composing,
): Omit<Composed, 'includes' | 'problems'> {
  const { source, asked, catalogue, id } = composing
  const { offset } = asked
  const { resources, referencesOf } = gatherResources(taken, asked.applies)
  const inText = textOfNode(list(resources, offset))
  const data = parametersOf(inText, composing)
  const controls = taken.map((each) => controlNode(each, referencesOf.get(each) ?? [], composing))
  const metadata = member(root, 'policy')
  const ccm = member(root, 'ccm')
  const about = overlayItems(map({ id: text(id, offset) }, offset), metadata, 'controls', controls)
  const declared = [...catalogue.parameters].map(([name, { declaration }]): [string, TreeMember] => [
    name,
    memberAt(offset, relocateNode(declaration, offset)),
  ])
  const parameters = new Map([...declared, ...entriesOf(member(metadata, 'parameters'))])
  const entries = new Map<string, TreeMember>([
    ['policy', memberAt(offset, withMember(about, 'parameters', { kind: 'map', offset, entries: parameters }))],
    [
      'data',
      memberAt(offset, { kind: 'map', offset, entries: new Map([...data, ...entriesOf(member(root, 'data'))]) }),
    ],
    ['ccm', memberAt(offset, overlayItems(map({}, offset), ccm, 'resources', resources))],
    ...[...root.entries].filter(([key]) => ![CATALOGUE, 'policy', 'data', 'ccm'].includes(key)),
  ])
  const composed = { ...root, entries }
  return {
    root: composed,
    text: textOfNode(composed),
    resources: inText,
    origins: new Map(
      taken.flatMap(({ entry }) => {
        const control = catalogue.controls.get(entry.id)
        const { line } = positionAt(source, entry.offset)
        return control === undefined ? [] : [[line, `${entry.id} at ${placeOf(control)}`]]
      }),
    ),
  }
}

function memberAt(keyOffset: number, value: TreeNode): TreeMember {
  return { keyOffset, value }
}

/** The policy map, with `items` inserted before those of one of its lists. */
function overlayItems(start: TreeMap, own: TreeNode | undefined, key: string, items: readonly TreeNode[]): TreeMap {
  const ownItems = member(own, key)
  const joined: TreeMap = { ...start, entries: new Map([...start.entries, ...entriesOf(own)]) }
  if (own !== undefined && own.kind !== 'map') return start
  return withMember(joined, key, list([...items, ...itemsOf(ownItems)], ownItems?.offset ?? start.offset))
}

/** The values of the parameters that the resources read, from the policy or the catalogue. */
function parametersOf(inText: string, { source, asked, catalogue, problems }: Composing): Map<string, TreeMember> {
  const read = new Set(Array.from(inText.matchAll(/\bdata\.(\w+)/g), ([, name = '']) => name))
  for (const [name, { keyOffset }] of asked.parameters) {
    if (!catalogue.parameters.has(name)) {
      const message = `the catalogue has no parameter "${name}"${didYouMean(name, catalogue.parameters.keys())}`
      problems.push(errorAt(source, keyOffset, message))
    } else if (!read.has(name)) {
      const message = `no control of the list reads the parameter "${name}"`
      problems.push({ ...errorAt(source, keyOffset, message), severity: 'warning' })
    }
  }
  return new Map(
    [...catalogue.parameters]
      .filter(([name]) => read.has(name))
      .map(([name, { value }]) => [
        name,
        asked.parameters.get(name) ?? memberAt(asked.offset, relocateNode(value, asked.offset)),
      ]),
  )
}

function controlNode(
  { entry, theme, control }: Taken,
  references: readonly string[],
  { asked, catalogue, id }: Composing,
): TreeNode {
  const { offset } = entry
  const texts = (words: readonly string[]): TreeNode =>
    list(
      words.map((word) => text(word, offset)),
      offset,
    )
  const part = (key: string): TreeNode | undefined => member(control, key)
  const nist = part('nist')
  const elsewhere = [...numbersOf(entry, { asked, catalogue, id })].map(([name, number]) => [name, texts([number])])
  const others = [...entriesOf(part('references'))].map(([name, { value }]) => [name, value])
  return map(
    {
      id: text(numberOf(entry), offset),
      title: part('title'),
      severity: part('severity'),
      description: part('description'),
      remediation: part('remediation'),
      references: map(
        Object.fromEntries([...elsewhere, ...others, ...(nist === undefined ? [] : [['nist-800-53', nist]])]),
        offset,
      ),
      tags: texts([theme, ...(entry.level === undefined ? [] : [`level-${entry.level}`])]),
      manual: part('manual'),
      resources: references.length === 0 ? undefined : texts(references),
    },
    offset,
  )
}

/** Its number in this list, or in all lists of the catalogue. A name without a number is not a reference. */
function numbersOf(
  { id, number }: Entry,
  { asked, catalogue, id: policy }: Pick<Composing, 'asked' | 'catalogue' | 'id'>,
): ReadonlyMap<string, string> {
  const own = isNumber(number) ? [[policy, number] as const] : []
  const others = asked.refersToItself ? [] : [...(catalogue.numbers.get(id) ?? [])]
  return new Map([...others.filter(([, theirs]) => isNumber(theirs)), ...own])
}

/** Whether it is a section number such as 5.1.20 or os-03b. */
function isNumber(number: string | undefined): number is string {
  return /^(?:[a-z]+-)?\d/.test(number ?? '')
}
