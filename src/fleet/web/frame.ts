import type { ResidentView } from '../resident.ts'
import { type Markup, markup, SIGN } from '../../report/words/markup.ts'
import type { Page, Visitor } from './answer.ts'
import { manyOf, timeWords } from './pieces.ts'
import { activeOf } from '../census.ts'
import { addressOf } from './query.ts'

/** URLs of the style sheet and the script, with content hashes. */
export interface Assets {
  readonly style: string
  readonly script: string
}

/** Pages of the navigation, in order. */
const PLACES = [
  ['/', 'Fleet'],
  ['/hosts', 'Hosts'],
  ['/controls', 'Controls'],
  ['/trends', 'Trends'],
  ['/silence', 'Silence'],
  ['/rollout', 'Rollout'],
  ['/audit', 'Audit'],
] as const

/** Context of a page; without a view, no data is known. */
export interface Frame {
  readonly assets: Assets
  readonly path: string
  readonly params: URLSearchParams
  readonly visitor: Visitor
  readonly view?: ResidentView
}

/** A complete page. It loads only our style sheet and script, and works without the script. */
export function renderFrame({ title, form, content }: Page, frame: Frame): string {
  const { assets, view, visitor, path } = frame
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>${title} ${SIGN.dot} driftgate fleet</title>
<link rel="stylesheet" href="${assets.style}"/>
${view !== undefined && markup`<script src="${assets.script}" defer=""></script>\n`}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<p class="brand"><a href="/">driftgate <span>fleet</span></a></p>
${view !== undefined && navigation(path, view)}<p class="who"><span id="live" role="status"></span>${visitor.name !== undefined && account(visitor.name)}</p>
</header>
<main id="main" tabindex="-1">
<div id="troubles" data-live="">${(view?.troubles ?? []).map((trouble) => markup`<p class="trouble" role="alert">${trouble}.</p>\n`)}</div>
${form}<div id="content" data-live="">
${content}</div>
</main>
${view !== undefined && footer(view, frame)}</body>
</html>
`.html
}

function navigation(path: string, { rollout }: ResidentView): Markup {
  const here = path === '/host' ? '/hosts' : path === '/control' ? '/controls' : path
  const places = PLACES.filter(([to]) => to !== '/rollout' || rollout !== undefined)
  const links = places.map(
    ([to, text]) => markup`<a href="${to}"${to === here && markup` aria-current="page"`}>${text}</a>\n`,
  )
  return markup`<nav id="places" data-live="" aria-label="Pages of the view">
${links}</nav>
`
}

function account(name: string): Markup {
  return markup`<form action="/logout" method="post"><span class="dim">${name}</span> <button type="submit">Log out</button></form>`
}

function footer(view: ResidentView, { path, params }: Frame): Markup {
  const document = addressOf(path === '/' ? '/api/v1/fleet' : `/api/v1${path}`, params)
  return markup`<footer id="foot" data-live="">
<p>${manyOf(activeOf(view.hosts).length, 'host')} in <code>${view.name}</code>, read ${timeWords(view.readAtMs)}</p>
<p><a href="${document}">This page as JSON</a></p>
</footer>
`
}
