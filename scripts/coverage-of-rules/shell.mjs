// What shells have at their first prompt. A rule that names files means the shells that read them.

export const shell = {
  kinds: ['shell-env'],
  translate({ params: { key, op, value, file, files, also, nonzero } }) {
    if (key === 'umask' && op === 'at-least-as-restrictive') {
      return [of('shell:umask', { at_least: String(value) }, shellsReading(file ?? files))]
    }
    if (key !== 'TMOUT' || op !== '<=' || nonzero !== true) return undefined
    return [
      of('shell:TMOUT', { at_least: 1, at_most: value }, 'login'),
      ...also.map((each) => of(`shell:TMOUT.${WORDS[each]}`, 'yes', 'login')),
    ]
  },
}

const WORDS = { readonly: 'readonly', export: 'exported' }

function shellsReading(files) {
  const named = [files].flat().join(' ')
  if (named.includes('/root/')) return 'root'
  return named.includes('/etc/profile') ? 'login' : 'interactive'
}

/** Of one key there may be a rule for each kind of shell. */
function of(name, value, match) {
  return { type: 'setting', name, properties: { value, match }, scope: match }
}
