import { type Document, Scalar, visit } from 'yaml'
import { escapeInQuotes } from '../../model/safe-json.ts'

/** Unsafe text: invisible characters, and lines that CI systems run as commands. */
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^\s*::|##(?:vso)?\[/imu

/** Serializes a document as YAML that is safe on a terminal and in a CI log; parsing returns the same values. */
export function yamlText(document: Document): string {
  visit(document, {
    Scalar(_place, node) {
      if (typeof node.value === 'string' && UNSAFE.test(node.value)) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return escapeInQuotes(document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER }))
}
