import type { Remark } from './run-remarks.ts'
import {
  messageText,
  physicalLocation,
  type SarifNotification,
  type SarifProfile,
  type SarifResult,
} from './sarif-log.ts'
import type { RuleBook } from './sarif-rules.ts'

/** A remark on the run as a notification of its invocation. */
export function toNotification({ level, text, position }: Remark, profile: SarifProfile): SarifNotification {
  const locations = position === undefined ? {} : { locations: [physicalLocation(position, profile)] }
  return { level, message: { text: messageText(text, profile) }, ...locations }
}

/** An incomplete scan as a result, too, since many readers show only results. */
export function scanResult(
  { text }: Remark,
  book: RuleBook,
  { profile, ...identity }: Pick<SarifResult, 'locations' | 'partialFingerprints'> & { readonly profile: SarifProfile },
): SarifResult {
  const { id, index } = book.ofScan()
  return {
    ruleId: id,
    ruleIndex: index,
    kind: 'fail',
    level: 'error',
    message: { text: messageText(text, profile) },
    ...identity,
  }
}
