// Audit rules. A rule of a baseline says what has to be recorded; the one resource of it has a rule of auditctl for each part.

/** Conditions of two fields of an event are written with another option than those of a field and a value. */
const FIELDS = /^(?:[aefso]*[ug]id)(?:!=|=)(?:[aefso]*[ug]id)$/

function conditions(fields = []) {
  // A result is one of several: each has a rule of its own.
  const results = fields.filter((field) => field.startsWith('exit='))
  const others = fields
    .filter((field) => !results.includes(field))
    .map((field) => `${FIELDS.test(field) ? '-C' : '-F'} ${field}`)
  return results.length === 0 ? [others] : results.map((result) => [`-F ${result}`, ...others])
}

function keyOf(key) {
  return key === undefined ? [] : [`-k ${key}`]
}

function callRules({ arch, syscall, syscalls = [syscall], fields, key }) {
  return arch.flatMap((each) =>
    conditions(fields).map((words) =>
      ['-a always,exit', `-F arch=${each}`, `-S ${syscalls.join(',')}`, ...words, ...keyOf(key)].join(' '),
    ),
  )
}

function watchRules({ watch, perm, key }, os) {
  return [watch].flat().map((path) => [`-w ${placeFor(path, os)}`, `-p ${perm}`, ...keyOf(key)].join(' '))
}

/** A rule for several systems names the path of each. */
function placeFor(path, os) {
  const [first, last = first] = path.split('|')
  return os.startsWith('rhel') ? last : first
}

function rulesOf({ params, os }) {
  if (params.rule !== undefined) return [params.rule]
  if (params.path !== undefined) {
    const { path, perm, fields, key } = params
    return conditions(fields).map((words) =>
      ['-a always,exit', `-F path=${path}`, `-F perm=${perm}`, ...words, ...keyOf(key)].join(' '),
    )
  }
  const calls = params.syscall ?? params.syscalls
  const watched = params.watch === undefined ? [] : watchRules(params, os)
  return calls === undefined ? watched : [...callRules({ arch: ['b32', 'b64'], ...params }), ...watched]
}

/** A rule with a path that the shell of its authors replaces. */
function forEach({ id, params }) {
  if (!params.for_each.startsWith('set-uid or set-gid file')) return undefined
  const rules = [params.rule.replace('path=$f', 'path=PROGRAM').replace('$UID_MIN', 'UID_MIN')]
  return [{ type: 'audit_rule', name: id, properties: { set_id_below: '/', rules } }]
}

export const audit = {
  kinds: ['audit-rule'],
  translate(rule) {
    if (rule.params.for_each !== undefined) return forEach(rule)
    const rules = rulesOf(rule)
    if (rules === undefined || rules.length === 0) return undefined
    return [{ type: 'audit_rule', name: rule.id, properties: { rules } }]
  },
}
