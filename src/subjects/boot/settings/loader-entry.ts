import { baseName } from '../../../model/file-name.ts'
import type { BootEntry } from './grub-menu.ts'
import { known } from '../../../model/observation.ts'

/** Entry file of the Boot Loader Specification. */
export interface LoaderEntry {
  readonly entry: BootEntry
  /** All `options` lines joined, with unexpanded variables, and the line number. */
  readonly options: string
}

/** Parses an entry. GRUB expands variables from its environment; other loaders have no variables. */
export function parseLoaderEntry(text: string, file: string, environment: ReadonlyMap<string, string>): LoaderEntry {
  const fields = text.split('\n').flatMap((written, index) => {
    const [, key, value = ''] = /^[ \t]*([a-z_-]+)(?:[ \t]+(.*?))?[ \t\r]*$/.exec(written) ?? []
    return key === undefined ? [] : [{ key, value, line: index + 1 }]
  })
  const options = fields.filter(({ key }) => key === 'options')
  const title = fields.find(({ key }) => key === 'title')?.value ?? baseName(file)
  const written = options.map(({ value }) => value).join(' ')
  const expanded = written.replaceAll(
    /\$(?:\{(\w+)\}|(\w+))/g,
    (_, braced: string | undefined, bare: string | undefined) => environment.get(braced ?? bare ?? '') ?? '',
  )
  return {
    options: written,
    entry: {
      title,
      file,
      line: options[0]?.line ?? 1,
      writtenBy: undefined,
      isRecovery: /\brescue\b/i.test(`${baseName(file)} ${title}`),
      commandLines: known([expanded]),
    },
  }
}

/** Variables of a grubenv, which is padded with `#`. */
export function parseEnvironment(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\n').flatMap((line): (readonly [string, string])[] => {
      const [, name, value = ''] = /^([A-Za-z_]\w*)=(.*)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, value.replaceAll(/\\(.)/g, '$1')]]
    }),
  )
}
