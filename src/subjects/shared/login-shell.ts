/**
 * Whether a shell lets no user in, as nologin(8) and false(1) of the system do; another program of such a name may do anything.
 * Nothing stands for /bin/sh. @see passwd(5)
 */
export function refusesLogin(shell: string): boolean {
  return /^(?:(?:\/usr)?\/s?bin|\/run\/current-system\/sw\/bin)\/(?:nologin|false)$/.test(shell)
}

/** Whether a login runs commands of its user: sync(1), shutdown(8) and halt(8), the shells of accounts of that name, run nothing else. */
export function startsSession(shell: string): boolean {
  return !refusesLogin(shell) && !/^(?:\/usr)?\/s?bin\/(?:sync|shutdown|halt)$/.test(shell)
}
