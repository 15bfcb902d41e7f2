/**
 * Keeps a page current: after a change of the view, the page is fetched again and its live parts are replaced. The
 * script computes and renders nothing; pages also work without it.
 */
export const SCRIPT: string = String.raw`'use strict'
const SOONEST_MS = 1000
const AGES_MS = 30000
const AGAIN_MS = 10000
const live = document.getElementById('live')
let timer
let fetchedAt = Date.now()
let isFetching = false

function say(text, tone) {
  if (live.textContent !== text) live.textContent = text
  if (tone) live.dataset.tone = tone
  else delete live.dataset.tone
}

function silent() {
  if (live.dataset.tone === undefined) say('Not live since ' + new Date().toLocaleTimeString(), 'bad')
}

/** What has the focus, so that it has it afterwards: the same link, or the same place among those alike. */
function focused() {
  const element = document.activeElement
  const region = element?.closest('[data-live]')
  if (!region) return undefined
  const href = element.getAttribute('href')
  const alike = [...region.querySelectorAll('a')].filter((each) => each.getAttribute('href') === href)
  return { id: region.id, href, at: alike.indexOf(element) }
}

function focusAgain(was) {
  if (!was) return
  const alike = [...document.getElementById(was.id).querySelectorAll('a')].filter(
    (each) => each.getAttribute('href') === was.href,
  )
  const element = alike[was.at] ?? alike[0]
  if (element) element.focus({ preventScroll: true })
  else document.getElementById('main').focus({ preventScroll: true })
}

function isSelecting() {
  const selection = getSelection()
  return selection !== null && !selection.isCollapsed
}

async function fetchAgain() {
  clearTimeout(timer?.id)
  timer = undefined
  if (isFetching || isSelecting()) return soon(SOONEST_MS)
  isFetching = true
  fetchedAt = Date.now()
  try {
    const answer = await fetch(location.href, { cache: 'no-store', redirect: 'manual', headers: { accept: 'text/html' } })
    if (answer.type === 'opaqueredirect' || answer.status === 401) return location.reload()
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const was = focused()
    let isReplaced = false
    for (const region of document.querySelectorAll('[data-live]')) {
      const now = page.getElementById(region.id)
      if (now === null || now.innerHTML === region.innerHTML) continue
      const opened = [...region.querySelectorAll('details[open]')].map((each) => each.id)
      region.replaceChildren(...now.childNodes)
      for (const each of region.querySelectorAll('details')) if (opened.includes(each.id)) each.open = true
      isReplaced = true
    }
    if (page.title !== '') document.title = page.title
    if (isReplaced) focusAgain(was)
  } catch {
    silent()
  } finally {
    isFetching = false
    soon(AGES_MS)
  }
}

/** Fetches after a while; what is due earlier already stays. */
function soon(ms) {
  const at = Date.now() + ms
  if (timer !== undefined && timer.at <= at) return
  clearTimeout(timer?.id)
  timer = { at, id: setTimeout(fetchAgain, ms) }
}

function changed() {
  soon(Math.max(0, fetchedAt + SOONEST_MS - Date.now()))
}

/**
 * One page of those that are open listens and tells the others: a browser has six connections to one place, and the seventh page
 * would wait for ever. The holder of the lock is that one; when it is closed, the next has it.
 */
const others = new BroadcastChannel('driftgate-fleet')
let state

function listen() {
  const events = new EventSource('/events')
  events.addEventListener('open', () => tell('live'))
  events.addEventListener('change', () => tell('change'))
  events.addEventListener('error', () => {
    tell('silent')
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, AGAIN_MS)
  })
}

function tell(word) {
  if (word !== 'change') state = word
  others.postMessage(word)
  hear(word)
}

function hear(word) {
  if (word === 'silent') silent()
  if (word === 'change') changed()
  if (word !== 'live') return
  const isNews = live.textContent !== 'Live'
  say('Live')
  if (isNews) changed()
}

others.addEventListener('message', ({ data }) => {
  if (data !== 'who') hear(data)
  else if (state !== undefined) others.postMessage(state)
})
document.addEventListener('visibilitychange', () => document.hidden || changed())
others.postMessage('who')
if (navigator.locks === undefined) listen()
else navigator.locks.request('driftgate-fleet', () => new Promise(listen))
soon(AGES_MS)
`
