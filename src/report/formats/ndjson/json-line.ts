import { toSafeJson } from '../../../model/safe-json.ts'

/** A value as JSON on one line, with all line ends escaped. */
export function jsonLine(value: unknown): string {
  return `${toSafeJson(value)}\n`
}
