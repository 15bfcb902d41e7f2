/** Units that are made for a login, and get another name at the next one. */
const OF_A_LOGIN = /^(?:session-.*|run-.*|user@.*|init)\.(?:scope|service)$/

/** Units as a policy may name them: none where one of them is gone with a login, since there may be others then. */
export function lastingUnits(units: readonly string[]): readonly string[] {
  return units.some((unit) => OF_A_LOGIN.test(unit)) ? [] : units
}
