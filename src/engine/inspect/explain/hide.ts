import type { Redacted } from '../../../model/drift.ts'
import { withoutUrlSecrets } from '../../../model/url-secrets.ts'
import type { Redactor } from '../../../policy/secrets/redactor.ts'
import { formatGoValue, fromPlain, type GoValue, toPlain } from '../../../templates/govalue/index.ts'
import { redactValue } from '../../../policy/secrets/redact-value.ts'
import type { ExplainedValue } from './model.ts'

/** How the values of a resource are shown. */
export interface Hiding {
  /** A value with every secret in it replaced. */
  readonly shown: (value: GoValue) => ExplainedValue
  /** A value hidden as a whole. */
  readonly hidden: (value: GoValue) => Redacted
  readonly text: (text: string) => string
}

/** Hides what the redactor knows to be a secret. */
export function hidingWith(redactor: Redactor): Hiding {
  return {
    shown(value) {
      if (typeof value !== 'string') return toPlain(redactValue(value, redactor))
      const address = withoutUrlSecrets(value)
      return redactor.value(address)
    },
    hidden: (value) => redactor.hide(formatGoValue(value)),
    text: redactor.text,
  }
}

/** As `shown`, of plain data. */
export function shownPlain(value: unknown, { shown }: Hiding): ExplainedValue {
  return shown(fromPlain(value))
}
