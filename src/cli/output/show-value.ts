import { Document } from 'yaml'
import { escapeForTerminal } from '../../model/escape.ts'
import { escapeInQuotes } from '../../model/safe-json.ts'
import { yamlText } from '../../policy/document/yaml-text.ts'
import { encodeGoJson, type GoValue, toPlain } from '../../templates/govalue/index.ts'

/** Text for standard output: keeps lines and tabs, escapes all other control characters. */
export function showText(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : escapeForTerminal(part)))
    .join('')
}

/** JSON of a value, with sorted keys and a final line feed. Throws a `TemplateError` if it has no JSON form. */
export function toJson(value: GoValue): string {
  return `${escapeInQuotes(encodeGoJson(value, { indent: '  ', escape: 'plain' }))}\n`
}

/** YAML of a value, with keys in order. */
export function toYaml(value: GoValue): string {
  return yamlText(new Document(toPlain(value), { aliasDuplicateObjects: false }))
}
