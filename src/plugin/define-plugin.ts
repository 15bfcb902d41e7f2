import type { PluginFacts } from '../policy/facts/define-facts.ts'
import type { PluginSurface } from '../subjects/settings/define-surface.ts'
import type { ReportFormat } from '../report/format.ts'
import type { KNOWN_API_VERSIONS } from '../resource-type/brand.ts'
import type { ResourceType } from '../resource-type/define.ts'

/** What a plugin adds to driftgate. */
export interface Plugin {
  /** The version of driftgate's plugin API. The version before the last works, with a note. */
  readonly apiVersion: (typeof KNOWN_API_VERSIONS)[number]
  /** Resource types, made by `defineResource`. Their names must be unique. */
  readonly types?: readonly ResourceType[]
  /** Report formats for `--report`; one with a `fileName` is also written by `--out`. */
  readonly reportFormats?: readonly ReportFormat[]
  /** Surfaces of `setting`, made by `defineSurface`. */
  readonly surfaces?: readonly PluginSurface[]
  /** Facts, made by `defineFacts`. */
  readonly facts?: readonly PluginFacts[]
}

/**
 * Makes a plugin, which a module exports as `plugin` and the operator loads with `--plugin`. Only TypeScript checks it
 * here; loading the plugin reports all problems.
 */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin
}
