/** Parses an os-release file; quotes and backslashes are removed as a shell does. @see os-release(5) */
export function parseOsRelease(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, name, value] = /^\s*([A-Za-z_0-9]+)=(.*?)\s*$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) fields.set(name, unquote(value))
  }
  return fields
}

function unquote(value: string): string {
  const quote = value.charAt(0)
  if (quote === "'" && value.endsWith("'")) return value.slice(1, -1)
  const bare = quote === '"' && value.length > 1 && value.endsWith('"') ? value.slice(1, -1) : value
  return bare.replace(/\\(.)/g, '$1')
}
