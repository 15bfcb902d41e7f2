/**
 * The script of the page: filters, searches, sorts, folds, and unfolds the target of a link. It writes text into one
 * element and otherwise only shows, hides and moves elements. It starts with a line feed, as written.
 */
export const SCRIPT: string = String.raw`
'use strict'
const find = (selector, within = document) => within.querySelector(selector)
const findAll = (selector, within = document) => [...within.querySelectorAll(selector)]

const form = find('#filters')
const groups = findAll('.group').map((element) => ({
  element,
  data: element.dataset,
  lists: findAll('.folded', element).map((list) => ({ list, opened: false })),
}))
const entries = groups.flatMap((group) =>
  findAll('.entry', group.element).map((element) => {
    const { v, s, t, c = '', b = '', h = '', i } = element.dataset
    const folded = group.lists.find(({ list }) => list.contains(element))
    return { element, group, folded, v, s, t, c: c.split(' '), b: b.split(' '), h: h.split(' '), order: Number(i), text: undefined }
  }),
)
/** What is the same on several machines counts once for each of them. */
const total = entries.reduce((sum, { h }) => sum + h.length, 0)
const inGroups = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

/** Names, properties, values and messages, without the labels around them; read when first searched for. */
const textOf = (entry) =>
  (entry.text ??= (entry.element.matches('details')
    ? findAll('.id, .said, th[scope=row], td, dd, pre', entry.element)
    : [entry.element]
  )
    .map(({ textContent }) => textContent)
    .join('\n')
    .toLowerCase())

const selected = (name) => form.elements[name]?.value ?? ''
const checked = (name) => findAll('input[name=' + name + ']:checked', form).map(({ value }) => value)

function readFilters() {
  return {
    v: checked('v'),
    s: checked('s'),
    t: selected('t'),
    c: selected('c'),
    h: selected('h'),
    p: selected('p'),
    b: selected('b'),
    words: form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean),
  }
}

const isActive = (filters) => Object.values(filters).some(({ length }) => length > 0)

function fits(entry, { v, s, t, c, h, p, b, words }) {
  return (
    (v.length === 0 || v.includes(entry.v)) &&
    (s.length === 0 || s.includes(entry.s)) &&
    (t === '' || t === entry.t) &&
    (c === '' || entry.c.includes(c)) &&
    (h === '' || entry.h.includes(h)) &&
    (p === '' || p === entry.group.data.p) &&
    (b === '' || b.split(' ').some((kind) => entry.b.includes(kind))) &&
    words.every((word) => textOf(entry).includes(word))
  )
}

function setHidden(element, hidden) {
  if (element.hidden !== hidden) element.hidden = hidden
}

function applyFilters() {
  const filters = readFilters()
  const active = isActive(filters)
  const shownGroups = new Set()
  const shownLists = new Set()
  let shown = 0
  for (const entry of entries) {
    const isShown = !active || fits(entry, filters)
    setHidden(entry.element, !isShown)
    if (!isShown) continue
    shown += filters.h === '' ? entry.h.length : 1
    shownGroups.add(entry.group)
    if (entry.folded) shownLists.add(entry.folded)
  }
  for (const group of groups) {
    setHidden(group.element, active && !shownGroups.has(group))
    for (const each of group.lists) showList(each, { active, isShown: shownLists.has(each) })
  }
  setHidden(find('#nothing'), shown > 0)
  find('#shown').textContent = active
    ? inGroups(shown) + ' of ' + inGroups(total) + ' resources'
    : 'All ' + inGroups(total) + ' resources'
  find('#clear').disabled = !active
  document.body.classList.toggle('filtered', active)
  keepInAddress()
  for (const tile of findAll('button.tile')) {
    const { v } = tile.dataset
    tile.setAttribute('aria-pressed', String(v === '' ? !active : filters.v.length === 1 && filters.v[0] === v))
  }
}

/** What fits a filter is shown even where it is folded away otherwise, and folded away again afterwards. */
function showList(each, { active, isShown }) {
  setHidden(each.list, active && !isShown)
  if (active && isShown && !each.list.open) {
    each.opened = true
    each.list.open = true
  } else if (!active && each.opened) {
    each.opened = false
    each.list.open = false
  }
}

const FIELDS = ['v', 's', 't', 'c', 'h', 'p', 'b', 'text', 'order']

/** The address has the filters, so that a link to it shows the same. A page without an address of its own keeps none. */
function keepInAddress() {
  const state = new URLSearchParams()
  for (const [name, value] of new FormData(form)) {
    if (value !== '' && !(name === 'order' && value === form.elements.order.options[0].value)) state.append(name, value)
  }
  const query = state.size === 0 ? '' : '?' + state
  if (query === location.search) return
  try {
    history.replaceState(null, '', location.pathname + query + location.hash)
  } catch {}
}

function readAddress() {
  const state = new URLSearchParams(location.search)
  for (const name of FIELDS) {
    const values = state.getAll(name)
    const field = form.elements[name]
    if (values.length === 0 || field === undefined) continue
    if (name === 'v' || name === 's') {
      for (const box of findAll('input[name=' + name + ']', form)) box.checked = values.includes(box.value)
    } else field.value = values[0]
  }
  if (form.elements.order.selectedIndex < 0) form.elements.order.selectedIndex = 0
  if (form.elements.order.selectedIndex > 0) sort()
}

let waiting = false
function filterSoon() {
  if (waiting) return
  waiting = true
  requestAnimationFrame(() => {
    waiting = false
    applyFilters()
  })
}

function clearFilters() {
  const { value } = form.elements.order
  form.reset()
  form.elements.order.value = value
  applyFilters()
}

const firstOrder = new Map(entries.map((entry, index) => [entry.element, index]))
const policyOrder = new Map(entries.map(({ element, order }) => [element, order]))

function sort() {
  const places = form.elements.order.value === 'policy' ? policyOrder : firstOrder
  for (const list of findAll('.group .list')) {
    list.append(...[...list.children].sort((left, right) => places.get(left) - places.get(right)))
  }
}

/** Unfolds what the address leads to, and everything around it. */
function reveal(focus) {
  const id = location.hash.slice(1)
  const target = id === '' ? null : document.getElementById(id)
  if (target === null) return
  if (target.closest('[hidden]')) clearFilters()
  for (let element = target; element; element = element.parentElement) {
    if (element.matches('details')) element.open = true
  }
  target.scrollIntoView()
  if (focus) find('summary', target)?.focus({ preventScroll: true })
}

function toButton(tile) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = tile.className
  button.dataset.v = tile.dataset.v
  button.append(...tile.childNodes)
  tile.replaceWith(button)
  button.addEventListener('click', () => {
    const wanted = button.getAttribute('aria-pressed') === 'true' ? '' : button.dataset.v
    clearFilters()
    for (const box of findAll('input[name=v]', form)) box.checked = box.value === wanted
    applyFilters()
  })
}

function foldAll(open) {
  for (const { element } of entries) {
    if (!element.hidden && element.matches('details')) element.open = open
  }
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === 'Escape') {
    clearFilters()
  } else if (event.key === '/' && !event.target.matches('input[type=search], select, textarea')) {
    event.preventDefault()
    form.elements.text.focus()
    form.elements.text.select()
  }
}

/** What was unfolded for the printer, to be folded again. */
let unfolded = []
addEventListener('beforeprint', () => {
  unfolded = findAll('details:not([open]):not(.folded)')
  for (const element of unfolded) element.open = true
})
addEventListener('afterprint', () => {
  for (const element of unfolded) element.open = false
  unfolded = []
})

if (form) {
  form.hidden = false
  findAll('.tile').forEach(toButton)
  form.addEventListener('input', filterSoon)
  form.addEventListener('change', ({ target }) => (target.name === 'order' ? (sort(), keepInAddress()) : filterSoon()))
  form.addEventListener('submit', (event) => event.preventDefault())
  find('#clear').addEventListener('click', (event) => {
    event.preventDefault()
    clearFilters()
    form.elements.text.focus()
  })
  find('#unfold').addEventListener('click', () => foldAll(true))
  find('#fold').addEventListener('click', () => foldAll(false))
  addEventListener('keydown', onKey)
  readAddress()
  applyFilters()
}
addEventListener('hashchange', () => reveal(true))
addEventListener('click', ({ target }) => {
  if (target.closest('a')?.hash === location.hash) reveal(true)
})
reveal(false)
`
