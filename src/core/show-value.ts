import type { Drift, ReportValue } from './drift.ts'

/** A value in one line of text, as messages and the text formats show it. Not yet escaped for any channel. */
export function showValue(value: ReportValue): string {
  if (value === null) return 'nothing'
  if (typeof value !== 'object') return String(value)
  if ('redacted' in value) return `(secret ${value.digest})`
  return `sha256:${value.sha256.slice(0, 12)} (${value.sizeBytes} ${value.sizeBytes === 1 ? 'byte' : 'bytes'})`
}

/** One drift as a clause: "mode: want 0600, found 0644". */
export function showDrift({ property, path, desired, observed }: Drift): string {
  const subject = path === undefined ? property : `${path} ${property}`
  return `${subject}: want ${showValue(desired)}, found ${showValue(observed)}`
}
