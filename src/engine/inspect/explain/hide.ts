import type { Redacted } from '../../../model/drift.ts'
import { withoutUrlSecrets } from '../../../model/url-secrets.ts'
import type { Redactor } from '../../../policy/secrets/redactor.ts'
import { formatGoValue, fromPlain, type GoValue, toPlain } from '../../../templates/govalue/index.ts'
import { redactValue } from '../../../policy/secrets/redact-value.ts'
import type { ExplainedValue } from './model.ts'

/** Display of a resource's values. */
export interface Hiding {
  /** Redacts every secret in a value. */
  readonly shown: (value: GoValue) => ExplainedValue
  /** Hides a value as a whole. */
  readonly hidden: (value: GoValue) => Redacted
  readonly text: (text: string) => string
}

/** Redacts the secrets known to the redactor. */
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

/** Like `shown`, for plain data. */
export function shownPlain(value: unknown, { shown }: Hiding): ExplainedValue {
  return shown(fromPlain(value))
}
