import { Document } from 'yaml'
import { escapeForTerminal } from '../../model/escape.ts'
import { escapeInQuotes } from '../../model/safe-json.ts'
import { yamlText } from '../../policy/document/yaml-text.ts'
import { encodeGoJson, type GoValue, toPlain } from '../../templates/govalue/index.ts'

/** Text for standard output: lines and tabs stay, anything else a terminal would obey is escaped. */
export function showText(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : escapeForTerminal(part)))
    .join('')
}

/** A value as JSON for programs, keys sorted, with a line feed at the end. Throws `TemplateError` for what is no JSON. */
export function toJson(value: GoValue): string {
  return `${escapeInQuotes(encodeGoJson(value, { indent: '  ', escape: 'plain' }))}\n`
}

/** A value as YAML, keys in their order. */
export function toYaml(value: GoValue): string {
  return yamlText(new Document(toPlain(value), { aliasDuplicateObjects: false }))
}
