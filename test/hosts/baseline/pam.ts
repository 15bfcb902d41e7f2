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

/** A value of pam_faillock, in a file of its own for each, with a service that calls the module. */
function locking(name: keyof typeof LOCKING): Rule {
  const [right, wrong] = LOCKING[name]
  const conf = `/etc/security/${name}.conf`
  const written = (value: string): string => (value === 'true' ? name : value === 'false' ? '' : `${name} = ${value}`)
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
    prepare: `printf '%s\\n' 'auth required pam_faillock.so preauth conf=${conf}' 'auth required pam_unix.so' > /etc/pam.d/locking-${name}
      echo '${written(right)}' > ${conf}`,
    violation: `echo '# ${written(right)}' > ${conf}; echo '${written(wrong)}' >> ${conf}`,
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
    prepare: `echo 'auth required pam_faillock.so preauth conf=/etc/security/own.conf' > /etc/pam.d/own`,
    violation: `echo 'fail_interval = 60' > /etc/security/own.conf`,
    drift: [['arguments', '60', 'own fail_interval']],
  },
]
