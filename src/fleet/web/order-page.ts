import { countOf } from '../../model/count-of.ts'
import { changesOf, type PropertyChange } from '../orders/changes.ts'
import { type Follower, resourceOf } from '../orders/finding.ts'
import { type Fix, hostsOf, type Order } from '../orders/order.ts'
import { linesOf, type Markup, markup, type Part, trustHtml } from '../../report/words/markup.ts'
import { renderFacts, section, table, timeWords } from './pieces.ts'
import { STYLE } from './style.ts'

/** Standalone page of an order for its approvers: each change on each host. Loads no other resources. */
export function orderPage(order: Order, signatures: readonly string[]): string {
  const { id, policy, fixes, notBefore, expires, reason, author } = order
  const rows: readonly (readonly [string, Part])[] = [
    ['Order', markup`<code>${id}</code>`],
    ['By', author],
    ['Policy', markup`${policy.name} <code title="${policy.sha256}">${policy.sha256.slice(0, 12)}</code>`],
    ['Not before', timeWords(Date.parse(notBefore))],
    ['Expires', timeWords(Date.parse(expires))],
    ['Signatures', signatures.join(', ')],
  ]
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>Fix order: ${reason}</title>
<style>${STYLE_OF_PAGE}</style>
</head>
<body>
<main id="main">
<div id="content">
<h1>${reason} <small>${countOf(hostsOf(order).length, 'host')}</small></h1>
${renderFacts(rows)}
${fixes.map(fixSection)}</div>
</main>
</body>
</html>
`.html
}

const STYLE_OF_PAGE: Markup = trustHtml(`${STYLE}
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: 0.8125rem/1.4 var(--mono); }
td pre { min-width: 14ch; }
details pre { background: var(--sunken); padding: 0.4rem 0.6rem; border-radius: 4px; }
`)

function fixSection({ hosts, findings, follows }: Fix, index: number): Markup {
  const changes = findings.flatMap(changesOf)
  const warnings = findings.flatMap((finding) => [
    ...(finding.risk === undefined ? [] : [`${resourceOf(finding)} is risky: ${finding.risk}`]),
    ...(finding.irreversible === undefined ? [] : [`${resourceOf(finding)} cannot be undone: ${finding.irreversible}`]),
  ])
  return section(
    `fix-${index}`,
    markup`${hosts.join(', ')}`,
    markup`${warnings.map((warning) => markup`<p class="caution">${warning}</p>\n`)}${table(
      `Changes on ${hosts.join(', ')}`,
      [
        { label: 'Resource', kind: 'name', cell: ({ resource }) => resource },
        { label: 'Property', cell: ({ property }) => property },
        { label: 'From', cell: ({ from }) => markup`<pre>${linesOf(from)}</pre>` },
        { label: 'To', cell: ({ to }) => markup`<pre>${linesOf(to)}</pre>` },
      ],
      changes,
    )}${changes.map(diffOf)}${follows.map(followerOf)}`,
  )
}

function diffOf({ resource, property, diff }: PropertyChange): Part {
  return (
    diff !== undefined &&
    markup`<details class="rest"><summary>${resource}: ${property} in full</summary><pre>${linesOf(diff)}</pre></details>\n`
  )
}

function followerOf(follower: Follower): Markup {
  return markup`<p class="more"><b>${resourceOf(follower)}</b> may follow: ${follower.actions.join('. ')}</p>\n`
}
