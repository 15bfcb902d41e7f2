import type { Problem } from '../../model/problem.ts'
import type { DataMap } from '../data/merge.ts'
import { parseFacts } from '../facts/custom.ts'
import type { GoValue } from '../../templates/govalue/index.ts'
import type { Nats } from '../../host/nats/nats.ts'
import { readMap } from '../read-map.ts'

/** The sources of Goss template variables. */
export interface VarOptions {
  /** Files or URLs of variables, merged in this order. */
  readonly vars?: readonly string[]
  /** Variables in YAML; a top-level key replaces that of the files as a whole. */
  readonly varsInline?: string
}

/**
 * Reads the variables of Goss templates. Files are merged deeply, and empty values override nothing; inline variables
 * replace top-level keys.
 */
export async function readVars(
  { vars = [], varsInline }: VarOptions,
  problems: Problem[],
  nats: Nats,
): Promise<DataMap> {
  let merged: DataMap = new Map()
  for (const source of vars) {
    const read = await readMap(source, nats)
    if (typeof read === 'string') problems.push({ message: `--vars ${read}`, severity: 'error' })
    else merged = mergeVars(merged, read)
  }
  if (varsInline === undefined) return merged
  const inline = parseFacts(varsInline)
  if (inline.ok) return new Map([...merged, ...inline.value])
  problems.push({ message: `--vars-inline: ${inline.message}`, severity: 'error' })
  return merged
}

function mergeVars(below: DataMap, above: DataMap): DataMap {
  const merged = new Map(below)
  for (const [key, value] of above) merged.set(key, mergeValues(merged.get(key), value))
  return merged
}

/** Merges as mergo does with the options of Goss. @see https://github.com/imdario/mergo, WithOverride */
function mergeValues(below: GoValue | undefined, above: GoValue): GoValue {
  if (below instanceof Map && above instanceof Map) return mergeVars(below, above)
  return below === undefined || !isEmpty(above) ? above : below
}

function isEmpty(value: GoValue): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (value instanceof Map) return value.size === 0
  return value === null || value === false || value === '' || value === 0 || value === 0n
}
