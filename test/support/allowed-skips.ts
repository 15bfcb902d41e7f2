import type { AllowedSkip } from './skip-reporter.ts'

/** What CI skips, too: what no Debian package brings, and what its kernel or its container does not have. */
export const ALLOWED_SKIPS: readonly AllowedSkip[] = []
