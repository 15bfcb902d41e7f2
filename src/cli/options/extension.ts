import type { Extensions } from '../../plugin/check-plugin.ts'
import { escapeForTerminal } from '../../model/escape.ts'
import { CONFIG_NAME } from '../../policy/fetch/config-name.ts'
import { reportFormats } from '../../report/index.ts'
import { loadTypes } from '../../subjects/index.ts'
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

/** What a command that only runs policies needs: types are undefined for those that ship, which are loaded as policies use them. */
export interface RunExtensions extends Omit<Extensions, 'types'> {
  readonly types?: Extensions['types'] | undefined
}

type PluginOption = Pick<OptionsOf<typeof EXTENSION_OPTIONS>, 'plugin'>

/** Like `loadRunExtensions`, with every resource type. */
export async function loadExtensions(options: PluginOption, io?: Pick<Io, 'say'>): Promise<Extensions> {
  const { types, ...rest } = await loadRunExtensions(options, io)
  return { types: types ?? (await loadTypes()), ...rest }
}

/**
 * Resource types, report formats and facts of a command: the built-in ones, then those of plugins in order. Throws an
 * `OperatorError` for an unusable plugin. Loads nothing else without plugins.
 */
export async function loadRunExtensions({ plugin }: PluginOption, io?: Pick<Io, 'say'>): Promise<RunExtensions> {
  if (plugin.length === 0) return { reportFormats, facts: [] }
  const { loadPlugins } = await import('../plugins/load-plugins.ts')
  const { notes = [], ...extensions } = await loadPlugins(plugin, {
    types: await loadTypes(),
    reportFormats,
    facts: [],
  })
  for (const note of notes) io?.say(`driftgate: ${escapeForTerminal(note)}\n`)
  return extensions
}
