import type { PackageDatabases } from './packages.ts'

/** How one package manager's packages may be called. */
interface Grammar {
  readonly pattern: RegExp
  /** The end of a sentence that begins with the name. */
  readonly rule: string
}

const GRAMMARS: Readonly<Record<keyof PackageDatabases, Grammar>> = {
  // Debian Policy 5.6.1 and dpkg-architecture(1).
  apt: {
    pattern: /^[a-z0-9][a-z0-9+.-]+(?::[a-z0-9][a-z0-9-]*)?$/,
    rule: 'a Debian package: use two or more lower-case letters, digits, +, - and ., the first a letter or digit',
  },
  // What rpmbuild takes. @see rpm-spec(5)
  dnf: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9._+-]*(?::[a-z0-9_]+)?$/,
    rule: 'an rpm package: use letters, digits, ., _, + and -, the first a letter or digit',
  },
}

/** Why a package manager can have no package of that name; undefined if it can. Names are what they are, also in case. */
export function managedNameProblem(manager: keyof PackageDatabases, name: string): string | undefined {
  const { pattern, rule } = GRAMMARS[manager]
  if (pattern.test(name)) return undefined
  const lower = name.toLowerCase()
  const advice = lower !== name && pattern.test(lower) ? `; did you mean "${lower}"?` : ''
  return `"${name}" is not a valid name of ${rule}${advice}`
}
