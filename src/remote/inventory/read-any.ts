import { asMap } from '../../policy/document/tree.ts'
import type { Problem, Result } from '../../model/problem.ts'
import { errorAt, type SourceText, sourceText } from '../../policy/document/lines.ts'
import { readDocument } from '../../policy/document/read-document.ts'
import { type AboutInventory, readAnsible } from './ansible/read-ansible.ts'
import type { Inventory, InventoryTarget, PassedOver } from './inventory.ts'
import { readInventory } from './read.ts'

/**
 * Reads an inventory, driftgate's own or one of Ansible in INI or YAML. What it says tells which: a map with `targets` is our own, another
 * map whose members are groups is Ansible's, as is everything that is neither a map nor a list.
 */
export function readAnyInventory(file: string, text: string, about: AboutInventory): Result<Inventory> {
  const source = sourceText(file, text)
  const kind = kindOf(source)
  switch (kind) {
    case 'own':
      return readInventory(file, text, about.complain)
    case 'ini':
    case 'yaml':
      return readAnsible(kind, source, about)
    default: {
      // Nobody knows what of it is secret.
      const { sourceLine: _line, ...problem } = errorAt(source, 0, NOT_READ[kind])
      return { ok: false, problems: [problem] }
    }
  }
}

type Kind = 'own' | 'ini' | 'yaml' | keyof typeof NOT_READ

const NOT_READ = {
  program:
    'this is a program that prints an inventory, and driftgate runs none: write what it prints with "ansible-inventory --list --yaml --output FILE"',
  encrypted: 'this is encrypted by ansible-vault, and driftgate has no password for it',
  plugin:
    'this configures a plugin of Ansible, and driftgate runs none: write what it finds with "ansible-inventory --list --yaml --output FILE"',
}

/** How the first line that says something begins where it is YAML or JSON: a key, a bracket, a list. */
const YAML = /^(?:---|[{%]|\[\s*(?:$|[{["])|- |(?:"[^"]*"|'[^']*'|[^\s"'=[\]#;:]+)\s*:(?:\s|$))/

function kindOf(source: SourceText): Kind {
  const { text } = source
  if (text.startsWith('#!')) return 'program'
  if (text.startsWith('$ANSIBLE_VAULT;')) return 'encrypted'
  const first = text.split(/\r?\n/).find((line) => !/^\s*(?:[#;]|$)/.test(line))
  if (first === undefined) return 'own'
  if (!YAML.test(first.trimStart())) return 'ini'
  const read = readDocument(source, 'YAML inventory')
  const root = 'root' in read ? asMap(read.root) : undefined
  // Whatever is wrong with it, its keys tell whose it is.
  if (root === undefined) return /^targets\s*:/m.test(text) || 'root' in read ? 'own' : 'yaml'
  if (root.entries.has('plugin')) return 'plugin'
  if (root.entries.has('targets') || root.entries.has('groups')) return 'own'
  const isOfGroups = [...root.entries.values()].every(({ value }) =>
    value.kind === 'map' ? isGroup([...value.entries.keys()]) : value.kind === 'scalar' && value.value === null,
  )
  return isOfGroups ? 'yaml' : 'own'
}

function isGroup(keys: readonly string[]): boolean {
  return keys.length === 0 || keys.some((key) => SECTIONS.has(key))
}

const SECTIONS = new Set(['hosts', 'children', 'vars'])

/** What driftgate makes nothing of in the targets that were chosen: one message for each file and reason. */
export function passedOverOf(targets: readonly Pick<InventoryTarget, 'passedOver'>[]): readonly Problem[] {
  const found = new Map<string, Map<string, PassedOver>>()
  for (const each of targets.flatMap(({ passedOver }) => passedOver)) {
    const key = `${each.why} ${each.position.file}`
    const names = found.get(key) ?? new Map<string, PassedOver>()
    if (!names.has(each.name)) names.set(each.name, each)
    found.set(key, names)
  }
  return [...found.values()].flatMap((names) => {
    const [first] = names.values()
    if (first === undefined) return []
    return [
      {
        message: `${listed([...names.keys()])}: ${PASSED_OVER[first.why]}`,
        position: first.position,
        severity: 'warning',
      },
    ]
  })
}

const MOST_NAMES = 5

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMES
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const PASSED_OVER: Readonly<Record<PassedOver['why'], string>> = {
  encrypted: 'encrypted, so not in data: give what a policy asks for with --data, marked @sensitive there',
  template: 'templates of Ansible, so not in data: give what a policy asks for with --set inventory.NAME=VALUE',
  secret: 'called like secrets, so not in data: give what a policy asks for with --data, marked @sensitive there',
  unreadable: 'values of Python that driftgate does not read, so not in data',
  password: 'passed over: driftgate gives passwords to no program; use keys, an agent, and sudo without a password',
  'host-key': 'passed over: driftgate always wants to know the key of a host; add it to known_hosts',
  unknown: 'passed over: nothing that driftgate knows of Ansible',
}
