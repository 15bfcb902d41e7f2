import { type Reading, mapReading } from '../../../model/observation.ts'
import { type LoginDefs, numberIn, parseLoginDefs } from '../login-defs.ts'
import { EditError, linesOf } from './record-texts.ts'

/** How new accounts and groups are made: login.defs(5), and the defaults of useradd(8). */
export interface AccountSettings {
  readonly defs: LoginDefs
  readonly defaults: ReadonlyMap<string, string>
  /** Days since 1970. */
  readonly today: number
}

/** The settings in the texts of /etc/login.defs and /etc/default/useradd; of several lines the last one counts. */
export function parseAccountSettings(
  loginDefs: string,
  useraddDefaults: string,
): Reading<Omit<AccountSettings, 'today'>> {
  return mapReading(parseLoginDefs(loginDefs), (defs) => ({ defs, defaults: parseUseraddDefaults(useraddDefaults) }))
}

/** @see useradd(8), "Changing the default values" */
export function parseUseraddDefaults(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .split('\n')
      .flatMap((line) => [...line.matchAll(/^(\w+)=(.*)$/g)].map(([, key = '', value = '']) => [key, value] as const)),
  )
}

/** The numbers of accounts or groups that are taken. */
export function idsIn(text: string | undefined): ReadonlySet<number> {
  return new Set(linesOf(text).map((line) => Number(line.split(':')[2])))
}

export interface IdRequest {
  readonly settings: AccountSettings
  readonly isSystem: boolean
  /** Taken where it is free and in the range. */
  readonly preferred?: number
}

/** The number that the programs of shadow give: that after the highest, of the system before the lowest, else one that is free. */
export function freeId(kind: 'UID' | 'GID', used: ReadonlySet<number>, request: IdRequest): number {
  const { settings, isSystem, preferred } = request
  const first = numberIn(settings.defs, `${kind}_MIN`, 1000)
  const [min, max] = isSystem
    ? [numberIn(settings.defs, `SYS_${kind}_MIN`, 101), numberIn(settings.defs, `SYS_${kind}_MAX`, first - 1)]
    : [first, numberIn(settings.defs, `${kind}_MAX`, 60_000)]
  const lowest = isSystem ? 1 : min
  if (preferred !== undefined && preferred >= lowest && preferred <= max && !used.has(preferred)) return preferred
  const taken = [...used].filter((id) => id >= min && id <= max)
  if (isSystem) {
    const next = Math.min(max + 1, ...taken) - 1
    return next >= min ? next : firstFree(used, max, min)
  }
  const next = Math.max(min - 1, ...taken) + 1
  return next <= max ? next : firstFree(used, min, max)
}

function firstFree(used: ReadonlySet<number>, from: number, to: number): number {
  const step = from <= to ? 1 : -1
  for (let id = from; id !== to + step; id += step) if (!used.has(id)) return id
  throw new EditError('no free id in the range')
}
