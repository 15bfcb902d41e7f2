/** An element of a parsed document. `text` is what stands directly in it, CDATA included. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  readonly text: string
}

/** What XML 1.0 allows in a document (production 2 of the recommendation). */
const CHARACTERS = /^[\t\n\r\x20-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u
const TOKEN =
  /<!\[CDATA\[(?<cdata>[^]*?)\]\]>|<\/(?<close>[\w-]+)\s*>|<(?<open>[\w-]+)(?<attributes>(?:\s+[\w-]+="[^"<]*")*)\s*(?<empty>\/?)>|(?<text>[^<]+)/y
const ATTRIBUTE = /(?<name>[\w-]+)="(?<value>[^"]*)"/g
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

interface OpenElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: XmlElement[]
  text: string
}

/**
 * Reads a document of elements, attributes, text and CDATA strictly: text that is not well-formed throws. It exists so
 * that what a report says can be compared after parsing; that it agrees with libxml2 is tested with xmllint.
 */
export function parseXml(source: string): XmlElement {
  if (!CHARACTERS.test(source)) throw new Error('a character that XML 1.0 does not allow')
  const body = source.replace(/^<\?xml version="1.0"(?: encoding="UTF-8")?\?>/, '').trim()
  const root: OpenElement = { name: '', attributes: {}, children: [], text: '' }
  const stack: OpenElement[] = [root]
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < body.length) {
    const start = TOKEN.lastIndex
    const groups = TOKEN.exec(body)?.groups
    const current = stack.at(-1)
    if (groups === undefined || current === undefined)
      throw new Error(`not well-formed: ${body.slice(start, start + 60)}`)
    readToken(groups, current, stack)
  }
  const [document, ...others] = root.children
  if (document === undefined || others.length > 0 || stack.length > 1 || root.text !== '')
    throw new Error('not one root')
  return document
}

function readToken(groups: Record<string, string | undefined>, current: OpenElement, stack: OpenElement[]): void {
  const { cdata, close, open, attributes = '', empty, text } = groups
  if (cdata !== undefined) current.text += cdata
  else if (text !== undefined) {
    if (text.includes(']]>')) throw new Error(']]> in text')
    current.text += decode(text)
  } else if (close !== undefined) {
    if (close !== current.name) throw new Error(`</${close}> closes <${current.name}>`)
    stack.pop()
  } else if (open !== undefined) {
    const element: OpenElement = { name: open, attributes: readAttributes(attributes), children: [], text: '' }
    current.children.push(element)
    if (empty === '') stack.push(element)
  }
}

function readAttributes(source: string): Readonly<Record<string, string>> {
  const attributes: Record<string, string> = {}
  for (const { groups } of source.matchAll(ATTRIBUTE)) {
    const { name = '', value = '' } = groups ?? {}
    if (name in attributes) throw new Error(`attribute ${name} twice`)
    attributes[name] = decode(value.replace(/[\t\n\r]/g, ' '))
  }
  return attributes
}

function decode(text: string): string {
  return text.replace(/&(?:#x(?<hex>[0-9a-fA-F]+);|(?<name>\w+);)?/g, (match, hex?: string, name = '') => {
    const character = hex === undefined ? ENTITIES[name] : String.fromCodePoint(Number.parseInt(hex, 16))
    if (character === undefined) throw new Error(`unknown entity ${match}`)
    return character
  })
}

/** Every element of that name below the given one, in document order. */
export function findAll(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...findAll(child, name)])
}
