import { basename, extname } from 'node:path'
import { checkKeys, type Reading, addProblem } from '../document/form.ts'
import { errorAt, positionAt, type SourceText, sourceText } from '../document/lines.ts'
import { readDocument } from '../document/read-document.ts'
import { entriesOf, itemsOf, member, textsOf, type TreeMap, type TreeNode } from '../document/tree.ts'
import type { Problem } from '../../model/problem.ts'
import { type Conditions, readConditions, readControlList } from './control-list.ts'
import type { CatalogueFiles } from './files.ts'

export interface Catalogue {
  readonly controls: ReadonlyMap<string, CatalogueControl>
  readonly parameters: ReadonlyMap<string, Parameter>
  /** The number of a control in each list that has one, by id of the control, in the order of the lists. */
  readonly numbers: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly lists: readonly string[]
}

/** A control as text. It is parsed when a policy selects it. */
export interface CatalogueControl {
  readonly id: string
  /** Name of its file, which is a tag of the control. */
  readonly theme: string
  readonly applies: Conditions
  readonly source: SourceText
  readonly start: number
  readonly end: number
}

/** A parameter of controls with its default. */
export interface Parameter {
  readonly value: TreeNode
  readonly declaration: TreeNode
}

interface About {
  readonly lists: readonly string[]
  readonly applies: Conditions
}

/** The metadata file of a catalogue, beside its control files. */
const ABOUT = /^catalogue\.ya?ml$/

const KEYS = [
  'id',
  'title',
  'severity',
  'description',
  'remediation',
  'nist',
  'references',
  'manual',
  'variants',
  'resources',
]

/** Reads several catalogues as one. Throws an `Error` with the reason if a file cannot be read. */
export async function readCatalogue(all: readonly CatalogueFiles[], problems: Problem[]): Promise<Catalogue> {
  const controls = new Map<string, CatalogueControl>()
  const parameters = new Map<string, Parameter>()
  const numbers = new Map<string, Map<string, string>>()
  const lists: string[] = []
  for (const files of all) {
    const paths = await files.list()
    const isAbout = (path: string): boolean => ABOUT.test(basename(path))
    const applies: Conditions[number][] = []
    for (const path of paths.filter(isAbout)) {
      const about = readAbout({ source: await files.read(path), problems }, parameters)
      applies.push(...about.applies)
      for (const list of about.lists) {
        const name = basename(list, extname(list))
        lists.push(name)
        addNumbers(numbers, name, { source: await files.find(files.beside(list)), problems })
      }
    }
    for (const path of paths.filter((each) => !isAbout(each)))
      addControls({ controls, applies }, { source: await files.read(path), problems })
  }
  return { controls, parameters, numbers, lists }
}

