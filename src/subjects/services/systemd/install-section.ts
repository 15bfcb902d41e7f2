import { unitKind } from '../../../host/systemd/unit-name.ts'
import { assignmentsIn, wordsOf } from '../../../host/systemd/unit-syntax.ts'

/** What a unit file's [Install] section says. */
export interface InstallSection {
  /** As it is written, specifiers and all; so are the others. */
  readonly aliases: readonly string[]
  readonly wantedBy: readonly string[]
  readonly requiredBy: readonly string[]
  readonly upheldBy: readonly string[]
  readonly also: readonly string[]
  /** Of a template: the instance that enabling it means. */
  readonly defaultInstance?: string
  /** Whether enabling the unit makes any link. */
  readonly isInstallable: boolean
}

/** Only units of these types can have other names. */
export const MAY_HAVE_ALIASES = /\.(?:service|socket|target|device|timer|path)$/

const LISTS = new Set(['Alias', 'WantedBy', 'RequiredBy', 'UpheldBy', 'Also'])

/**
 * Reads the [Install] section of a unit from its file and drop-ins, in the order in which they apply. An empty value
 * takes back what was said before it. @see systemd.syntax(7), systemd.unit(5)
 */
export function readInstallSection(unit: string, texts: readonly string[]): InstallSection {
  const lists = new Map<string, string[]>()
  let defaultInstance = ''
  for (const text of texts) {
    for (const { key, value } of assignmentsIn(text, 'Install')) {
      if (key === 'DefaultInstance') defaultInstance = value
      if (!LISTS.has(key)) continue
      // Also is the one list that an empty value does not clear.
      const before = value === '' && key !== 'Also' ? [] : (lists.get(key) ?? [])
      lists.set(key, [...before, ...wordsOf(value)])
    }
  }
  const list = (key: string): readonly string[] => lists.get(key) ?? []
  const [wantedBy, requiredBy, upheldBy] = [list('WantedBy'), list('RequiredBy'), list('UpheldBy')]
  const aliases = MAY_HAVE_ALIASES.test(unit) ? list('Alias') : []
  const isInstallable = [aliases, wantedBy, requiredBy, upheldBy].some((names) => names.length > 0)
  const links = { aliases, wantedBy, requiredBy, upheldBy, also: list('Also'), isInstallable }
  return unitKind(unit) === 'template' && defaultInstance !== '' ? { ...links, defaultInstance } : links
}
