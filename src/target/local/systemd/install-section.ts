import { assignmentsIn, wordsOf } from './unit-syntax.ts'

/** What a unit file's [Install] section says. */
export interface InstallSection {
  readonly aliases: readonly string[]
  /** Whether enabling the unit makes any link. */
  readonly isInstallable: boolean
  /** Whether other units are enabled along with it. */
  readonly hasAlso: boolean
}

// Only units of these types can have other names.
const MAY_HAVE_ALIASES = /\.(?:service|socket|target|device|timer|path)$/

const LISTS = new Set(['Alias', 'WantedBy', 'RequiredBy', 'UpheldBy', 'Also'])

/**
 * Reads the [Install] section of a unit from its file and drop-ins, in the order in which they apply. An empty value
 * takes back what was said before it. @see systemd.syntax(7), systemd.unit(5)
 */
export function readInstallSection(unit: string, texts: readonly string[]): InstallSection {
  const lists = new Map<string, string[]>()
  for (const text of texts) {
    for (const { key, value } of assignmentsIn(text, 'Install')) {
      if (!LISTS.has(key)) continue
      // Also is the one list that an empty value does not clear.
      const before = value === '' && key !== 'Also' ? [] : (lists.get(key) ?? [])
      lists.set(key, [...before, ...wordsOf(value)])
    }
  }
  const list = (key: string): readonly string[] => lists.get(key) ?? []
  const aliases = MAY_HAVE_ALIASES.test(unit) ? list('Alias') : []
  const wanting = ['WantedBy', 'RequiredBy', 'UpheldBy'].flatMap(list)
  return {
    aliases,
    isInstallable: aliases.length + wanting.length > 0,
    hasAlso: list('Also').length > 0,
  }
}
