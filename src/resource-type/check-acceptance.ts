import { type Acceptance, acceptanceProblem, mapAcceptance, type ValueOrder } from '../model/acceptance.ts'
import { accountIdProblem } from '../model/account-id.ts'
import { FIELDS } from '../model/fields.ts'
import { parseMode } from '../model/mode.ts'
import { parseSize } from '../model/size.ts'
import {
  DEBIAN_VERSIONS,
  EQUAL_OR_NOT,
  LINES,
  LISTS,
  MODES,
  NUMBERS,
  type OrderName,
  RPM_VERSIONS,
  SETS,
} from '../model/value-orders.ts'
import { checkPattern } from '../templates/expr/regex.ts'
import { TemplateError } from '../templates/errors.ts'
import { matchesWhole } from './text-order.ts'

/** The problem of a value in an acceptance, or of a plain value, as the end of a sentence that starts with the value. */
export function valueProblem(order: OrderName, value: unknown): string | undefined {
  const read = CHECKS[order].read?.(String(value))
  return read !== undefined && 'problem' in read ? read.problem : undefined
}

/** The contradiction in an acceptance whose values are all valid, as the end of a sentence that starts with the property. */
export function wholeProblem(order: OrderName, acceptance: Acceptance<unknown>): string | undefined {
  const pattern = [acceptance.matches, acceptance.not_matches].find((each) => each !== undefined && !isPattern(each))
  if (pattern !== undefined) return 'has a pattern that is not a regular expression (RE2)'
  const { read, orders } = CHECKS[order]
  const meant = mapAcceptance(acceptance, (value) => {
    const found = read?.(String(value))
    return found !== undefined && 'value' in found ? found.value : value
  })
  // If several orders are possible, only a contradiction in all of them is a problem.
  const problems = orders.map((each) => acceptanceProblem(each, meant))
  return problems.includes(undefined) ? undefined : problems[0]
}

function isPattern(pattern: string): boolean {
  try {
    checkPattern(pattern)
    return true
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return false
  }
}

interface Check {
  /** Parses the text; a problem if it is invalid. */
  readonly read?: (text: string) => { readonly value: unknown } | { readonly problem: string }
  readonly orders: readonly ValueOrder<unknown, unknown>[]
}

const isMatch = (value: unknown, pattern: string): boolean => matchesWhole(String(value), pattern)

/** Erases the value type: `read` and the decoding of the property produce the values that the order expects. */
function anyOrder<Value, Item>(order: ValueOrder<Value, Item>): ValueOrder<unknown, unknown> {
  return { isMatch, ...order } as ValueOrder<unknown, unknown>
}

const CHECKS: Readonly<Record<OrderName, Check>> = {
  text: { orders: [anyOrder(EQUAL_OR_NOT)] },
  lines: { orders: [anyOrder(LINES)] },
  account: {
    orders: [anyOrder(EQUAL_OR_NOT)],
    read(text) {
      const problem = accountIdProblem(text)
      return problem === undefined ? { value: text } : { problem }
    },
  },
  fields: { orders: [anyOrder(FIELDS)] },
  // The order depends on the key, which only the type knows.
  setting: { orders: [] },
  number: { orders: [anyOrder(NUMBERS)] },
  size: {
    orders: [anyOrder(NUMBERS)],
    read(text) {
      const value = parseSize(text)
      return value === undefined ? { problem: 'is not a size: write "500MB" or "2GiB"' } : { value }
    },
  },
  duration: { orders: [anyOrder(NUMBERS)] },
  version: {
    orders: [anyOrder(DEBIAN_VERSIONS), anyOrder(RPM_VERSIONS)],
    read: (text) =>
      /^[A-Za-z0-9][A-Za-z0-9._+:~^-]*$/.test(text) && /[0-9]/.test(text)
        ? { value: text }
        : {
            problem:
              'is not a version: it must start with a letter or digit, contain a digit, and use only letters, digits and ._+:~^-',
          },
  },
  mode: { orders: [anyOrder(MODES)], read: parseMode },
  list: { orders: [anyOrder(LISTS)] },
  set: { orders: [anyOrder(SETS)] },
}
