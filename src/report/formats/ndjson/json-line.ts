import { toSafeJson } from '../../../model/safe-json.ts'

/** A value as JSON on one line, with every kind of line end escaped. */
export function jsonLine(value: unknown): string {
  return `${toSafeJson(value)}\n`
}
