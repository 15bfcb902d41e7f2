// Rules about accounts and groups.

export const account = {
  kinds: ['account'],
  translate({ params }) {
    if (params.group !== undefined) return [group(params)]
    if (params.user !== undefined) return user(params)
    return undefined
  },
}

function group({ group: name, members, primary_of: primary }) {
  const properties = { members, ...(primary === undefined ? {} : { primary_of: primary }) }
  return { type: 'group', name, properties, otherwise: { if_absent: 'compliant' } }
}

const PASSWORDS = { 'password-set': 'set', 'password-set-or-locked': { one_of: ['set', 'locked'] } }

function user({ user: name, gid, op }) {
  if (gid !== undefined) return [{ type: 'user', name, properties: { group: String(gid) } }]
  const password = PASSWORDS[op]
  return password === undefined ? undefined : [{ type: 'user', name, properties: { password } }]
}
