import type { Problem } from '../../../model/problem.ts'
import { type Reading, wrong } from '../../../policy/document/form.ts'
import type { SourceText } from '../../../policy/document/lines.ts'
import { entriesOf, type TreeMember, type TreeNode } from '../../../policy/document/tree.ts'
import { isTargetName, NAME_RULE } from '../inventory.ts'
import { addChild, addGroup, addHost, type Graph, setVariable } from './graph.ts'
import { expandHosts } from './host-pattern.ts'
import { variableOf } from './variable.ts'
import { type YamlValues, yamlValues } from './yaml-value.ts'

const SECTIONS = ['hosts', 'children', 'vars']

interface Yaml extends Reading {
  readonly graph: Graph
  readonly values: YamlValues
}

/** Reads a YAML inventory into a graph; gives what is wrong with it. @see ansible/plugins/inventory/yaml.py */
export function readYamlInventory(source: SourceText, root: TreeNode, graph: Graph): readonly Problem[] {
  const yaml: Yaml = { source, problems: [], graph, values: yamlValues(source) }
  if (root.kind !== 'map') wrong(yaml, root, 'an inventory of Ansible is a map of groups')
  for (const [name, member] of entriesOf(root)) readGroup(yaml, name, member)
  return yaml.problems
}

function readGroup(yaml: Yaml, name: string, { keyOffset, value }: TreeMember): void {
  const key = { offset: keyOffset }
  if (!yaml.values.isText(name, keyOffset)) wrong(yaml, key, `put quotes around the group ${name}: it is no text`)
  if (!isTargetName(name)) wrong(yaml, key, `"${name}" is no name: ${NAME_RULE}`)
  addGroup(yaml.graph, name)
  if (value.kind !== 'map') {
    if (!isNothing(value)) wrong(yaml, value, 'a group is a map with "hosts", "children" and "vars"')
    return
  }
  for (const [section, { keyOffset: offset }] of value.entries) {
    if (!SECTIONS.includes(section))
      wrong(yaml, { offset }, `a group has no "${section}": it has hosts, children and vars`)
  }
  // In the order of the file, as Ansible reads it: a port counts where its host is named first.
  for (const [section, { value: members }] of value.entries) {
    if (section === 'vars') readVariables(yaml, name, members)
    if (section === 'children') membersOf(yaml, section, members).forEach((child) => readChild(yaml, name, child))
    if (section === 'hosts') membersOf(yaml, section, members).forEach((host) => readHosts(yaml, name, host))
  }
}

function readChild(yaml: Yaml, parent: string, [child, member]: readonly [string, TreeMember]): void {
  readGroup(yaml, child, member)
  const loop = addChild(yaml.graph, parent, child)
  if (loop !== undefined) wrong(yaml, { offset: member.keyOffset }, loop)
}

function isNothing(node: TreeNode): boolean {
  return node.kind === 'scalar' && node.value === null
}

/** The members of a section; a text is the only one of it. */
function membersOf(yaml: Yaml, section: string, node: TreeNode): readonly (readonly [string, TreeMember])[] {
  if (node.kind === 'map') return [...node.entries]
  if (isNothing(node)) return []
  if (node.kind === 'scalar' && yaml.values.isText(node.text, node.offset)) {
    const { offset, text } = node
    return [[text, { keyOffset: offset, value: { kind: 'scalar', offset, value: null, text: '' } }]]
  }
  wrong(yaml, node, `${section} must be a map from names: put a colon behind each`)
  return []
}

function readHosts(yaml: Yaml, group: string, [pattern, { keyOffset, value }]: readonly [string, TreeMember]): void {
  const key = { offset: keyOffset }
  if (!yaml.values.isText(pattern, keyOffset)) {
    wrong(yaml, key, `put quotes around the host ${pattern}: it is no text`)
    return
  }
  const expanded = expandHosts(pattern)
  if ('message' in expanded) {
    wrong(yaml, key, `"${pattern}" ${expanded.message}`)
    return
  }
  for (const name of expanded.names) {
    if (!isTargetName(name)) wrong(yaml, key, `"${name}" is no name of a host: ${NAME_RULE}`)
    addHost(yaml.graph, name, { group, place: { source: yaml.source, offset: keyOffset }, port: expanded.port })
    readVariables(yaml, name, value)
  }
}

function readVariables(yaml: Yaml, entity: string, node: TreeNode): void {
  if (node.kind !== 'map' && !isNothing(node)) wrong(yaml, node, 'variables must be a map')
  for (const [name, { keyOffset, value }] of entriesOf(node)) {
    const variable = variableOf(yaml.values.valueOf(value), { source: yaml.source, offset: keyOffset })
    const problem = setVariable(yaml.graph, entity, [name, variable])
    if (problem !== undefined) wrong(yaml, value, problem)
  }
}
