import type { Problem, Result } from '../../model/problem.ts'
import { sourceText } from '../../policy/document/lines.ts'
import { readDocument } from '../../policy/document/read-document.ts'
import { asMap } from '../../policy/document/tree.ts'
import { type AboutInventory, readAnsible } from './ansible/read-ansible.ts'
import type { Inventory, InventoryTarget, PassedOver } from './inventory.ts'
import { readInventory } from './read.ts'

/**
 * Reads an inventory: a driftgate inventory if the text is a map with `targets` or `groups`, or empty; otherwise an
 * Ansible inventory. `text` is undefined for a directory.
 */
export async function readAnyInventory(
  file: string,
  text: string | undefined,
  about: AboutInventory,
): Promise<Result<Inventory>> {
  if (text !== undefined && isOwn(file, text)) return readInventory(file, text, about.complain)
  const listed = await about.list(file)
  if ('reason' in listed) return { ok: false, problems: [{ message: `${file}: ${listed.reason}`, severity: 'error' }] }
  const read = readAnsible(file, listed.text, about)
  const warnings = listed.warnings.map((message): Problem => ({ message: `${file}: ${message}`, severity: 'warning' }))
  return read.ok ? { ...read, warnings: [...warnings, ...read.warnings] } : read
}

function isOwn(file: string, text: string): boolean {
  if (text.startsWith('#!')) return false
  if (text.split('\n').every((line) => /^\s*(?:[#;].*)?$/.test(line))) return true
  // The keys identify the format even of an invalid file.
  if (/^(?:targets|groups)\s*:/m.test(text)) return true
  const read = readDocument(sourceText(file, text), 'inventory')
  const root = 'root' in read ? asMap(read.root) : undefined
  return root !== undefined && (root.entries.size === 0 || root.entries.has('targets') || root.entries.has('groups'))
}

/** Warnings about ignored variables of the selected targets: one message per reason. */
export function passedOverOf(
  file: string,
  targets: readonly Pick<InventoryTarget, 'passedOver'>[],
): readonly Problem[] {
  const found = new Map<PassedOver['why'], Set<string>>()
  for (const { why, name } of targets.flatMap(({ passedOver }) => passedOver)) {
    found.set(why, (found.get(why) ?? new Set()).add(name))
  }
  return [...found].map(([why, names]) => ({
    message: `${file}: ${joinNames([...names])}: ${PASSED_OVER[why]}`,
    severity: 'warning',
  }))
}

const MOST_NAMES = 5

function joinNames(names: readonly string[]): string {
  const more = names.length - MOST_NAMES
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const PASSED_OVER: Readonly<Record<PassedOver['why'], string>> = {
  encrypted: 'encrypted, so not in data: pass values that a policy needs with --data, marked @sensitive',
  template: 'Ansible templates, so not in data: pass values that a policy needs with --set inventory.NAME=VALUE',
  secret: 'named like secrets, so not in data: pass values that a policy needs with --data, marked @sensitive',
  password: 'ignored: driftgate passes no passwords to programs; use keys, an agent, and sudo without a password',
  'host-key': 'ignored: driftgate always verifies host keys; add the key to known_hosts',
  unknown: 'ignored: not a variable of Ansible that driftgate supports',
}