/** Finds the controls of a file; each starts with its id in the first column. */
function addControls(
  { controls, applies }: { readonly controls: Map<string, CatalogueControl>; readonly applies: Conditions },
  { source, problems }: Reading,
): void {
  const theme = basename(source.file, extname(source.file))
  const starts = [...source.text.matchAll(/^-(?=\s).*$/gm)]
  const first = /^(?!#|---$|\s*$)(?!- ).*/m.exec(source.text.slice(0, starts[0]?.index))
  if (first !== null || starts.length === 0)
    problems.push(
      errorAt(source, first?.index ?? 0, 'a catalogue file must be a list of controls that start with "- id:"'),
    )
  for (const [index, { 0: line, index: start }] of starts.entries()) {
    const id = /^- +id: +([\w.-]+)\s*$/.exec(line)?.[1]
    const earlier = id === undefined ? undefined : controls.get(id)
    if (id === undefined) problems.push(errorAt(source, start, 'a control of a catalogue must start with "- id: NAME"'))
    else if (earlier === undefined)
      controls.set(id, { id, theme, applies, source, start, end: starts[index + 1]?.index ?? source.text.length })
    else problems.push(errorAt(source, start, `control "${id}" is already in the catalogue, at ${placeOf(earlier)}`))
  }
}

/** The position of a control, as `file:line`. */
export function placeOf({ source, start }: CatalogueControl): string {
  return `${source.file}:${positionAt(source, start).line}`
}

function readAbout(reading: Reading, parameters: Map<string, Parameter>): About {
  const read = readDocument(reading.source, 'catalogue')
  reading.problems.push(...read.problems)
  if (!('root' in read)) return { lists: [], applies: [] }
  checkKeys(read.root, ['lists', 'applies', 'parameters'], reading)
  for (const [name, { value: node }] of entriesOf(member(read.root, 'parameters'))) {
    checkKeys(node, ['meaning', 'one_of', 'value'], reading)
    const value = member(node, 'value')
    if (value === undefined) addProblem(reading, node, `the parameter ${name} needs a value`)
    else parameters.set(name, { value, declaration: withoutMember(node, 'value') })
  }
  return {
    lists: textsOf(member(read.root, 'lists')).map(({ text }) => text),
    applies: readConditions(read.root, reading),
  }
}

function withoutMember(node: TreeNode, key: string): TreeNode {
  return node.kind === 'map' ? { ...node, entries: new Map([...node.entries].filter(([name]) => name !== key)) } : node
}

interface ReadingIfThere extends Omit<Reading, 'source'> {
  readonly source: SourceText | undefined
}

function addNumbers(
  numbers: Map<string, Map<string, string>>,
  name: string,
  { source, problems }: ReadingIfThere,
): void {
  if (source === undefined) return
  const reading = { source, problems }
  const read = readDocument(source, 'policy')
  reading.problems.push(...read.problems)
  const list = 'root' in read ? readControlList(read.root, reading) : undefined
  for (const { id, number = id } of list?.entries ?? []) {
    const known = numbers.get(id) ?? new Map<string, string>()
    numbers.set(id, known.set(name, number))
  }
}

/** Parses a control. Problems have their position in the catalogue; nodes have their offset in the control. */
export function parseControl({ source, start, end }: CatalogueControl, problems: Problem[]): TreeMap | undefined {
  const { file, text, lineStarts } = source
  const own = text.slice(start, end)
  const found: Problem[] = []
  const control = readControl(sourceText(file, own), found)
  if (found.length === 0) return control
  // Preceding lines are replaced by empty ones, so that line numbers stay correct. Few controls are worth their reading.
  return readControl(sourceText(file, '\n'.repeat(lineStarts.indexOf(start)) + own), problems)
}

function readControl(own: SourceText, problems: Problem[]): TreeMap | undefined {
  const read = readDocument(own, 'catalogue')
  const reading = { source: own, problems }
  problems.push(...read.problems)
  const [control] = 'root' in read ? itemsOf(read.root) : []
  if (control?.kind !== 'map') return undefined
  checkKeys(control, KEYS, reading)
  for (const list of variantsOf(member(control, 'resources')))
    for (const resource of itemsOf(list))
      if (namedResource(resource) === undefined)
        addProblem(reading, resource, 'a resource of a catalogue is { type: { name: properties } }')
  return control
}

/** The lists of resources of a control, one for each variant. */
export function variantsOf(resources: TreeNode | undefined): readonly TreeNode[] {
  return resources?.kind === 'map'
    ? [...resources.entries.values()].map(({ value }) => value)
    : [resources ?? []].flat()
}

export interface NamedResource {
  readonly type: string
  readonly name: string
  readonly properties: TreeMap
}

/** Parses `{ type: { name: properties } }`; undefined for any other shape. */
export function namedResource(node: TreeNode): NamedResource | undefined {
  const [[type, named] = []] = [...entriesOf(node)]
  const [[name, properties] = []] = [...entriesOf(named?.value)]
  const isOne = entriesOf(node).size === 1 && entriesOf(named?.value).size === 1
  if (!isOne || type === undefined || name === undefined || properties?.value.kind !== 'map') return undefined
  return { type, name, properties: properties.value }
}
