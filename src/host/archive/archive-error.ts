/** An archive that is refused or damaged. The message is the end of a sentence about the archive. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

const LONGEST_NAME = 120

/** An error for an entry: "entry "../x" …", with the name quoted and control characters escaped. */
export function refuseEntry(name: string, reason: string): ArchiveError {
  const shown = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name
  return new ArchiveError(`entry ${JSON.stringify(shown)} ${reason}`)
}
