import { describe, test } from 'vitest'

/** The cause of a skipped test, in its metadata, where the table of skipped tests finds it. */
declare module 'vitest' {
  interface TaskMeta {
    skipped?: string
  }
}

// `skipIf` takes the cause for which a test is skipped, a text such as "needs root", and keeps it with the test.
Object.assign(test, { skipIf: (cause: unknown) => (cause ? withCause(test.skip, cause) : test) })
Object.assign(describe, { skipIf: (cause: unknown) => (cause ? withCause(describe.skip, cause) : describe) })

type Declare = (...args: never[]) => unknown

/** What declares skipped tests, such that each of them, or each of a table of them, has this cause. */
function withCause<F extends Declare>(declare: F, cause: unknown): F {
  return new Proxy(declare, {
    apply: (target, self, args) => Reflect.apply(target, self, withMeta(args, cause)),
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key)
      if ((key !== 'each' && key !== 'for') || !isDeclare(member)) return member
      return (...table: never[]) => {
        const declareEach = member.apply(target, table)
        return isDeclare(declareEach) ? withCause(declareEach, cause) : declareEach
      }
    },
  })
}

function isDeclare(value: unknown): value is Declare {
  return typeof value === 'function'
}

/** The arguments of a declaration: a name, then options and a function, or a function and a time limit. */
function withMeta([name, ...rest]: readonly unknown[], cause: unknown): readonly unknown[] {
  const body = rest.find((argument) => typeof argument === 'function')
  const options = rest.find((argument) => typeof argument === 'object')
  const meta = typeof cause === 'string' ? { skipped: cause } : {}
  return [name, { ...options, meta }, body]
}
