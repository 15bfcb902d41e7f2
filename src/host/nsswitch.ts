/** The account databases of nsswitch.conf(5). */
export type AccountDatabase = 'passwd' | 'shadow' | 'group'

/**
 * The sources of a database in lookup order. A source that ends the search for unknown names is the last, since later
 * ones are never used. The default is local files.
 */
export function sourcesOf(text: string | null, database: AccountDatabase): readonly string[] {
  const lines = (text ?? '').split('\n').map((line) => line.replace(/#.*$/, ''))
  const said = lines.flatMap((line) => {
    const [, name, services] = /^[ \t]*([^\s:]+)[ \t]*:(.*)$/.exec(line) ?? []
    return name === database && services !== undefined ? [services] : []
  })
  const services = said.at(-1) ?? ''
  const sources: string[] = []
  for (const [part] of services.matchAll(/\[[^\]]*\]|[^\s[\]]+/g)) {
    if (!part.startsWith('[')) sources.push(part)
    else if (endsSearch(part)) break
  }
  return sources.length === 0 ? ['files'] : sources
}

/** Whether an action such as `[NOTFOUND=return]` ends the search for a name that the source does not have. */
function endsSearch(actions: string): boolean {
  return [...actions.matchAll(/(!?)(\w+)=(\w+)/g)].some(([, not, status = '', action = '']) => {
    const isMeant = (status.toLowerCase() === 'notfound') !== (not === '!')
    return isMeant && action.toLowerCase() === 'return'
  })
}
