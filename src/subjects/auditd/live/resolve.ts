import { posix } from 'node:path'
import type { Reading } from '../../../model/observation.ts'
import { LOGIN_DEFS, uidMinOf } from '../../accounts/login-defs.ts'
import { type AuditField, isUserField } from '../rules/fields.ts'
import type { Resolved } from '../rules/layers.ts'
import type { AuditRule, RulePlace } from '../rules/rule.ts'
import type { MachineReading } from '../../../host/live/machine-reading.ts'

/** Looks up the ids of accounts. */
export interface AccountIds {
  readonly userId: (name: string) => Reading<number | null> | Promise<Reading<number | null>>
  readonly groupId: (name: string) => Reading<number | null> | Promise<Reading<number | null>>
}

/** Resolves rules on a host. Every name and path is looked up once. */
export interface Resolver {
  /** Looks up the account names of these rules. Must be called before `resolve`. */
  learn(rules: readonly AuditRule[]): Promise<void>
  resolve(rule: AuditRule): Resolved
}

export function openResolver(machine: MachineReading, { userId, groupId }: AccountIds): Resolver {
  const ids = new Map<string, Reading<number | null>>()
  const places = new Map<string, Resolved | RulePlace>()
  return {
    async learn(rules) {
      for (const { kind, name, value } of rules.flatMap(({ fields }) => fields)) {
        const key = keyOf(name, String(value))
        if (kind !== 'account' || ids.has(key)) continue
        ids.set(key, await (value === 'UID_MIN' ? uidMin(machine) : isUserField(name) ? userId(value) : groupId(value)))
      }
    },
    resolve(rule) {
      const fields: AuditField[] = []
      for (const field of rule.fields) {
        const resolved = resolveField(field, ids)
        if (typeof resolved === 'string') return { kind: 'unclear', message: resolved }
        fields.push(resolved)
      }
      if (rule.place === undefined) return { kind: 'rule', rule: { ...rule, fields } }
      const key = `${rule.place.kind}:${rule.place.path}`
      const place = places.get(key) ?? resolvePlace(rule.place, machine)
      places.set(key, place)
      return 'path' in place ? { kind: 'rule', rule: { ...rule, place, fields } } : place
    },
  }
}

function keyOf(field: string, name: string): string {
  return `${isUserField(field) ? 'user' : 'group'}:${name}`
}

function resolveField(field: AuditField, ids: ReadonlyMap<string, Reading<number | null>>): AuditField | string {
  if (field.kind !== 'account') return field
  const { name, operator, value } = field
  const id = ids.get(keyOf(name, value))
  if (id === undefined || (id.kind === 'known' && id.value === null))
    return `unknown user or group ${value} in ${name}${operator}${value}`
  if (id.kind === 'unknown') return `cannot resolve ${value}: ${id.detail}`
  return { kind: 'number', name, operator, value: id.value ?? 0 }
}

function uidMin({ readText }: MachineReading): Reading<number> {
  const text = readText(LOGIN_DEFS)
  return text.kind === 'unknown' ? text : uidMinOf(text.value ?? '')
}

/**
 * auditctl follows links to tell a directory from a file for `-w`; the kernel follows all links except in the last
 * component.
 */
function resolvePlace({ kind, path }: RulePlace, machine: MachineReading): Resolved | RulePlace {
  const seen = machine.stat(path)
  if (seen.kind === 'unknown') return { kind: 'unclear', message: seen.detail }
  const isDirectory = seen.kind === 'present' && seen.state.kind === 'directory'
  const settled = kind === 'watch' ? (isDirectory ? 'dir' : 'path') : kind
  if (settled === 'dir' && seen.kind === 'absent') return { kind: 'refused', message: `${path} does not exist` }
  if (path === '/') return { kind: settled, path }
  const parent = posix.dirname(path)
  const real = machine.realPath(parent)
  if (real.kind === 'unknown') return { kind: 'unclear', message: real.detail }
  if (real.value === null) return { kind: 'refused', message: `${parent} does not exist` }
  return { kind: settled, path: posix.join(real.value, posix.basename(path)) }
}
