import { defined } from '../model/defined.ts'
import type { ResourceResult } from '../model/run.ts'
import type { Waiver, WaiverRecord } from '../model/waiver.ts'
import { waiverMatcher, waiverRecords, type WaiverSetting } from '../model/waiver-match.ts'
import { acceptedBy, describeAcceptance, describeEnd, list, neededInVain } from '../model/waiver-words.ts'
import type { Redactor } from '../policy/secrets/redactor.ts'

export interface RunWaivers {
  /** Reason why a fix must leave a drifted resource unchanged: waived drift may not be overwritten. */
  readonly holds: (result: ResourceResult) => string | undefined
  /** True if all drift of a resource is waived. */
  readonly acceptsAll: (result: ResourceResult) => boolean
  /** Applies waivers to a finished result. */
  readonly judge: (result: ResourceResult) => ResourceResult
  readonly records: (results: readonly ResourceResult[]) => readonly WaiverRecord[]
}

/** Creates the waivers of a run. Their texts are shown, so known secrets are redacted. */
export function createRunWaivers(given: readonly Waiver[], setting: WaiverSetting, redactor: Redactor): RunWaivers {
  // Names and values of resources are already redacted, so waivers are compared in redacted form; other fields as
  // written.
  const comparable = given.map(({ control, property, host, ...others }) => ({
    ...withoutSecrets(others, redactor),
    ...defined({ control, property, host }),
  }))
  const match = waiverMatcher(comparable, setting)
  return {
    holds(result) {
      if (result.verdict !== 'drifted') return undefined
      const drift = match(result).drift.filter(({ waiver }) => waiver !== undefined)
      if (drift.length === 0) return undefined
      const names = [...new Set(drift.flatMap(({ waiver }) => waiver ?? []))]
      const properties = [...new Set(drift.map(({ property }) => property))]
      return `${names.length === 1 ? 'waiver' : 'waivers'} ${list(names)} ${names.length === 1 ? 'accepts' : 'accept'} ${list(properties)}, which a fix would overwrite`
    },
    acceptsAll: (result) => match(result).drift.every(({ waiver }) => waiver !== undefined),
    judge(result) {
      if (result.drift.length === 0) return result
      const { drift, uses } = match(result)
      if (uses.length === 0) return result
      if (result.verdict === 'drifted') return judgeDrifted({ ...result, drift, waivers: uses }, comparable)
      // No waiver accepts changed drift.
      const ended = uses.filter(({ state }) => state !== 'in-force')
      return ended.length === 0 ? result : { ...result, waivers: ended }
    },
    records: (results) =>
      waiverRecords(
        given.map((waiver) => withoutSecrets(waiver, redactor)),
        results,
        setting,
      ),
  }
}

function withoutSecrets(waiver: Waiver, redactor: Redactor): Waiver {
  const { source, ...texts } = waiver
  const shown = Object.entries(texts).map(([field, text]) => [field, redactor.text(text)])
  // All fields except the position are text.
  return { ...waiver, ...Object.fromEntries(shown), source }
}

/** Waivers only cover drift: an unknown property remains an error. */
function judgeDrifted(result: ResourceResult, waivers: readonly Waiver[]): ResourceResult {
  const { drift, unknown: [unread] = [] } = result
  if (drift.some(({ waiver }) => waiver === undefined)) return withEnds(result, waivers)
  const { change: _change, changeReason: _changeReason, effect: _effect, ...planned } = result
  const { risk: _risk, irreversible: _irreversible, ...rest } = planned
  const message = acceptedBy(result).map(describeAcceptance).join('; ')
  const untouched = { ...rest, actions: [] }
  if (unread === undefined) return { ...untouched, verdict: 'waived', message }
  const { property, reason, detail } = unread
  const text = `${property}: ${detail}`
  return {
    ...untouched,
    verdict: 'error',
    reason,
    errors: [text],
    message: `${text}; waivers cover drift, not unknown results`,
  }
}

/** Adds the waivers that no longer apply to the message. */
function withEnds(result: ResourceResult, waivers: readonly Waiver[]): ResourceResult {
  const ends = neededInVain(result).map((use) => {
    const value = waivers.find(({ id }) => id === use.id)?.value
    return `waiver ${use.id} ${describeEnd(use, value)}`
  })
  const said = result.message === undefined ? ends : [result.message, ...ends]
  return ends.length === 0 ? result : { ...result, message: said.join('; ') }
}
