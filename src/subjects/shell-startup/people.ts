import { known, type Reading } from '../../model/observation.ts'
import { startsSession } from '../shared/login-shell.ts'
import type { ConfigFiles } from '../../settings/surface.ts'

export const PASSWD = '/etc/passwd'

/** An account of a person or of root that may log in. */
export interface Person {
  readonly isRoot: boolean
  readonly gecos: string
  readonly shell: string
  /** Its line in /etc/passwd, counted from 1. */
  readonly line: number
}

/** The first uid of people in Debian and Red Hat. */
const FIRST_PERSON = 1000

/** The accounts of /etc/passwd with a shell. */
export function readPeople(files: ConfigFiles): Reading<readonly Person[]> {
  const passwd = files.text(PASSWD)
  if (passwd.kind === 'unknown') return passwd
  const lines = (passwd.value ?? '').split('\n')
  return known(
    lines.flatMap((text, index) => {
      const fields = /^[^#:+-][^:]*:[^:]*:(\d+):[^:]*:([^:]*):[^:]*:([^:]*)$/.exec(text)
      if (fields === null) return []
      const [, uid, gecos = '', named = ''] = fields
      const shell = named === '' ? '/bin/sh' : named
      const isRoot = Number(uid) === 0
      const isPerson = isRoot || Number(uid) >= FIRST_PERSON
      return isPerson && startsSession(shell) ? [{ isRoot, gecos, shell, line: index + 1 }] : []
    }),
  )
}
