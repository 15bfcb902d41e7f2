import type { Awaitable } from '../../resource-type/define.ts'

/** Continues synchronously with a value that is ready, so that small local reads cost no turn of the event loop. */
export function andThen<From, To>(value: Awaitable<From>, next: (value: From) => Awaitable<To>): Awaitable<To> {
  return value instanceof Promise ? value.then(next) : next(value)
}
