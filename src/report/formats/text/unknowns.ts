import { wrapLine } from '../../../model/columns.ts'
import { countOf } from '../../../model/count-of.ts'
import { clip } from '../../words/clip.ts'
import { foldCommand } from '../../words/fix-command.ts'
import { nounOf, type Requirement } from '../../words/requirements.ts'
import { type UnknownCause, unknownCauses } from '../../words/unknowns.ts'
import { narrowWidth, type Page } from './page.ts'

/** Maximum number of causes, unless verbose. */
const CAUSES_SHOWN = 6

/** Maximum length of a cause; the details have all of it. */
const CAUSE_CHARACTERS = 160

/** The undecided requirements by cause, each with one line of advice. */
export function unknownLines(requirements: readonly Requirement[], page: Page): readonly string[] {
  const causes = unknownCauses(requirements)
  if (causes.length === 0) return []
  const shown = page.verbose ? causes : causes.slice(0, CAUSES_SHOWN)
  const others = causes.slice(shown.length).flatMap((cause) => cause.requirements)
  const more =
    others.length === 0 ? [] : [`  ${countOf(others.length, `more ${nounOf(others)}`)} of other causes, see --verbose`]
  return [page.paint('strong', 'Unknown'), ...shown.flatMap((cause) => causeLines(cause, page)), ...page.fit(more, 4)]
}

function causeLines({ requirements, cause, advice, command }: UnknownCause, page: Page): readonly string[] {
  const { escape, paint } = page
  const indent = '     '
  const count = paint('warn', countOf(requirements.length, nounOf(requirements)))
  const text = escape(clip(cause.replaceAll(/\s+/g, ' '), CAUSE_CHARACTERS))
  const folded = command === undefined ? [] : foldCommand(command, narrowWidth(page, indent.length))
  return [
    ...page.fit([`  ${count}: ${text}`], 5),
    ...wrapLine(indent + advice, page.width, indent.length),
    ...folded.map((line) => indent + paint('good', line)),
  ]
}
