import { ACTIVE_STATES, type UnitRuntime } from '../services.ts'

/** What `systemctl show` prints of a unit. */
export interface ShownUnit {
  /** Its own name. */
  readonly unit: string
  /** All names it is known by, its own among them. */
  readonly names: readonly string[]
  readonly runtime: UnitRuntime
  /** Its enablement when it was loaded, as `systemctl is-enabled` calls it; empty where it has no unit file. */
  readonly unitFileState: string
  /** Whether its files have changed since they were read. */
  readonly needsReload: boolean
}

const PROPERTIES = 'Id,Names,LoadState,ActiveState,Result,UnitFileState,NeedDaemonReload'

/** The command that prints what `parseShownUnits` reads. */
export function showCommand(units: readonly string[]): readonly [string, ...string[]] {
  return ['systemctl', 'show', '--no-pager', `--property=${PROPERTIES}`, '--', ...units]
}

/**
 * Reads the output of `showCommand`: a block of properties for each unit, with an empty line between them. A block that
 * is incomplete, or holds anything else, is left out, as if the unit had not been asked for.
 */
export function parseShownUnits(output: string): readonly ShownUnit[] {
  return output.split(/\n{2,}/).flatMap((block) => {
    const shown = parseBlock(block)
    return shown === undefined ? [] : [shown]
  })
}

function parseBlock(block: string): ShownUnit | undefined {
  const properties = new Map<string, string>()
  for (const line of block.split('\n')) {
    if (line === '') continue
    const at = line.indexOf('=')
    if (at === -1) return undefined
    properties.set(line.slice(0, at), line.slice(at + 1))
  }
  const unit = properties.get('Id')
  const names = properties.get('Names')
  const loadState = properties.get('LoadState')
  const activeState = ACTIVE_STATES.find((state) => state === properties.get('ActiveState'))
  const unitFileState = properties.get('UnitFileState')
  if (unit === undefined || names === undefined || loadState === undefined) return undefined
  if (activeState === undefined || unitFileState === undefined) return undefined
  return {
    unit,
    names: names.split(' '),
    runtime: { activeState, loadState, result: properties.get('Result') ?? '' },
    unitFileState,
    needsReload: properties.get('NeedDaemonReload') === 'yes',
  }
}
