import { userInfo } from 'node:os'
import process from 'node:process'

/** The home directory of the running user in the account database; undefined without an account. */
export function homeOfAccount(): string | undefined {
  try {
    return userInfo().homedir
  } catch {
    return undefined
  }
}

/** The value of HOME; undefined if it is empty or relative. */
export function homeOfEnvironment(): string | undefined {
  const home = process.env['HOME'] ?? ''
  return home.startsWith('/') ? home : undefined
}
