import type { Remediator, WritableSubject } from './remediator.ts'
import type { ReadableSubject, Target } from './target.ts'

/** Opens subjects on first use and keeps them. */
export interface OpenedSubjects<Subject> {
  readonly open: (subject: Subject) => object
  readonly forget: (touched?: readonly string[]) => void
}

interface Forgetful {
  forget?: (touched?: readonly string[]) => void
}

/** Keeps what `open` makes of each subject. */
export function openSubjects<Subject extends object>(open: (subject: Subject) => object): OpenedSubjects<Subject> {
  const opened = new Map<Subject, Forgetful>()
  return {
    open(subject) {
      const known = opened.get(subject)
      if (known !== undefined) return known
      const reader = open(subject)
      opened.set(subject, reader)
      return reader
    },
    forget(touched) {
      for (const reader of opened.values()) reader.forget?.(touched)
    },
  }
}

/** The target with another reader of a subject. */
export function withReader<Reader extends object>(
  target: Target,
  subject: ReadableSubject<Reader>,
  reader: Reader,
): Target {
  const forgetful: Forgetful = reader
  return {
    ...target,
    open: (other) => (Object.is(other, subject) ? (reader as never) : target.open(other)),
    forget(touched) {
      target.forget(touched)
      forgetful.forget?.(touched)
    },
  }
}

/** The remediator with another writer of a subject. */
export function withWriter<Writer extends object>(
  remediator: Remediator,
  subject: WritableSubject<Writer>,
  writer: Writer,
): Remediator {
  return { ...remediator, open: (other) => (Object.is(other, subject) ? (writer as never) : remediator.open(other)) }
}
