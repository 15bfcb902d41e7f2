/** ECMA-48 sequences in their 7-bit and 8-bit forms: strings up to their terminator (OSC, DCS, ...), CSI, short ones. */
const ANSI_SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- control characters are what this removes
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]/g

/** Controls but tab, line feed and carriage return; lone surrogates; the two code points XML 1.0 forbids beside them. */
// oxlint-disable-next-line no-control-regex -- control characters are what this removes
const NOT_XML = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\p{Cs}]/gu

/**
 * The text without ANSI sequences, without control characters other than tab, line feed and carriage return, and
 * without anything XML 1.0 cannot carry. Markup is kept: the writer of the XML escapes it.
 * @see https://www.w3.org/TR/xml/#charsets
 */
export function removeXmlHazards(text: string): string {
  return text.replace(ANSI_SEQUENCE, '').replace(NOT_XML, '')
}
