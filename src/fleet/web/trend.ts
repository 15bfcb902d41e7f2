import { TREND_DAYS, type TrendPoint } from '../trends.ts'
import { type Markup, markup, type Part } from '../../report/words/markup.ts'
import { groupDigits, section } from './pieces.ts'

const WIDTH = 10
const HEIGHT = 60

/** Chart of the open findings over the last days; undefined without reports. */
export function trendSection(points: readonly TrendPoint[], noun: string): Part {
  const picture = trendPicture(points, noun)
  if (picture === undefined) return undefined
  return section('trend', markup`Trend <span class="count">last ${groupDigits(TREND_DAYS)} days</span>`, picture)
}

/** Chart without a heading. Days before the first report are empty. */
export function trendPicture(points: readonly TrendPoint[], noun: string): Markup | undefined {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const highest = Math.max(...points.map(({ drifted, undecided }) => drifted + undecided))
  const heightOf = (count: number): number => Math.round((count / Math.max(highest, 1)) * HEIGHT * 100) / 100
  const columns = points.map(({ day, drifted, undecided }, index) => {
    const x = (TREND_DAYS - points.length + index) * WIDTH
    const [bad, doubtful] = [heightOf(drifted), heightOf(undecided)]
    return markup`<g><title>${day}: ${groupDigits(drifted)} drifted, ${groupDigits(undecided)} unknown</title>
<rect class="day" x="${x}" y="0" width="${WIDTH}" height="${HEIGHT}"/>
<rect data-tone="warn" x="${x + 1}" y="${HEIGHT - bad - doubtful}" width="${WIDTH - 2}" height="${doubtful}"/>
<rect data-tone="bad" x="${x + 1}" y="${HEIGHT - bad}" width="${WIDTH - 2}" height="${bad}"/></g>
`
  })
  const total = last.drifted + last.undecided - first.drifted - first.undecided
  const change = total === 0 ? 'as many as' : `${groupDigits(Math.abs(total))} ${total < 0 ? 'fewer' : 'more'} than`
  const label = `${noun} that drifted or were unknown on each day, ${first.day} to ${last.day}, at most ${highest}`
  return markup`<figure class="trend"><svg viewBox="0 0 ${TREND_DAYS * WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><line x1="0" x2="${TREND_DAYS * WIDTH}" y1="${HEIGHT}" y2="${HEIGHT}"/>
${columns}</svg>
<figcaption><span data-tone="bad" class="key">${groupDigits(last.drifted)} drifted</span> <span data-tone="warn" class="key">${groupDigits(last.undecided)} unknown</span> <span>${noun}, ${change} on ${first.day}; at most ${groupDigits(highest)}</span></figcaption></figure>
`
}
