/**
 * Whether a shell lets nobody in, as nologin(8) and false(1) of the system do; whatever else has such a name may do anything.
 * Nothing stands for /bin/sh. @see passwd(5)
 */
export function refusesLogin(shell: string): boolean {
  return /^(?:(?:\/usr)?\/s?bin|\/run\/current-system\/sw\/bin)\/(?:nologin|false)$/.test(shell)
}
