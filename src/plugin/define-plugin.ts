import type { ReportFormat } from '../report/format.ts'
import type { PLUGIN_API_VERSION } from '../resource-type/brand.ts'
import type { ResourceType } from '../resource-type/define.ts'

/** What a plugin adds to driftgate. */
export interface Plugin {
  /** The version of driftgate's plugin API it is written for. A driftgate with another one refuses it. */
  readonly apiVersion: typeof PLUGIN_API_VERSION
  /** Resource types, made by `defineResource`. None may have the name of another type. */
  readonly types?: readonly ResourceType[]
  /** Report formats for `--report`; one with a `fileName` is also written by `--out`. */
  readonly reportFormats?: readonly ReportFormat[]
}

/**
 * Makes a plugin, which a module exports as `plugin` and the operator loads with `--plugin`. It only checks the types:
 * what is wrong with a plugin is said when it is loaded.
 */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin
}
