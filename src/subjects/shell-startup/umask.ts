const CLAUSE = /^([ugoa]*)([-+=])([rwx]*)$/

/**
 * Umask after `umask ARGUMENT`: octal, or symbolic as in chmod(1). Undefined if a shell rejects the argument, or only some accept
 * it.
 */
export function maskFrom(argument: string, before: number | undefined): number | undefined {
  if (/^0*[0-7]{1,3}$/.test(argument)) return Number.parseInt(argument, 8)
  let granted = before === undefined ? undefined : ~before & 0o777
  for (const clause of argument.split(',')) {
    const [, who = '', operator, permissions = ''] = CLAUSE.exec(clause) ?? []
    if (operator === undefined || who === '') return undefined
    const sets = (/[ua]/.test(who) ? 0o100 : 0) + (/[ga]/.test(who) ? 0o010 : 0) + (/[oa]/.test(who) ? 0o001 : 0)
    const bits =
      sets *
      ((permissions.includes('r') ? 4 : 0) + (permissions.includes('w') ? 2 : 0) + (permissions.includes('x') ? 1 : 0))
    if (granted === undefined) {
      // Permissions that name all users do not depend on the previous umask.
      if (operator !== '=' || sets !== 0o111) return undefined
      granted = bits
    } else if (operator === '=') granted = (granted & ~(sets * 7)) | bits
    else granted = operator === '+' ? granted | bits : granted & ~bits
  }
  return granted === undefined ? undefined : ~granted & 0o777
}
