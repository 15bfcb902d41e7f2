/**
 * The stable words with which a note of a drift, or a reason why a fix cannot, begins. Baselines and people filter by them, so
 * they stand in one place and are followed by what is particular to the case.
 */

/** What is changed already counts only once the system has started again. */
export function pendingReboot(why: string): string {
  return `pending reboot: ${why}`
}

/** What counts now, and is undone by what is made of its source some time. */
export function lostAtNextUpdate(why: string): string {
  return `lost at next update: ${why}`
}

/** The line that wins over the one that says what is wanted. */
export function shadowedBy({ file, line }: { readonly file: string; readonly line: number }): string {
  return `shadowed by ${file}:${line}`
}

/** What no change of this machine can bring about. */
export function cannotBeMetHere(why: string): string {
  return `cannot be met here: ${why}`
}
