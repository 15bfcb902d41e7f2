import { trimBlanksOfC, withBlanksOfC } from '../../../../settings/blanks.ts'

export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  /** What stands in it beside its children. */
  readonly text: string
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[]
  text: string
}

const NAME = '[A-Za-z_][\\w.:-]*'
const ATTRIBUTE = withBlanksOfC(new RegExp(`\\s+(${NAME})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, 'gy'))
const MARKUP = withBlanksOfC(
  new RegExp(`<\\?[^]*?\\?>|<!--[^]*?-->|</(${NAME})\\s*>|<(${NAME})([^<>]*?)(/?)>|([^<]+)`, 'gy'),
)
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * The outermost element of a file of XML as firewalld keeps them: without a document type, entities of its own or CDATA.
 * Undefined where it is anything else.
 */
export function parseElements(text: string): XmlElement | undefined {
  const top: OpenElement = { name: '', attributes: {}, children: [], text: '' }
  const open: OpenElement[] = [top]
  let end = 0
  for (const found of text.matchAll(MARKUP)) {
    end += found[0].length
    const [, closed, opened, inside = '', slash, plain] = found
    const parent = open.at(-1) ?? top
    if (plain !== undefined) {
      const written = withoutEntities(plain)
      if (written === undefined) return undefined
      parent.text += written
    } else if (closed !== undefined) {
      if (open.length === 1 || open.pop()?.name !== closed) return undefined
    } else if (opened !== undefined) {
      const attributes = attributesOf(inside)
      if (attributes === undefined) return undefined
      const element: OpenElement = { name: opened, attributes, children: [], text: '' }
      parent.children.push(element)
      if (slash === '') open.push(element)
    }
  }
  const [outermost, ...others] = top.children
  const isWhole =
    end === text.length && open.length === 1 && others.length === 0 && withBlanksOfC(/^\uFEFF?\s*$/).test(top.text)
  return isWhole ? outermost : undefined
}

function attributesOf(text: string): Readonly<Record<string, string>> | undefined {
  const attributes: Record<string, string> = {}
  let end = 0
  for (const [whole, name = '', double, single] of text.matchAll(ATTRIBUTE)) {
    const value = withoutEntities(double ?? single ?? '')
    if (value === undefined || Object.hasOwn(attributes, name)) return undefined
    attributes[name] = value
    end += whole.length
  }
  return trimBlanksOfC(text.slice(end)) === '' ? attributes : undefined
}

function withoutEntities(text: string): string | undefined {
  let isKnown = true
  const plain = text.replace(/&(#x[\da-f]+|#\d+|\w+)?;?/gi, (whole, name: string | undefined) => {
    const code = /^#(x?)([\da-f]+)$/i.exec(name ?? '')
    const number = code === null ? undefined : Number.parseInt(code[2] ?? '', code[1] === '' ? 10 : 16)
    const meant =
      number === undefined ? ENTITIES[name ?? ''] : number <= 0x10ffff ? String.fromCodePoint(number) : undefined
    if (meant === undefined || !whole.endsWith(';')) isKnown = false
    return meant ?? ''
  })
  return isKnown ? plain : undefined
}
