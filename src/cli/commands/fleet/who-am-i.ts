import { hostname, userInfo } from 'node:os'
import process from 'node:process'

/** Who runs this, as the author of what they do: `anna@ops1`. */
export function whoAmI(): string {
  return `${userName()}@${hostname()}`
}

/** A user that the system has no name for is a number. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.geteuid?.()}`
  }
}
