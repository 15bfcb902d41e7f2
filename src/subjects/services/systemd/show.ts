import { ACTIVE_STATES, type UnitRuntime } from '../services.ts'

/** Output of `systemctl show` for a unit. */
export interface ShownUnit {
  /** The primary name. */
  readonly unit: string
  /** All names, including the primary name. */
  readonly names: readonly string[]
  readonly runtime: UnitRuntime
  /** The enablement when the unit was loaded, as `systemctl is-enabled` prints it; empty without a unit file. */
  readonly unitFileState: string
  /** Whether its files have changed since systemd loaded them. */
  readonly needsReload: boolean
}

const PROPERTIES = 'Id,Names,LoadState,ActiveState,Result,UnitFileState,NeedDaemonReload'

/** The command for the input of `parseShownUnits`. */
export function showCommand(units: readonly string[]): readonly [string, ...string[]] {
  return ['systemctl', 'show', '--no-pager', `--property=${PROPERTIES}`, '--', ...units]
}

/**
 * Parses the output of `showCommand`: one block of properties for each unit, separated by empty lines. Incomplete or
 * malformed blocks are skipped.
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
