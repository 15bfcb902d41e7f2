/** The databases of nsswitch.conf(5) that are about accounts. */
export type AccountDatabase = 'passwd' | 'shadow' | 'group'

/**
 * The sources of a database, in the order in which they are asked. One that ends the search where it does not know a name is
 * the last: what stands behind it is never asked. Where nothing is said, it is the local files.
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

/** Whether an action such as `[NOTFOUND=return]` ends the search where a source does not know a name. */
function endsSearch(actions: string): boolean {
  return [...actions.matchAll(/(!?)(\w+)=(\w+)/g)].some(([, not, status = '', action = '']) => {
    const isMeant = (status.toLowerCase() === 'notfound') !== (not === '!')
    return isMeant && action.toLowerCase() === 'return'
  })
}
