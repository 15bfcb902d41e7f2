export type UnitKind = 'plain' | 'instance' | 'template'

const TYPES = 'service|mount|swap|socket|target|device|automount|timer|path|slice|scope'

// The prefix ends before the first @; after it follows the instance, empty for a template.
const PARTS = new RegExp(String.raw`^([0-9A-Za-z:_.\\-]+)(?:(@)([0-9A-Za-z:_.\\@-]*))?\.(?:${TYPES})$`)

const LONGEST_NAME = 255

/** The kind of a unit name; undefined if invalid. @see systemd.unit(5) */
export function unitKind(name: string): UnitKind | undefined {
  const parts = name.length > LONGEST_NAME ? null : PARTS.exec(name)
  if (parts === null) return undefined
  const [, , at, instance] = parts
  if (at === undefined) return 'plain'
  return instance === '' ? 'template' : 'instance'
}

/** The unit of a service name: without a type it is a `.service`, and invalid characters are escaped as systemctl does. */
export function unitName(service: string): string {
  if (unitKind(service) !== undefined) return service
  const escaped = service.replace(/[^0-9A-Za-z:_.\\@-]/g, (character) => {
    const bytes = [...Buffer.from(character)]
    return bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  })
  return new RegExp(String.raw`\.(?:${TYPES})$`).test(escaped) ? escaped : `${escaped}.service`
}

/** The template of an instance: `getty@.service` of `getty@tty1.service`; undefined for other names. */
export function templateOf(unit: string): string | undefined {
  if (unitKind(unit) !== 'instance') return undefined
  return `${unit.slice(0, unit.indexOf('@') + 1)}${suffix(unit)}`
}

export function instanceLike(template: string, instance: string): string {
  const name = instance.slice(instance.indexOf('@') + 1, instance.lastIndexOf('.'))
  const at = template.indexOf('@') + 1
  return `${template.slice(0, at)}${name}${template.slice(at)}`
}

/** `.service` of `getty@tty1.service`. */
export function suffix(unit: string): string {
  return unit.slice(unit.lastIndexOf('.'))
}

/**
 * The names whose drop-ins apply to a unit, in groups: those of a later group are overridden by files of the same name of an
 * earlier one, wherever they are. The groups are the unit, each alias, and the type. @see systemd.unit(5)
 */
export function dropInNames(unit: string, aliases: readonly string[] = []): readonly (readonly string[])[] {
  return [...[unit, ...aliases].map((name) => [...new Set(withMoreGeneral(name))]), [suffix(unit).slice(1)]]
}

/** The unit, its template, and each prefix that ends in a dash, in the order of systemd. */
function withMoreGeneral(unit: string): readonly string[] {
  return [unit, ...[templateOf(unit) ?? [], shortened(unit) ?? []].flat().flatMap(withMoreGeneral)]
}

/** `a-.service` of `a-b.service` and of `a-b@.service`, `a-@x.service` of `a-b@x.service`. */
function shortened(unit: string): string | undefined {
  const [, prefix = '', instance = '', type = ''] = /^([^@]*)(@.*)?(\.[a-z]+)$/.exec(unit) ?? []
  const dash = prefix.replace(/-$/, '').lastIndexOf('-')
  return dash < 0 ? undefined : `${prefix.slice(0, dash + 1)}${instance === '@' ? '' : instance}${type}`
}
