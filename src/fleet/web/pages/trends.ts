import type { ResidentView } from '../../resident.ts'
import type { TrendPoint } from '../../trends.ts'
import { markup } from '../../../report/words/markup.ts'
import { type PageRequest, isRefusal, type Page, refusal, type Refusal } from '../answer.ts'
import { paging, section } from '../pieces.ts'
import { partOf, strangerIn } from '../query.ts'
import { trendPicture } from '../trend.ts'

/** Page of the open findings on all hosts over the last days, by policy. */
export function trendsPage({ view, params }: PageRequest): Page | Refusal {
  const stranger = strangerIn(params, [])
  if (stranger !== undefined) return stranger
  const part = partOf(view.trends.policies(), params)
  if (isRefusal(part)) return part
  const pictures = part.members.map((id, index) =>
    section(`policy-${index}`, id, trendPicture(view.trends.ofPolicy(id, view.nowMs), 'findings')),
  )
  return {
    title: 'Trends',
    content: markup`<h1>Trends</h1>
<p class="lead">Findings by policy over the last 30 days, as hosts reported them.</p>
${pictures.length === 0 ? markup`<p class="nothing">No host has reported about a policy.</p>` : pictures}
${paging('/trends', params, part)}`,
  }
}

/** Trend that the query asks for: of a host, a policy, or a control. */
export function trendAskedFor(
  { trends, nowMs }: ResidentView,
  params: URLSearchParams,
): readonly TrendPoint[] | Refusal {
  const stranger = strangerIn(params, ['host', 'policy', 'control'])
  if (stranger !== undefined) return stranger
  const [host, policy, control] = ['host', 'policy', 'control'].map((name) => params.get(name) ?? '')
  if (host !== '' && (policy !== '' || control !== '')) return refusal(400, 'host and policy are mutually exclusive')
  const points =
    host !== ''
      ? trends.ofHost(host ?? '', nowMs)
      : control !== ''
        ? trends.ofControl({ policy: policy ?? '', name: control ?? '' }, nowMs)
        : trends.ofPolicy(policy ?? '', nowMs)
  return points.length > 0 ? points : refusal(404, 'no matching reports in the last 30 days')
}
