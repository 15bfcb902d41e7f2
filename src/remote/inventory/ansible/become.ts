import type { AnsibleHost } from './asked.ts'

const TRUE = /^(?:y|yes|on|1|true|t|1\.0)$/i
const FALSE = /^(?:n|no|off|0|false|f|0\.0)$/i
const COLLECTION = /^(?:ansible\.builtin|community\.general)\./
const USER = /^(?:[A-Za-z_][\w.-]*\$?|#\d+)$/
/** Ansible's default flags for sudo and doas, which are irrelevant or implied here. */
const FLAG = /^(?:-H|-S|-n)$/

/** Parses an Ansible boolean; undefined if invalid. */
export function isYes(text: string): boolean | undefined {
  if (TRUE.test(text)) return true
  return FALSE.test(text) ? false : undefined
}

/** Command prefix for driftgate according to `ansible_become` and related variables; undefined without one. */
export function becomeOf(asked: AnsibleHost): readonly string[] | undefined {
  const wanted = asked.text('ansible_become')
  if (wanted === undefined) return undefined
  const isWanted = isYes(wanted)
  if (isWanted === undefined) asked.refuse('ansible_become', 'must be yes or no')
  if (isWanted !== true) return undefined
  const method = (asked.text('ansible_become_method') ?? 'sudo').replace(COLLECTION, '')
  if (method !== 'sudo' && method !== 'doas') {
    asked.refuse('ansible_become_method', `is ${method}, and driftgate supports sudo and doas only: use --become`)
    return undefined
  }
  const own = (what: string): string | undefined => asked.last([`ansible_become_${what}`, `ansible_${method}_${what}`])
  const user = own('user') ?? 'root'
  const program = own('exe') ?? method
  const flags = (own('flags') ?? '').split(/\s+/).filter((flag) => flag !== '')
  if (!USER.test(user)) asked.refuse('ansible_become_user', 'is not a user name')
  if (!/^[\w./+-]+$/.test(program) || program.startsWith('-'))
    asked.refuse('ansible_become_exe', 'is not a program name without spaces')
  if (!flags.every((flag) => FLAG.test(flag))) {
    asked.refuse(
      'ansible_become_flags',
      `has more than -H, -S and -n, which driftgate does not give to ${method}: scan it with --become`,
    )
  }
  // There is no terminal for a password prompt.
  return [program, '-n', ...(method === 'sudo' ? ['-H'] : []), ...(user === 'root' ? [] : ['-u', user])]
}
