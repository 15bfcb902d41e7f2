// Ids are 32 bits wide, and the highest one means "leave it as it is" to the system.
const HIGHEST_ID = 2 ** 32 - 2

/** Whether a user or group is written as its id: a number is one by itself, as with chown(1), even if an account has it as its name. */
export function isNumericId(text: string): boolean {
  return /^[0-9]+$/.test(text)
}

/** What is wrong with a number that is to be an id, as the end of a sentence that starts with it. */
export function accountIdProblem(text: string): string | undefined {
  if (!isNumericId(text) || Number(text) <= HIGHEST_ID) return undefined
  return `is out of range: ids go from 0 to ${HIGHEST_ID}`
}
