/** Opens subjects on first use and caches them. */
export interface OpenedSubjects<Subject> {
  readonly open: (subject: Subject) => object
  readonly forget: (touched?: readonly string[]) => void
}

interface Forgetful {
  forget?: (touched?: readonly string[]) => void
}

/** The identity of a subject, equal in all copies of a package. */
interface Named {
  readonly name: string
  readonly version?: string
}

/** Caches the result of `open` for each subject, by name and version. */
export function openSubjects<Subject extends Named>(open: (subject: Subject) => object): OpenedSubjects<Subject> {
  const opened = new Map<string, Forgetful>()
  return {
    open(subject) {
      const key = `${subject.name}@${subject.version ?? ''}`
      const known = opened.get(key)
      if (known !== undefined) return known
      const reader = open(subject)
      opened.set(key, reader)
      return reader
    },
    forget(touched) {
      for (const reader of opened.values()) reader.forget?.(touched)
    },
  }
}
