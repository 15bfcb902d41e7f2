import type { Problem, Result } from '../../../model/problem.ts'
import type { Layer } from '../../../policy/data/merge.ts'
import { errorAt, type SourceText, sourceText } from '../../../policy/document/lines.ts'
import { readDocument } from '../../../policy/document/read-document.ts'
import { TemplateError } from '../../../templates/errors.ts'
import { fromPlain } from '../../../templates/govalue/index.ts'
import type { Inventory, InventoryGroup, InventoryTarget, PassedOver } from '../inventory.ts'
import { type Asked, askHost } from './asked.ts'
import { emptyGraph, type Graph, hostsOf, settle, variablesOfHosts } from './graph.ts'
import { readIni } from './read-ini.ts'
import { readYamlInventory } from './read-yaml.ts'
import { hideSecrets, type Place, positionOf, type Variables } from './variable.ts'
import { type FilesBeside, variablesBeside, withoutSecretLine } from './variables-beside.ts'
import { roleOf } from './variable-names.ts'
import { ansibleWay } from './way.ts'

/** What the reader of an inventory has to know. */
export interface AboutInventory {
  /** Says what is wrong with the text of a target, as the end of a sentence. */
  readonly complain: (spec: string) => string | undefined
  /** What lies beside the inventory. */
  readonly files: FilesBeside
  /** Whether driftgate runs as root. */
  readonly isRoot: boolean
}

/** The key that variables of Ansible have in data, so that none of them means what a policy calls the same. */
const DATA_KEY = 'inventory'

/** What an inventory of Ansible says, with everything that Ansible would use for each host. */
export interface AnsibleInventory {
  readonly graph: Graph
  readonly variablesOf: (host: string) => Variables
  readonly passedOver: readonly PassedOver[]
}

/**
 * Reads an inventory of Ansible. A host that cannot be reached as it says is refused by itself; what the text or the files beside it have
 * wrong is wrong with all of it.
 */
export function readAnsible(kind: 'ini' | 'yaml', text: SourceText, about: AboutInventory): Result<Inventory> {
  const read = readGraph(kind, text, about.files)
  if (!read.ok) return read
  const { graph, variablesOf, passedOver } = read.value
  const targets = [...graph.hosts].map(([host, { place }], index) => {
    const target = targetOf({ host, place, variables: variablesOf(host) }, about)
    return index === 0 ? { ...target, passedOver: [...passedOver, ...target.passedOver] } : target
  })
  if (targets.length === 0) {
    return { ok: false, problems: [errorAt(text, 0, 'the inventory has no host: there is nothing to look at')] }
  }
  const groups = [...graph.groups.keys()].map((name): [string, InventoryGroup] => [
    name,
    { targets: hostsOf(graph, name) },
  ])
  return { ok: true, value: { targets, groups: new Map(groups) }, warnings: [] }
}

/** Reads what Ansible would: groups, hosts and variables, with those in `group_vars` and `host_vars`. */
export function readGraph(
  kind: 'ini' | 'yaml',
  { file, text }: SourceText,
  files: FilesBeside,
): Result<AnsibleInventory> {
  const source = sourceText(file, text)
  hideSecrets(source)
  const graph = emptyGraph()
  const problems: Problem[] = [...(kind === 'ini' ? readIni(source, graph) : readYaml(source, graph))]
  const loop = problems.length === 0 ? settle(graph) : undefined
  if (loop !== undefined) problems.push(errorAt(source, 0, loop))
  if (problems.length > 0) return { ok: false, problems }
  const ofGroup = variablesBeside(files, 'group_vars', problems)
  const ofHost = variablesBeside(files, 'host_vars', problems)
  const beside = [...[...graph.groups.keys()].map(ofGroup), ...[...graph.hosts.keys()].map(ofHost)]
  if (problems.length > 0) return { ok: false, problems }
  const variablesOf = variablesOfHosts(graph, {
    ofGroup: (name) => ofGroup(name).variables,
    ofHost: (name) => ofHost(name).variables,
  })
  return {
    ok: true,
    value: { graph, variablesOf, passedOver: beside.flatMap(({ passedOver }) => passedOver) },
    warnings: [],
  }
}

function readYaml(source: SourceText, graph: Graph): readonly Problem[] {
  const read = readDocument(source, 'YAML inventory')
  const problems = read.problems.map((problem) => withoutSecretLine(problem, source))
  return 'root' in read ? [...problems, ...readYamlInventory(source, read.root, graph)] : problems
}

interface HostToRead extends Pick<Asked, 'host' | 'variables'> {
  readonly place: Place
}

function targetOf({ host, place, variables }: HostToRead, { complain, isRoot }: AboutInventory): InventoryTarget {
  const refused: Problem[] = []
  const asked = askHost({ host, place, variables, isRoot }, refused)
  const { spec, way } = ansibleWay(asked) ?? { spec: 'local', way: {} }
  const complaint = refused.length === 0 ? complain(spec) : undefined
  if (complaint !== undefined) {
    refused.push(errorAt(place.source, place.offset, `host ${host}: "${spec}" is no target: it ${complaint}`))
  }
  const passedOver: PassedOver[] = []
  const values: [string, unknown][] = []
  for (const [name, variable] of variables) {
    const role = roleOf(name, variable)
    if (role === 'data') values.push([name, variable.value])
    else if (role !== 'connection') passedOver.push({ name, position: positionOf(variable.place), why: role })
  }
  const data = layersOf(values, { host, place, refused })
  return { name: host, spec, way, labels: {}, data, position: positionOf(place), refused, passedOver }
}

function layersOf(
  values: readonly [string, unknown][],
  { host, place, refused }: Pick<HostToRead, 'host' | 'place'> & { readonly refused: Problem[] },
): readonly Layer[] {
  if (values.length === 0) return []
  try {
    const data = new Map([[DATA_KEY, fromPlain(Object.fromEntries(values))]])
    return [{ origin: `${place.source.file}: host ${host}`, data, merge: 'deep' }]
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    refused.push(errorAt(place.source, place.offset, `host ${host}: its variables: ${error.message}`))
    return []
  }
}
