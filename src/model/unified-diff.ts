export interface DiffLimits {
  /** Unchanged lines shown around each change. */
  readonly contextLines: number
  /** Lines of output, including headers; a last line counts the others. */
  readonly maxLines: number
}

export const DEFAULT_DIFF_LIMITS: DiffLimits = { contextLines: 3, maxLines: 200 }

// The search takes time and memory quadratic in the number of edits; beyond this limit the text is shown as replaced.
const MAX_EDITS = 1000

const NO_NEWLINE = '\\ No newline at end of file'

type Edit = { readonly kind: ' ' | '-' | '+'; readonly line: string }

/**
 * The unified diff of two texts, in the format of `diff -u` with the headers `observed` and `desired`; empty if the
 * texts are equal. Applied to `observed` it gives `desired`, unless it was cut at `maxLines`.
 */
export function unifiedDiff(observed: string, desired: string, limits: DiffLimits = DEFAULT_DIFF_LIMITS): string {
  if (observed === desired) return ''
  const edits = editScript(splitLines(observed), splitLines(desired))
  const lines = ['--- observed', '+++ desired', ...hunks(edits, limits.contextLines).flatMap(renderHunk)]
  const hidden = lines.length - limits.maxLines
  const shown = hidden > 0 ? [...lines.slice(0, limits.maxLines), `... ${hidden} more lines`] : lines
  return `${shown.join('\n')}\n`
}

/** Lines keep their line feed, so a last line without one differs from the same line with one. */
function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

function editScript(before: readonly string[], after: readonly string[]): Edit[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  const room = Math.min(before.length, after.length) - start
  while (end < room && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  const middleBefore = before.slice(start, before.length - end)
  const middleAfter = after.slice(start, after.length - end)
  const middle = shortestEdits(middleBefore, middleAfter) ?? [
    ...toEdits('-', middleBefore),
    ...toEdits('+', middleAfter),
  ]
  return [...toEdits(' ', before.slice(0, start)), ...middle, ...toEdits(' ', before.slice(before.length - end))]
}

function toEdits(kind: Edit['kind'], lines: readonly string[]): Edit[] {
  return lines.map((line) => ({ kind, line }))
}

/** A shortest edit script, or undefined beyond the limit. @see Myers, "An O(ND) Difference Algorithm" (1986) */
function shortestEdits(before: readonly string[], after: readonly string[]): Edit[] | undefined {
  const most = Math.min(MAX_EDITS, before.length + after.length)
  const offset = most + 1
  const furthest = new Int32Array(2 * most + 3)
  const trace: Int32Array[] = []
  for (let edits = 0; edits <= most; edits++) {
    trace.push(furthest.slice(offset - edits - 1, offset + edits + 2))
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const left = numberAt(furthest, offset + diagonal - 1)
      const right = numberAt(furthest, offset + diagonal + 1)
      let x = diagonal === -edits || (diagonal !== edits && left < right) ? right : left + 1
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++
      furthest[offset + diagonal] = x
      if (x >= before.length && x - diagonal >= after.length) return walkBack(before, after, trace)
    }
  }
  return undefined
}

/** Reads the path from its end: `trace[n]` has the furthest points before edit n, on the diagonals -n-1 to n+1. */
function walkBack(before: readonly string[], after: readonly string[], trace: readonly Int32Array[]): Edit[] {
  const reversed: Edit[] = []
  let x = before.length
  let y = after.length
  for (const [edits, points] of [...trace.entries()].reverse()) {
    const diagonal = x - y
    const middle = edits + 1
    const left = numberAt(points, middle + diagonal - 1)
    const right = numberAt(points, middle + diagonal + 1)
    const insert = diagonal === -edits || (diagonal !== edits && left < right)
    const fromX = insert ? right : left
    const fromY = fromX - (insert ? diagonal + 1 : diagonal - 1)
    const stopX = edits === 0 ? 0 : insert ? fromX : fromX + 1
    while (x > stopX) {
      reversed.push({ kind: ' ', line: text(before, --x) })
      y--
    }
    if (edits === 0) break
    reversed.push(insert ? { kind: '+', line: text(after, --y) } : { kind: '-', line: text(before, --x) })
    x = fromX
    y = fromY
  }
  return reversed.reverse()
}

interface Hunk {
  /** Lines of each side that come before the hunk. */
  readonly before: number
  readonly after: number
  readonly edits: readonly Edit[]
}

/** Groups changes with their context; changes whose contexts touch share a hunk. */
function hunks(edits: readonly Edit[], context: number): Hunk[] {
  const found: Hunk[] = []
  const changes = edits.flatMap((edit, index) => (edit.kind === ' ' ? [] : [index]))
  let position = 0
  let before = 0
  let after = 0
  for (let first = 0; first < changes.length;) {
    let last = first
    while (last + 1 < changes.length && numberAt(changes, last + 1) - numberAt(changes, last) <= 2 * context + 1) last++
    const from = Math.max(0, numberAt(changes, first) - context)
    for (; position < from; position++) {
      before++
      after++
    }
    const slice = edits.slice(from, numberAt(changes, last) + context + 1)
    found.push({ before, after, edits: slice })
    position += slice.length
    before += slice.filter(({ kind }) => kind !== '+').length
    after += slice.filter(({ kind }) => kind !== '-').length
    first = last + 1
  }
  return found
}

function renderHunk({ before, after, edits }: Hunk): string[] {
  const removed = edits.filter(({ kind }) => kind !== '+').length
  const added = edits.filter(({ kind }) => kind !== '-').length
  return [`@@ -${range(before, removed)} +${range(after, added)} @@`, ...edits.flatMap(renderEdit)]
}

/** The range format of diff: one line has no count, and an empty range names the line before it. */
function range(skipped: number, count: number): string {
  if (count === 1) return `${skipped + 1}`
  return `${count === 0 ? skipped : skipped + 1},${count}`
}

function renderEdit({ kind, line }: Edit): string[] {
  return line.endsWith('\n') ? [kind + line.slice(0, -1)] : [kind + line, NO_NEWLINE]
}

function numberAt(numbers: ArrayLike<number>, index: number): number {
  return numbers[index] ?? 0
}

function text(lines: readonly string[], index: number): string {
  return lines[index] ?? ''
}
