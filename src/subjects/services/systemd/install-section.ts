import { unitKind } from '../../../host/systemd/unit-name.ts'
import { assignmentsIn, wordsOf } from '../../../host/systemd/unit-syntax.ts'

export interface InstallSection {
  /** As written, with specifiers; the other lists, too. */
  readonly aliases: readonly string[]
  readonly wantedBy: readonly string[]
  readonly requiredBy: readonly string[]
  readonly upheldBy: readonly string[]
  readonly also: readonly string[]
  /** For a template: the instance that is enabled by default. */
  readonly defaultInstance?: string
  /** Whether enabling the unit creates any link. */
  readonly isInstallable: boolean
}

/** Only units of these types can have aliases. */
export const MAY_HAVE_ALIASES = /\.(?:service|socket|target|device|timer|path)$/

const LISTS = new Set(['Alias', 'WantedBy', 'RequiredBy', 'UpheldBy', 'Also'])

/**
 * Reads the [Install] section of a unit from its file and drop-ins, in order of precedence. An empty value clears the
 * earlier values. @see systemd.syntax(7), systemd.unit(5)
 */
export function readInstallSection(unit: string, texts: readonly string[]): InstallSection {
  const lists = new Map<string, string[]>()
  let defaultInstance = ''
  for (const text of texts) {
    for (const { key, value } of assignmentsIn(text, 'Install')) {
      if (key === 'DefaultInstance') defaultInstance = value
      if (!LISTS.has(key)) continue
      // An empty value does not clear `Also`.
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
