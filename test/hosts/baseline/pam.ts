import type { Rule } from './rule.ts'

const PROFILE = `Name: faillock is asked
Default: no
Priority: 1024
Auth-Type: Primary
Auth:
	requisite pam_faillock.so preauth
Account-Type: Primary
Account:
	required pam_faillock.so
`

const LOCKING = { deny: ['3', '9'], unlock_time: ['900', '60'], even_deny_root: ['true', 'false'] } as const

/** What every setting of faillock in the baseline asks for. */
const SOUND = String.raw`deny = 3\nunlock_time = 900\neven_deny_root = true\n`

/** A difference of a setting of faillock in the file that only one service has its module read. */
export const LOCKED_APART = (name: keyof typeof LOCKING): Rule['drift'][number] => {
  const [, wrong] = LOCKING[name]
  return ['value', wrong, `lines with conf=/etc/security/${name}.conf`]
}

/** A value of pam_faillock, in a file of its own for each, with a service that calls the module. */
function locking(name: keyof typeof LOCKING): Rule {
  const [right, wrong] = LOCKING[name]
  const conf = `/etc/security/${name}.conf`
  return {
    type: 'pam',
    name: `locking-${name}`,
    properties: {
      type: 'auth',
      module: 'pam_faillock',
      with: ['preauth'],
      required: true,
      before: 'pam_unix',
      arguments: { [name]: right },
    },
    prepare: `printf '%s\n' 'auth required pam_faillock.so preauth conf=${conf}' 'auth required pam_unix.so' > /etc/pam.d/locking-${name}
      printf '${SOUND}' > ${conf}`,
    violation: `sed -i 's/^${name}.*/# &${wrong === 'false' ? '' : String.raw`\n${name} = ${wrong}`}/' ${conf}`,
    drift: [['arguments', wrong, name]],
  }
}

/** Modules that services must call, and what these go by. */
export const pam: readonly Rule[] = [
  {
    type: 'pam',
    name: 'common-account',
    properties: { type: 'account', module: 'pam_faillock', control_flag: 'required', required: true },
    prepare: `printf '%s' '${PROFILE}' > /usr/share/pam-configs/asked && pam-auth-update --package --enable asked`,
    violation: 'pam-auth-update --package --disable asked',
    drift: [['ensure', 'absent']],
  },
  locking('deny'),
  locking('unlock_time'),
  locking('even_deny_root'),
  {
    type: 'pam',
    name: '*',
    properties: {
      type: 'auth',
      module: 'pam_faillock',
      if_absent: 'compliant',
      arguments: { fail_interval: { at_least: 900 } },
    },
    prepare: `echo 'auth required pam_faillock.so preauth conf=/etc/security/own.conf' > /etc/pam.d/own
      echo 'auth required pam_faillock.so preauth' > /etc/pam.d/usual
      printf '${SOUND}' > /etc/security/own.conf`,
    violation: `echo 'fail_interval = 60' >> /etc/security/own.conf`,
    drift: [['arguments', '60', 'own fail_interval']],
  },
]
