import { userInfo } from 'node:os'
import process from 'node:process'

/** The home of the running user by the accounts of the machine; undefined where it has no account. */
export function homeOfAccount(): string | undefined {
  try {
    return userInfo().homedir
  } catch {
    return undefined
  }
}

/** What HOME names; undefined where it is empty or relative. */
export function homeOfEnvironment(): string | undefined {
  const home = process.env['HOME'] ?? ''
  return home.startsWith('/') ? home : undefined
}
