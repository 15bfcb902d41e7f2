import { hostname, userInfo } from 'node:os'
import process from 'node:process'

/** Default author of acts: `anna@ops1`. */
export function whoAmI(): string {
  return `${userName()}@${hostname()}`
}

/** Uses the uid of a user without a name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.geteuid?.()}`
  }
}
