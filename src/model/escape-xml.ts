/** ECMA-48 sequences in their 7-bit and 8-bit forms: strings up to their terminator (OSC, DCS, ...), CSI, short ones. */
const ANSI_SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- control characters are what this removes
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]/g

/** Control characters except tab, line feed and carriage return; lone surrogates; two further ones that XML 1.0 forbids. */
// oxlint-disable-next-line no-control-regex -- control characters are what this removes
const NOT_XML = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\p{Cs}]/gu

/**
 * Removes ANSI sequences, control characters other than tab, line feed and carriage return, and all characters that XML
 * 1.0 cannot represent. Keeps markup: the XML writer escapes it.
 * @see https://www.w3.org/TR/xml/#charsets
 */
export function removeXmlHazards(text: string): string {
  return text.replace(ANSI_SEQUENCE, '').replace(NOT_XML, '')
}
