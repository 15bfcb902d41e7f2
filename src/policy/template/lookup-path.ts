/** The components of a lookup path before the first that is not a plain name. */
export function plainStart(path: string): readonly string[] {
  const parts = path.split(/(?<!\\)[.|]/)
  const end = parts.findIndex((part) => !/^(?:[^\\#@*?!{}[\]()"\s]|\\.)+$/.test(part))
  return (end < 0 ? parts : parts.slice(0, end)).map((part) => part.replaceAll(/\\(.)/g, '$1'))
}
