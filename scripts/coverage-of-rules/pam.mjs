// Modules in the stacks of PAM.
import { acceptanceOf, oneOf } from './acceptance.mjs'

export const pam = {
  kinds: ['pam'],
  translate({ os, title, params }) {
    const { module, tool, stacks, stack } = params
    if (tool !== undefined) return title.includes('in the active') ? ofProfile() : [ofAuthselect()]
    if (module === 'pam_faillock.so') return faillock(os, [stacks ?? stack].flat())
    if (params.file !== undefined) return [ofOptions(params)]
    const wanted = argumentsOf(params)
    const places = placesOf(os, params)
    // A module that must not do something may be missing.
    const mayBeMissing = params.argument_absent !== undefined
    return places.map(([name, type]) =>
      resource(name, {
        type,
        module,
        ...(wanted === undefined ? {} : { arguments: wanted }),
        ...(mayBeMissing ? { if_absent: 'compliant' } : {}),
      }),
    )
  },
}

/** Whether the module may be missing is always said: a rule that allows it is not to loosen one that does not. */
function resource(name, properties) {
  return { type: 'pam', name, properties: { if_absent: 'drift', ...properties } }
}

/** authselect says itself whether a profile is selected and its files are as it wrote them. */
function ofAuthselect() {
  return { type: 'command', name: 'authselect', properties: { command: 'authselect check' } }
}

/** What the profiles of authselect write, which is what counts. */
function ofProfile() {
  const modules = [
    ['auth', 'pam_faillock.so'],
    ['password', 'pam_pwquality.so'],
    ['password', 'pam_pwhistory.so'],
    ['password', 'pam_unix.so'],
  ]
  return ['system-auth', 'password-auth'].flatMap((name) =>
    modules.map(([type, module]) => resource(name, { type, module })),
  )
}

/** The name of a stack, which rules give with its path and, for several systems, with bars. */
function stackOf(os, written) {
  const names = written.replace('/etc/pam.d/', '').split('|')
  return names.find((name) => name.startsWith('common-') === isDebian(os)) ?? names[0]
}

function isDebian(os) {
  return !os.startsWith('rhel')
}

/** Which stack for which type: a shared stack of Debian is for one type, one of Red Hat for all of them. */
function placesOf(os, { stacks, stack, type, argument, argument_absent: absent }) {
  const passwords = isDebian(os) ? ['common-password'] : ['system-auth', 'password-auth']
  const names = [stacks ?? stack ?? passwords].flat().map((name) => stackOf(os, name))
  return names.flatMap((name) => {
    const own = /^common-(\w+)$/.exec(name)?.[1]
    const types = own === undefined ? typesOf({ type, argument, absent }) : [own]
    return types.map((each) => [name, each])
  })
}

/** Empty passwords are accepted at a login and when a password is changed; all other arguments are about changing. */
function typesOf({ type, absent }) {
  if (type !== undefined) return [type]
  return absent === 'nullok' ? ['auth', 'password'] : ['password']
}

const SCHEMES = ['sha512', 'yescrypt']

function argumentsOf({ argument, argument_absent: absent, op, value }) {
  if (absent !== undefined) return { [absent]: false }
  if (argument === undefined) return undefined
  if (argument.split('|').every((name) => SCHEMES.includes(name))) return { hash: oneOf(argument) }
  return { [argument]: op === undefined ? true : acceptanceOf(op, value) }
}

const OPERATORS = { equals: '=', 'greater than or equal': '>=', 'less than or equal': '<=' }

function ofOptions({ file, type, control, module, arguments: wanted }) {
  const given = wanted.map(({ argument, op, value }) => [
    argument,
    op === undefined ? true : acceptanceOf(OPERATORS[op], value),
  ])
  return resource(file.replace('/etc/pam.d/', ''), {
    type,
    module,
    control_flag: control,
    arguments: Object.fromEntries(given),
  })
}

/** It has to be asked before the password, to count what was wrong, and to be asked for the account. */
function faillock(os, stacks) {
  const module = 'pam_faillock.so'
  const other = 'pam_unix.so'
  const names = stacks.map((name) => stackOf(os, name))
  const of = (type) => names.filter((name) => !name.startsWith('common-') || name === `common-${type}`)
  return [
    ...of('auth').map((name) =>
      resource(name, { type: 'auth', module, with: ['preauth'], required: true, before: other }),
    ),
    ...of('auth').map((name) => resource(name, { type: 'auth', module, with: ['authfail'], catches: other })),
    ...of('account').map((name) => resource(name, { type: 'account', module })),
  ]
}
