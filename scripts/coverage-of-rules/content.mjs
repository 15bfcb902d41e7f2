// Texts that people see before they log in: there if a rule wants it, and without anything that tells what system it is. And
// files that have to have a line.

/** What the name of the system is, by the profile. */
const SYSTEMS = { debian12: 'debian', debian13: 'debian', ubuntu2204: 'ubuntu', ubuntu2404: 'ubuntu', rhel9: 'red hat' }

export const content = {
  kinds: ['content'],
  translate({ os, params: { file, line, none_of: forbidden, must_be_set: isNeeded } }) {
    if (line !== undefined) return [resource(file, { includes: [line] }, 'drift')]
    if (forbidden === undefined) return undefined
    const escapes = forbidden.filter((text) => text.startsWith('\\')).map((text) => text.slice(1))
    const telling = `(?is:.*(\\\\[${escapes.join('')}]|${SYSTEMS[os]}).*)`
    return [
      resource(
        file,
        { not_matches: telling, ...(isNeeded ? { matches: '(?s:.*\\S.*)' } : {}) },
        isNeeded ? 'drift' : 'compliant',
      ),
    ]
  },
}

function resource(name, accepted, ifAbsent) {
  return { type: 'file', name, properties: { ensure: 'present', content: accepted, if_absent: ifAbsent } }
}
