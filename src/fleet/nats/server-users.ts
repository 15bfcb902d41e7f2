/** Adds a key with the permissions of a known one to a server configuration; unchanged if it has the key already. */
export function withUser(config: string, known: string, added: string): string {
  const user = userIn(config, known)
  if (user === undefined || userIn(config, added) !== undefined) return config
  const text = config.slice(user.start, user.end)
  return `${config.slice(0, user.end)}${text.replaceAll(known, added)}${config.slice(user.end)}`
}

/** Removes a key from a server configuration; unchanged if it is absent. */
export function withoutUser(config: string, key: string): string {
  const user = userIn(config, key)
  return user === undefined ? config : `${config.slice(0, user.start)}${config.slice(user.end)}`
}

/** Range of a user entry, including whole lines; nested braces, none of them in texts. */
function userIn(config: string, key: string): { readonly start: number; readonly end: number } | undefined {
  const brace = config.indexOf(`{ nkey: ${key}`)
  if (brace === -1) return undefined
  let depth = 0
  for (let at = brace; at < config.length; at++) {
    if (config[at] === '{') depth++
    if (config[at] === '}') depth--
    if (depth > 0) continue
    const line = config.indexOf('\n', at)
    return { start: config.lastIndexOf('\n', brace) + 1, end: line === -1 ? config.length : line + 1 }
  }
  return undefined
}
