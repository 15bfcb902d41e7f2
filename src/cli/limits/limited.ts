/** Set for a process that works within limits which another one watches over. */
export const LIMITED_VARIABLE = 'DRIFTGATE_LIMITED'

/** Whether this process works within limits already. */
export function isLimited(env: Readonly<Record<string, string | undefined>>): boolean {
  return env[LIMITED_VARIABLE] !== undefined
}
