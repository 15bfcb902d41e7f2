// Ids have 32 bits; the highest one means "unchanged" in system calls such as chown(2).
const HIGHEST_ID = 2 ** 32 - 2

/** Whether a user or group is given by id. Digits are always an id, as in chown(1), even if an account has that name. */
export function isNumericId(text: string): boolean {
  return /^[0-9]+$/.test(text)
}

/** The problem of a number as an id, as the end of a sentence that starts with the number. */
export function accountIdProblem(text: string): string | undefined {
  if (!isNumericId(text) || Number(text) <= HIGHEST_ID) return undefined
  return `is out of range: ids go from 0 to ${HIGHEST_ID}`
}
