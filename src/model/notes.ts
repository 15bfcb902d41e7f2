/**
 * Stable prefixes of drift notes and of reasons why a fix is impossible. Reference reports and users filter by them, so
 * they are defined only here; details of the case follow.
 */

/** The change is stored, but takes effect only after a reboot. */
export function pendingReboot(why: string): string {
  return `pending reboot: ${why}`
}

/** The value is effective now, but is lost when its file is next generated from its source. */
export function lostAtNextUpdate(why: string): string {
  return `lost at next update: ${why}`
}

/** Another line takes precedence over the one with the desired value. */
export function shadowedBy({ file, line }: { readonly file: string; readonly line: number }): string {
  return `shadowed by ${file}:${line}`
}

/** No change of this machine can fulfil the requirement. */
export function cannotBeMetHere(why: string): string {
  return `cannot be met here: ${why}`
}
