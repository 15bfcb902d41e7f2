import { type Document, Scalar, visit } from 'yaml'
import { escapeInQuotes } from '../../model/safe-json.ts'

/** What must not stand in a text as it is: invisible characters, and lines that a CI log takes for commands. */
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^\s*::|##(?:vso)?\[/imu

/** A document as YAML that is safe on a terminal and in a CI log; the values that are read back are the same. */
export function yamlText(document: Document): string {
  visit(document, {
    Scalar(_place, node) {
      if (typeof node.value === 'string' && UNSAFE.test(node.value)) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return escapeInQuotes(document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER }))
}
