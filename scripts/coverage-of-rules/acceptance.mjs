// Values and operators of rules as acceptances.

/** One value or one of several; a rule writes several as a list or with bars. */
export function oneOf(value) {
  const values = typeof value === 'string' && value.includes('|') ? value.split('|') : [value].flat()
  return values.length === 1 ? String(values[0]) : { one_of: values.map(String) }
}

/** What an operator of the rules accepts, or undefined for one that has no word. */
export function acceptanceOf(operator = '=', value) {
  switch (operator) {
    case '=':
    case 'one-of':
      return oneOf(value)
    case '<=':
      return { at_most: value }
    case '>=':
      return { at_least: value }
    case 'between':
      return { at_least: value[0], at_most: value[1] }
    default:
      return undefined
  }
}
