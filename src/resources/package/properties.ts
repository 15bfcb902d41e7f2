import { didYouMean } from '../../core/suggest.ts'
import type { PropertiesOf, Rule } from '../../core/property.ts'
import { defineProperties } from '../../resource-type/define.ts'

/** The words of `ensure` that are no version. */
const WORDS = ['present', 'absent', 'latest']

/** What a policy may say about a package. */
export const packageProperties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary: 'Name of the package; an architecture may follow after a colon, as in `libc6:i386`.',
  },
  ensure: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary:
      'Whether the package must be installed (`present`), must not be (`absent`), must be the newest that the local package index knows (`latest`), or must have this version.',
  },
})

/** The settled properties of one package resource. */
export type PackageProperties = PropertiesOf<typeof packageProperties>

/** What a shell would act on. No shell is used, but nobody means such a name. */
const DANGEROUS = /[;&|$`()[\]{}<>*?'"\\!\n\t\r]/

/** Conditions on the texts: a name or version never looks like an option, and never like a pattern. */
export const packageRules: readonly Rule<PackageProperties>[] = [
  { reads: ['name'], at: 'name', check: ({ name = '' }) => nameProblem(name) },
  { reads: ['ensure'], at: 'ensure', check: ({ ensure = '' }) => ensureProblem(ensure) },
]

function nameProblem(name: string): string | undefined {
  const shown = JSON.stringify(name)
  if (DANGEROUS.test(name)) return `package name contains dangerous characters: ${shown}`
  if (!/^[A-Za-z0-9._+:~-]*$/.test(name)) {
    return `package name contains invalid characters: ${shown} (allowed: alphanumeric, ._+:~-)`
  }
  if (!/^[A-Za-z0-9]/.test(name)) return `package name must begin with a letter or digit: ${shown}`
  if (!/^[^:]+(?::[a-z0-9_-]+)?$/.test(name)) {
    return `package name ${shown} must have at most one colon, followed by an architecture`
  }
  return undefined
}

function ensureProblem(ensure: string): string | undefined {
  if (WORDS.includes(ensure)) return undefined
  const shown = JSON.stringify(ensure)
  if (DANGEROUS.test(ensure)) return `package version/ensure contains dangerous characters: ${shown}`
  if (!/^[A-Za-z0-9._+:~^-]*$/.test(ensure)) {
    return `package version/ensure contains invalid characters: ${shown} (allowed: alphanumeric, ._+:~^-)`
  }
  if (!/^[A-Za-z0-9]/.test(ensure)) return `package version must begin with a letter or digit: ${shown}`
  if (/[0-9]/.test(ensure)) return undefined
  return `ensure ${shown} is neither present, absent or latest nor a version, which has a digit${didYouMean(ensure, WORDS)}`
}
