/**
 * Whether a shell refuses logins, like nologin(8) and false(1) of the system; a program of that name elsewhere may do anything.
 * An empty field means /bin/sh. @see passwd(5)
 */
export function refusesLogin(shell: string): boolean {
  return /^(?:(?:\/usr)?\/s?bin|\/run\/current-system\/sw\/bin)\/(?:nologin|false)$/.test(shell)
}

/** Whether a login runs commands of its user; the shells sync(1), shutdown(8) and halt(8) run nothing else. */
export function startsSession(shell: string): boolean {
  return !refusesLogin(shell) && !/^(?:\/usr)?\/s?bin\/(?:sync|shutdown|halt)$/.test(shell)
}
