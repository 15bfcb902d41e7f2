import type { AllowedSkip } from './skip-reporter.ts'

/** The cause where a package cannot be installed. */
export const NO_REGISTRY = 'needs a registry of packages'

/** What CI may skip: what no package brings that `npm run test:all` installs, and what its kernel may be built without. */
export const ALLOWED_SKIPS: readonly AllowedSkip[] = [
  {
    cause: 'needs docker',
    because: 'its package would start a daemon',
  },
  { cause: NO_REGISTRY, because: 'a registry may be out of reach for a while' },
  { cause: 'needs kubectl', because: 'Debian has no package of it' },
  { cause: 'needs Go', because: 'Goss is built with it from source; its recorded answers are tested everywhere' },
  { cause: 'needs /proc/config.gz', because: 'not every kernel shows how it was built' },
  { cause: 'needs to see threads of the kernel', because: 'a container shows none' },
]
