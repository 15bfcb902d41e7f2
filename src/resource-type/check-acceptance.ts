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

/** What is wrong with a value that an acceptance names, or with one that stands alone: the end of a sentence that starts with it. */
export function valueProblem(order: OrderName, value: unknown): string | undefined {
  const read = CHECKS[order].read?.(String(value))
  return read !== undefined && 'problem' in read ? read.problem : undefined
}

/** What is wrong with an acceptance whose values are right one by one: the end of a sentence that starts with the property. */
export function wholeProblem(order: OrderName, acceptance: Acceptance<unknown>): string | undefined {
  const pattern = [acceptance.matches, acceptance.not_matches].find((each) => each !== undefined && !isPattern(each))
  if (pattern !== undefined) return 'has a pattern that is no regular expression (RE2)'
  const { read, orders } = CHECKS[order]
  const meant = mapAcceptance(acceptance, (value) => {
    const found = read?.(String(value))
    return found !== undefined && 'value' in found ? found.value : value
  })
  // Where the order is not known yet, a contradiction is one only if it is one in all of them.
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
  /** What counts of a text, or what is wrong with it. */
  readonly read?: (text: string) => { readonly value: unknown } | { readonly problem: string }
  readonly orders: readonly ValueOrder<unknown, unknown>[]
}

const isMatch = (value: unknown, pattern: string): boolean => matchesWhole(String(value), pattern)

/** An order of values of one kind as one of the values that `read` and the decoding of the property made. */
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
  // Which order it is follows from the key, which the type knows.
  setting: { orders: [] },
  number: { orders: [anyOrder(NUMBERS)] },
  size: {
    orders: [anyOrder(NUMBERS)],
    read(text) {
      const value = parseSize(text)
      return value === undefined ? { problem: 'is no size: write "500MB" or "2GiB"' } : { value }
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
              'is no version: it starts with a letter or digit, has a digit, and no other characters than ._+:~^-',
          },
  },
  mode: { orders: [anyOrder(MODES)], read: parseMode },
  list: { orders: [anyOrder(LISTS)] },
  set: { orders: [anyOrder(SETS)] },
}
