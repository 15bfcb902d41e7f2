// What sshd goes by, for all connections.

export const sshd = {
  kinds: ['sshd'],
  translate({ title, params: { parameter, op, value, any_of: keywords } }) {
    if (keywords !== undefined) {
      const members = keywords.map((each) => [`sshd:${each}`, 'present'])
      return [{ type: 'setting', name: title, properties: { any_of: Object.fromEntries(members) } }]
    }
    if (op !== undefined) return [of(parameter, namesOf(value))]
    return [of(parameter, AT_MOST.has(parameter) ? { at_most: String(value) } : acceptedOf(parameter, value))]
  },
}

/** Of these less is fine, and a surface knows where 0 is never. */
const AT_MOST = new Set([
  'ClientAliveInterval',
  'ClientAliveCountMax',
  'LoginGraceTime',
  'MaxAuthTries',
  'MaxSessions',
  'MaxStartups',
])

function acceptedOf(parameter, value) {
  // What says more says that, too.
  return parameter === 'LogLevel'
    ? { one_of: [String(value), ...(value === 'INFO' ? ['VERBOSE'] : [])] }
    : String(value)
}

/** None but these algorithms; behind a leading minus none of them. */
function namesOf(value) {
  const text = [value].flat().join(',')
  return text.startsWith('-') ? { excludes: text.slice(1).split(',') } : { at_most: text }
}

function of(parameter, value) {
  return { type: 'setting', name: `sshd:${parameter}`, properties: { value } }
}
