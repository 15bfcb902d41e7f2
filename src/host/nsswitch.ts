/** The account databases of nsswitch.conf(5). */
export type AccountDatabase = 'passwd' | 'shadow' | 'group'

export type NameSources = ReadonlyMap<string, readonly string[]>

const SPACE = String.raw`[ \t\n\v\f\r]`

/** The databases whose lines glibc 2.34 and later read. */
const DATABASES =
  /^(?:aliases|ethers|(?:group|passwd|shadow)(?:_compat)?|gshadow|hosts|initgroups|netgroup|networks|protocols|publickey|rpc|services)$/

const LINE = new RegExp(String.raw`^${SPACE}*([^ \t\n\v\f\r:]+)(?:${SPACE}|:)+(.*)$`, 's')
const SOURCE = new RegExp(String.raw`^${SPACE}*([^ \t\n\v\f\r[]+)${SPACE}*`)
const ACTION = new RegExp(
  String.raw`^${SPACE}*(!?)(success|notfound|unavail|tryagain)${SPACE}*=${SPACE}*(return|continue|merge)(?=${SPACE}|\])${SPACE}*`,
  'i',
)

/**
 * The sources of each database with a line, in lookup order. A source that ends the search for unknown names is the
 * last, since later ones are never used. Undefined if glibc rejects the file, because of a line for any database: it
 * then finds nothing. @see process_line in nss_database.c, nss_action_parse.c of glibc
 */
export function parseNsswitch(text: string | null): NameSources | undefined {
  const found = new Map<string, readonly string[]>()
  // It does not read a last line without its end.
  for (const whole of (text ?? '').match(/[^\n]*\n/g) ?? []) {
    const [, name = '', services = ''] = LINE.exec(whole.replace(/\0.*$/s, '')) ?? []
    if (!DATABASES.test(name)) continue
    const sources = parseServices(services)
    if (sources === undefined) return undefined
    found.set(name, sources)
  }
  return found
}

/** The sources of a database. The default is local files, and for shadow the sources of passwd. */
export function sourcesOf(found: NameSources, database: AccountDatabase): readonly string[] {
  return found.get(database) ?? (database === 'shadow' ? found.get('passwd') : undefined) ?? ['files']
}

/** glibc has no comments at the end of a line: it passes over words that are no modules, and asks those that are. */
const MODULES = /^(?:files|compat|extrausers|altfiles|systemd|sss|ldap|winbind|nis|nisplus|db|hesiod)$/

function parseServices(services: string): readonly string[] | undefined {
  const sources: string[] = []
  let hasEnded = false
  let isPassed = false
  let isComment = false
  let rest = services
  for (;;) {
    const [whole = '', source] = SOURCE.exec(rest) ?? []
    if (source === undefined) return sources
    // What the last source says replaces the answer of one that goes on after success.
    if (isPassed && MODULES.test(source)) sources.pop()
    isComment ||= source.includes('#')
    if (!hasEnded && (!isComment || MODULES.test(source))) sources.push(source)
    isPassed = false
    rest = rest.slice(whole.length)
    if (!rest.startsWith('[')) continue
    rest = rest.slice(1)
    // Whether the source ends the search for a name that it does not have.
    let ends = false
    do {
      const [written = '', not, status = '', action = ''] = ACTION.exec(rest) ?? []
      if (written === '') return undefined
      const isFor = (each: string): boolean => (status.toLowerCase() === each) !== (not === '!')
      if (isFor('notfound')) ends = action.toLowerCase() === 'return'
      if (isFor('success')) isPassed = action.toLowerCase() === 'continue' && !hasEnded
      rest = rest.slice(written.length)
    } while (!rest.startsWith(']'))
    hasEnded ||= ends
    rest = rest.slice(1)
  }
}
