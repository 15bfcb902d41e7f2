import type { Extensions } from '../../plugin/check-plugin.ts'
import { escapeForTerminal } from '../../model/escape.ts'
import { CONFIG_NAME } from '../../policy/fetch/config-name.ts'
import { reportFormats } from '../../report/index.ts'
import type { OptionsOf, OptionSpecs } from '../command.ts'
import type { Io } from '../output/io.ts'

export type { Extensions }

/** Options of commands whose other options can be in a config file. */
export const CONFIG_OPTIONS = {
  config: {
    kind: 'list',
    group: 'Extensions:',
    placeholder: 'FILE',
    holds: 'path',
    summary: `Read options from this file (default: ${CONFIG_NAME} beside the policies)`,
  },
  'no-config': {
    kind: 'flag',
    group: 'Extensions:',
    summary: 'Ignore config files beside the policies',
  },
} as const satisfies OptionSpecs

/** Options of commands that use resource types or report formats. */
export const EXTENSION_OPTIONS = {
  plugin: {
    kind: 'list',
    group: 'Extensions:',
    placeholder: 'PATH|PACKAGE',
    summary: 'Load types, formats, surfaces and facts from a module (repeatable)',
  },
  ...CONFIG_OPTIONS,
} as const satisfies OptionSpecs

/**
 * Resource types, report formats and facts of a command: the built-in ones, then those of plugins in order. Throws an
 * `OperatorError` for an unusable plugin. Loads nothing else without plugins.
 */
export async function loadExtensions(
  { plugin }: Pick<OptionsOf<typeof EXTENSION_OPTIONS>, 'plugin'>,
  io?: Pick<Io, 'say'>,
): Promise<Extensions> {
  const { resourceTypes } = await import('../../subjects/index.ts')
  const own: Extensions = { types: resourceTypes, reportFormats, facts: [] }
  if (plugin.length === 0) return own
  const { loadPlugins } = await import('../plugins/load-plugins.ts')
  const { notes = [], ...extensions } = await loadPlugins(plugin, own)
  for (const note of notes) io?.say(`driftgate: ${escapeForTerminal(note)}\n`)
  return extensions
}
