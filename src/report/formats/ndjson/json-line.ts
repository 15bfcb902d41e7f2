import { toSafeJson } from '../../../model/safe-json.ts'

/** A value as JSON on one line, whatever counts as the end of one. */
export function jsonLine(value: unknown): string {
  return `${toSafeJson(value)}\n`
}
