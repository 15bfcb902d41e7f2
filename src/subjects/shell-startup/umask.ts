const CLAUSE = /^([ugoa]*)([-+=])([rwx]*)$/

/**
 * The umask that an argument of `umask` sets, from the one there is: octal, or permissions as chmod takes them. What a shell
 * refuses, and what not all of them take, is undefined.
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
      // All that is said of all users needs nothing to start from.
      if (operator !== '=' || sets !== 0o111) return undefined
      granted = bits
    } else if (operator === '=') granted = (granted & ~(sets * 7)) | bits
    else granted = operator === '+' ? granted | bits : granted & ~bits
  }
  return granted === undefined ? undefined : ~granted & 0o777
}
