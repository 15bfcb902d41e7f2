import { createHash } from 'node:crypto'
import { countOf } from '../../model/count-of.ts'
import { formatMode } from '../../model/mode.ts'
import { known } from '../../model/observation.ts'
import type { FileAttributes } from '../../host/remediator.ts'
import type { UndoHandler } from '../../host/undo-handler.ts'

/** A text file; null if absent. */
type RecordsState = { readonly text: string; readonly attributes: FileAttributes } | null

/**
 * Files such as /etc/passwd, with a record in each line, whose first field names it. What others have done to other records since is
 * no conflict and stays, so that no user loses a changed password.
 */
export const records: UndoHandler<RecordsState> = {
  async look(target, name) {
    const seen = target.files.stat(name)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'absent') return known(null)
    const text = target.probe.readText(name)
    if (text.kind === 'unknown') return text
    const { uid, gid, mode } = seen.state
    return known(text.value === null ? null : { text: text.value, attributes: { uid, gid, mode } })
  },
  // The text may hold hashes of passwords.
  describe: (state) => (state === null ? 'absent' : countOf(linesOf(state.text).length, 'record')),
  detail: (state, others) =>
    state === null
      ? ''
      : [
          `${formatMode(state.attributes.mode)} ${state.attributes.uid}:${state.attributes.gid}`,
          ...differingNames(others).map((name) => `${name}: ${recordInWords(recordOf(state.text, name))}`),
        ].join(', '),
  conflict({ before, after, now }) {
    if (after === undefined || before === null || after === null || now === null) return undefined
    const other = changedNames(before.text, after.text).filter(
      (name) => recordOf(now.text, name) !== recordOf(after.text, name),
    )
    return other.length === 0 ? undefined : `the record of ${other.join(', ')} was changed since`
  },
  merges: true,
  async putBack(name, { before, after, now }, { remediator }) {
    if (before === null || now === null) return { kind: 'failed', message: `${name} no longer exists` }
    const text = mergeTexts({ before: before.text, after: after?.text ?? now.text, now: now.text })
    return remediator.writeFile(name, { kind: 'bytes', bytes: Buffer.from(text) }, now.attributes)
  },
}

/** The records that are not the same in all of these states. */
function differingNames(states: readonly RecordsState[]): readonly string[] {
  const texts = states.flatMap((state) => (state === null ? [] : [state.text]))
  const [first = '', ...rest] = texts
  return [...new Set(rest.flatMap((text) => changedNames(first, text)))]
}

/** A hash of a password is told from another one by its digest alone. */
function recordInWords(record: string | undefined): string {
  if (record === undefined) return 'absent'
  const [, secret = '', ...fields] = record.split(':')
  const isHash = secret.length > 2
  const digest = createHash('sha256').update(secret).digest('hex').slice(0, 8)
  return [isHash ? `(hash ${digest})` : secret, ...fields].join(':')
}

interface Texts {
  readonly before: string
  readonly after: string
  readonly now: string
}

/** The text as it is now, with the records that a change has made, altered or taken away as they were before it. */
function mergeTexts({ before, after, now }: Texts): string {
  if (now === after) return before
  const changed = new Set(changedNames(before, after))
  const kept = linesOf(now).flatMap((line) => {
    const name = nameOf(line)
    return changed.has(name) ? (recordOf(before, name) ?? []) : [line]
  })
  const present = new Set(kept.map(nameOf))
  const missing = linesOf(before).filter((line) => changed.has(nameOf(line)) && !present.has(nameOf(line)))
  return [...kept, ...missing].map((line) => `${line}\n`).join('')
}

function changedNames(before: string, after: string): readonly string[] {
  const names = new Set([...linesOf(before), ...linesOf(after)].map(nameOf))
  return [...names].filter((name) => recordOf(before, name) !== recordOf(after, name))
}

function recordOf(text: string, name: string): string | undefined {
  return linesOf(text).find((line) => nameOf(line) === name)
}

function linesOf(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n')
}

function nameOf(line: string): string {
  return line.split(':', 1)[0] ?? ''
}
