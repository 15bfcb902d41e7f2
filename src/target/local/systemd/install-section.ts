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
    for (const [key, value] of assignments(text, 'Install')) {
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

/** The assignments of one section. */
function assignments(text: string, wanted: string): [string, string][] {
  let section = ''
  return logicalLines(text).flatMap((line): [string, string][] => {
    if (line.startsWith('[')) section = line.slice(1, line.endsWith(']') ? -1 : undefined)
    const at = line.indexOf('=')
    if (line.startsWith('[') || section !== wanted || at === -1) return []
    return [[line.slice(0, at).trim(), line.slice(at + 1).trim()]]
  })
}

/** Lines without comments and with continued lines joined; a comment between them does not end a line. */
function logicalLines(text: string): readonly string[] {
  const lines: string[] = []
  let open = ''
  for (const physical of text.split('\n')) {
    if (/^\s*[#;]/.test(physical)) continue
    const [backslashes = ''] = /\\*$/.exec(physical) ?? []
    if (backslashes.length % 2 === 1) {
      open += `${physical.slice(0, -1)} `
      continue
    }
    lines.push(`${open}${physical}`.trim())
    open = ''
  }
  return [...lines, open.trim()].filter((line) => line !== '')
}

function wordsOf(value: string): readonly string[] {
  return (value.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/s, '$2'))
}
