import { known } from '../../model/observation.ts'
import type { Format } from '../../settings/formats/format.ts'

const MARK = '# driftgate'

/** Lines of each key, in the required order; a variable that is already read-only is skipped. */
const LINES: Readonly<Record<string, (value: string) => string | undefined>> = {
  umask: (value) => (/^[0-7]{1,4}$/.test(value) ? `umask ${value}` : undefined),
  TMOUT: (value) => (/^\d+$/.test(value) ? `(TMOUT=${value}) 2> /dev/null && TMOUT=${value}` : undefined),
  'TMOUT.readonly': (value) => (value === 'yes' ? '[ -z "${TMOUT-}" ] || readonly TMOUT' : undefined),
  'TMOUT.exported': (value) => (value === 'yes' ? '[ -z "${TMOUT-}" ] || export TMOUT' : undefined),
}

/** Lines that driftgate manages in a shell file, marked by a comment. Other lines are not changed. */
export const ownLines: Format = {
  name: 'lines of a shell',
  hasSections: false,
  parse: () => known([]),
  set(text, { key }, [value = '']) {
    const line = LINES[key]?.(value)
    if (line === undefined) return { kind: 'refused', reason: `a fix does not write ${key} ${value}` }
    const lines = text.split('\n')
    const others = lines.filter((each) => keyIn(each) === undefined)
    const kept = new Map(
      lines.flatMap((each) => (keyIn(each) === undefined ? [] : [[keyIn(each) ?? '', each] as const])),
    )
    kept.set(key, `${line} ${MARK}: ${key}`)
    const own = Object.keys(LINES).flatMap((name) => kept.get(name) ?? [])
    return { kind: 'edited', text: `${others.join('\n').replace(/\n*$/, '\n')}${own.join('\n')}\n` }
  },
  remove(text, { key }) {
    const lines = text.split('\n')
    const others = lines.filter((each) => keyIn(each) !== key)
    if (others.length === lines.length) return { kind: 'refused', reason: `remove the lines that set ${key} by hand` }
    return { kind: 'edited', text: others.join('\n') }
  },
}

function keyIn(line: string): string | undefined {
  return / # driftgate: ([\w.]+)$/.exec(line)?.[1]
}
