/** Whether a shell lets nobody in, as nologin(8) and false(1) do. Nothing stands for /bin/sh. @see passwd(5) */
export function refusesLogin(shell: string): boolean {
  return ['nologin', 'false'].includes(shell.slice(shell.lastIndexOf('/') + 1))
}
