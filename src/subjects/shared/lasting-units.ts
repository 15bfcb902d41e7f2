/** Units of a login session; their names change with each login. */
const OF_A_LOGIN = /^(?:session-.*|run-.*|user@.*|init)\.(?:scope|service)$/

/** Units that a policy can name; empty if one belongs to a login session, because the list then changes with each login. */
export function lastingUnits(units: readonly string[]): readonly string[] {
  return units.some((unit) => OF_A_LOGIN.test(unit)) ? [] : units
}
