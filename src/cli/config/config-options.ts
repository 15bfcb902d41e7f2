import type { OptionSpecs } from '../command.ts'
import { scan } from '../commands/scan/index.ts'
import { EXTENSION_OPTIONS } from '../options/extension.ts'

/** The key of a config for `--plugin`: it is a list anyway. */
export const PLUGINS_KEY = 'plugins'

/** What a config can say: the options of a scan by their names, but for those that choose the config, and `plugins`. */
export const configOptions: OptionSpecs = {
  ...Object.fromEntries(Object.entries(scan.options).filter(([name]) => !(name in EXTENSION_OPTIONS))),
  [PLUGINS_KEY]: EXTENSION_OPTIONS.plugin,
}
