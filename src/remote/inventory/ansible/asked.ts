import { unusable, type Variables } from './variables.ts'

/** A host whose variables are asked how it is reached. */
export interface AnsibleHost {
  readonly host: string
  readonly variables: Variables
  /** Whether driftgate runs as root. */
  readonly isRoot: boolean
  /** The text of a variable; undefined if absent or unknown, in which case the host is refused. */
  readonly text: (name: string) => string | undefined
  /** The text of the last of these that is given: that is how Ansible chooses among several names of an option. */
  readonly last: (names: readonly string[]) => string | undefined
  /** Which of them that is; the first where none is given. */
  readonly given: (names: readonly [string, ...string[]]) => string
  /** Says why the host cannot be looked at as its inventory has it: the variable and the rest of a sentence about it. */
  readonly refuse: (name: string, why: string) => void
}

/** A host whose variables can be asked; `complain` is told what refuses it. */
export function askHost(
  { host, variables, isRoot }: Pick<AnsibleHost, 'host' | 'variables' | 'isRoot'>,
  complain: (why: string) => void,
): AnsibleHost {
  const refuse: AnsibleHost['refuse'] = (name, why) => complain(`${name} ${why}`)
  const text: AnsibleHost['text'] = (name) => {
    const value = variables.get(name)
    if (value === undefined || value === null) return undefined
    const why = unusable(value)
    if (why !== undefined) refuse(name, WHY_UNUSABLE[why])
    else if (typeof value === 'object') refuse(name, 'must be a text')
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
  encrypted: 'is encrypted by ansible-vault, which driftgate has no password for',
  template: 'is a template, which Ansible alone evaluates: write the value itself',
}
