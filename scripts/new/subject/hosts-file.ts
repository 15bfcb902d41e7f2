/** The address of a name: the first line that has it, as glibc reads hosts(5); names are compared without case. */
export function addressOf(text: string, name: string): string | undefined {
  return text
    .split('\n')
    .map(fieldsOf)
    .find((fields) => hasName(fields, name))?.[0]
}

/** The text with the name at this address alone; other names, comments and lines stay. */
export function withAddress(text: string, name: string, address: string): string {
  const lines = text.replace(/\n$/, '').split('\n')
  const others = text === '' ? [] : lines.flatMap((line) => withoutName(line, name))
  return [...others, `${address}\t${name}`].map((line) => `${line}\n`).join('')
}

function withoutName(line: string, name: string): readonly string[] {
  const fields = fieldsOf(line)
  if (!hasName(fields, name)) return [line]
  const [address, ...names] = fields
  const left = names.filter((other) => !isSame(other, name))
  const comment = /#.*$/.exec(line)?.[0]
  if (left.length === 0) return comment === undefined ? [] : [comment]
  return [`${address}\t${[...left, ...(comment === undefined ? [] : [comment])].join(' ')}`]
}

function fieldsOf(line: string): readonly string[] {
  return line
    .replace(/#.*$/, '')
    .split(/[ \t]+/)
    .filter((field) => field !== '')
}

function hasName([, ...names]: readonly string[], name: string): boolean {
  return names.some((other) => isSame(other, name))
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
