import { createHash } from 'node:crypto'
import type { Run } from '../../../model/run.ts'
import { isFailure } from '../../../model/verdict.ts'
import type { RenderOptions } from '../../format.ts'
import { baselineSection } from './baseline.ts'
import { controlsSection } from './controls.ts'
import { firstSection } from './first.ts'
import { headline, outcome, remarks, tiles, titleOf } from './headline.ts'
import { machinesSection } from './machines.ts'
import { type Markup, markup, type Part, trustHtml, SIGN } from '../../words/markup.ts'
import { matrixSection } from './matrix.ts'
import { resourcesSection } from './resources.ts'
import { SCRIPT } from './script.ts'
import { STYLE } from './style.ts'
import { trendSection } from './trend.ts'
import { type View, viewOf } from './view.ts'
import { waiversSection } from './waivers.ts'

/** Above this number of resources, the layout of invisible parts is deferred. */
const LARGE = 500

/** Above this number of failing resources, print has those of controls only in their controls. */
const LONG = 40

/**
 * Renders a self-contained page: it loads nothing, and its content security policy allows only its own script and
 * style. All content is readable without the script, which filters, searches and sorts.
 */
export function render(run: Run, options: Pick<RenderOptions, 'trend'>): string {
  const view = viewOf(run)
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="${policy()}"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="referrer" content="no-referrer"/>
<meta name="color-scheme" content="light dark"/>
<title>${titleOf(view)} ${SIGN.dot} driftgate</title>
<style>${trustHtml(STYLE)}</style>
</head>
<body${bodyClass(view)}>
<a class="skip" href="#main">Skip to the findings</a>
<div class="page">
${headline(view)}${navigation(view)}<main id="main" tabindex="-1">
${outcome(view)}${remarks(view)}${firstSection(view)}${matrixSection(view)}${machinesSection(view)}${trendSection(view, options.trend)}${controlsSection(view)}${tiles(view)}${resourcesSection(view)}${waiversSection(view)}${baselineSection(view)}</main>
</div>
<script>${trustHtml(SCRIPT)}</script>
</body>
</html>
`
  return page.html
}

/** `large` defers the layout of invisible parts; `many` limits print to what machines share, `long` to controls. */
function bodyClass({ groups, matrix, results }: View): Part {
  const isLarge = groups.reduce((sum, { entries }) => sum + entries.length, 0) > LARGE
  const isLong = matrix === undefined && results.filter(({ verdict }) => isFailure(verdict)).length > LONG
  const names = [isLarge && 'large', matrix !== undefined && 'many', isLong && 'long'].filter((name) => name !== false)
  return names.length > 0 && markup` class="${names.join(' ')}"`
}

function policy(): string {
  const [style, script] = [STYLE, SCRIPT].map(
    (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )
  return `default-src 'none'; style-src ${style}; script-src ${script}; base-uri 'none'; form-action 'none'`
}

/** Links to the existing sections. */
function navigation({ groups, matrix, run }: View): Markup {
  const places = [
    matrix !== undefined && matrix.failing.length > 0 && ['matrix', 'By machines'],
    matrix !== undefined && ['machines', 'Machines'],
    groups.some(({ controls }) => controls.length > 0) && ['controls', 'Controls'],
    groups.some(({ entries }) => entries.length > 0) && ['resources', 'Resources'],
    (run.waivers ?? []).length > 0 && ['waivers', 'Waivers'],
    run.baseline !== undefined && ['baseline', 'Baseline'],
  ].filter((place) => place !== false)
  if (places.length < 2) return markup``
  const links = places.map(([id, text]) => markup`<a href="#${id}">${text}</a>`)
  return markup`<nav aria-label="Sections">${links}</nav>\n`
}
