import type { Remediator, WritableSubject } from '../../src/host/remediator.ts'
import type { ReadableSubject, Target } from '../../src/host/target.ts'

type Pair = readonly [subject: object, made: object]

export function reading<Reader extends object>(subject: ReadableSubject<Reader>, reader: Reader): Pair {
  return [subject, reader]
}

export function writing<Writer extends object>(subject: WritableSubject<Writer>, writer: Writer): Pair {
  return [subject, writer]
}

/** Opens these subjects, and others as `base` does. */
export function opening<Base extends Pick<Target, 'open'> | Pick<Remediator, 'open'>>(
  base: Base,
  ...pairs: readonly Pair[]
): Base['open'] {
  const made = new Map(pairs)
  return ((subject: never) => made.get(subject) ?? base.open(subject)) as Base['open']
}

/** Opens these subjects alone. */
export function openingOnly(pairs: readonly Pair[]): (subject: { readonly name: string }) => never {
  const made = new Map(pairs)
  return (subject) => {
    const found = made.get(subject)
    if (found === undefined) throw new Error(`the machine of this test has no ${subject.name}`)
    return found as never
  }
}
