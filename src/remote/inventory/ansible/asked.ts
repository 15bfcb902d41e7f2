import { findUnusable, type Variables } from './variables.ts'

/** A host with access to its connection variables. */
export interface AnsibleHost {
  readonly host: string
  readonly variables: Variables
  /** True if driftgate runs as root. */
  readonly isRoot: boolean
  /** Text of a variable; undefined if absent, or if unusable, which refuses the host. */
  readonly text: (name: string) => string | undefined
  /** Text of the last of these that is set, which is Ansible's precedence. */
  readonly last: (names: readonly string[]) => string | undefined
  /** Name of that variable; the first name if all are unset. */
  readonly given: (names: readonly [string, ...string[]]) => string
  /** Refuses the host: the variable, and the rest of a sentence about it. */
  readonly refuse: (name: string, why: string) => void
}

/** Wraps the variables of a host; `complain` receives refusals. */
export function askHost(
  { host, variables, isRoot }: Pick<AnsibleHost, 'host' | 'variables' | 'isRoot'>,
  complain: (why: string) => void,
): AnsibleHost {
  const refuse: AnsibleHost['refuse'] = (name, why) => complain(`${name} ${why}`)
  const text: AnsibleHost['text'] = (name) => {
    const value = variables.get(name)
    if (value === undefined || value === null) return undefined
    const why = findUnusable(value)
    if (why !== undefined) refuse(name, WHY_UNUSABLE[why])
    else if (typeof value === 'object') refuse(name, 'must be a string')
    else return value === '' ? undefined : String(value as string | number | boolean)
    return undefined
  }
  const last: AnsibleHost['last'] = (names) => {
    const given = names.findLast((name) => variables.has(name))
    return given === undefined ? undefined : text(given)
  }
  const given: AnsibleHost['given'] = (names) => names.findLast((name) => variables.has(name)) ?? names[0]
  return { host, variables, isRoot, text, last, given, refuse }
}

const WHY_UNUSABLE = {
  encrypted: 'is encrypted by ansible-vault, and driftgate has no password for it',
  template: 'is a template, which only Ansible evaluates: write the value itself',
}
