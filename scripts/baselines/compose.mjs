// The policies of public benchmarks, made of one catalogue: a control is written once, whichever benchmarks have it under whichever
// numbers, so that its words and its resources cannot differ between them.
//
// `benchmarks.yaml` has by the name of each policy its `title`, `version`, `description`, what its head says (`about`), where
// it decides otherwise (`data`) and on which machines it says anything (`applies`: a condition by what `type#name` of a resource
// begins with); and the `parameters` that a site may decide, with their meanings and values.
// `controls/THEME.yaml` are lists of controls:
//
//   id            what the catalogue calls it
//   numbers       by benchmark its number there, with ` L1` or ` L2` behind it for the level
//   title, severity, description, remediation, nist
//   references    what else has it, by the name of the document
//   manual        a person has to look
//   resources     a list, or by benchmark where they differ, with `otherwise` for the rest; each is `{ type: { name: properties } }`
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Document, isMap, parse } from 'yaml'
import { severitiesPage } from './severities.mjs'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** The number of the control that is the system itself. */
const SYSTEM = '0'

/** The text of each policy by its path in the project. */
export function composedPolicies() {
  const { benchmarks, parameters } = readYaml('benchmarks.yaml')
  const controls = readControls()
  return new Map(
    Object.entries(benchmarks).map(([name, benchmark]) => {
      const chosen = controls.flatMap((control) => numbered(control, control.numbers[name]))
      return [
        `policies/${name}.yaml`,
        textOf(name, benchmark.about, documentOf(composed(name, benchmark, { chosen, parameters }), parameters)),
      ]
    }),
  )
}

/** The page about the severities of their controls, by its path in the project. */
export function composedPages() {
  return new Map([['docs/guide/severities-of-controls.md', severitiesPage(readControls())]])
}

function readControls() {
  return readdirSync(join(folder, 'controls'))
    .toSorted()
    .flatMap((file) =>
      readYaml(join('controls', file)).map((control) => ({ ...control, theme: basename(file, '.yaml') })),
    )
}

function readYaml(path) {
  return parse(readFileSync(join(folder, path), 'utf8'))
}

function numbered(control, text) {
  if (text === undefined) return []
  const [number, level] = text.split(' ')
  return [{ ...control, number, level: level?.slice(1) }]
}

function composed(name, { title, version, description, data = {}, applies = {} }, { chosen, parameters }) {
  // Where a benchmark has no numbers, the order is that of the catalogue.
  const controls = chosen.toSorted((one, other) => (isNumber(one) ? compareNumbers(one, other) : 0))
  const { resources: asked, referencesOf } = gathered(controls, name)
  const resources = asked.map((resource) => applied(resource, applies))
  const text = JSON.stringify(resources)
  const used = Object.entries(parameters).filter(([key]) => text.includes(`'data.${key}'`))
  return {
    policy: {
      id: name,
      title,
      version,
      description,
      controls: controls.map((control) => controlOf(name, control, referencesOf.get(control))),
    },
    data: Object.fromEntries(used.map(([key, { value }]) => [key, data[key] ?? value])),
    ccm: { resources },
  }
}

/** A resource with the condition under which it means something, beside its own. */
function applied(resource, applies) {
  const [[type, [named]]] = Object.entries(resource)
  const [[thing, properties]] = Object.entries(named)
  const condition = Object.entries(applies).find(([start]) => `${type}#${thing}`.startsWith(start))?.[1]
  if (condition === undefined) return resource
  const { if: own, ...others } = properties.control ?? {}
  const control = { ...others, if: own === undefined ? condition : `(${condition}) && (${own})` }
  return { [type]: [{ [thing]: { ...properties, control } }] }
}

/** Whether it is a number of a document, such as 5.1.20 or os-03b, and no name of the catalogue. */
function isNumber({ number }) {
  return /^(?:[a-z]+-)?\d/.test(number)
}

function compareNumbers(one, other) {
  return one.number.localeCompare(other.number, 'en', { numeric: true })
}

/** The resources of all controls: what two say alike is there once. What they say otherwise of one thing has the number in its alias. */
function gathered(controls, name) {
  const gathered = new Map()
  for (const control of controls) {
    for (const resource of resourcesOf(control, name)) {
      const [[type, named]] = Object.entries(resource)
      const [[thing, properties]] = Object.entries(named)
      const thingKey = `${type}#${thing}`
      const alike = gathered.get(thingKey) ?? new Map()
      const key = JSON.stringify(properties)
      gathered.set(thingKey, alike)
      const said = alike.get(key) ?? { type, thing, properties, controls: [] }
      alike.set(key, said)
      said.controls.push(control)
    }
  }
  const named = []
  const referencesOf = new Map(controls.map((control) => [control, []]))
  for (const alike of gathered.values()) {
    const counts = new Map()
    for (const said of alike.values()) {
      const [{ number }] = said.controls
      counts.set(number, (counts.get(number) ?? 0) + 1)
      const nth = counts.get(number) === 1 ? '' : `, ${counts.get(number)}`
      const alias = alike.size === 1 ? undefined : `${said.thing} (${number}${nth})`
      const reference = `${said.type}#${alias ?? said.thing}`
      named.push({ ...said, alias, reference })
      for (const owner of new Set(said.controls)) referencesOf.get(owner).push(reference)
    }
  }
  return { resources: inOrder(named), referencesOf }
}

/** A fix changes nothing on another system than that of the benchmark, and installs first what it then configures and starts. */
function inOrder(named) {
  const isSystem = ({ controls }) => controls.some(({ number }) => number === SYSTEM)
  const isInstalled = ({ type, properties }) => type === 'package' && properties.ensure === 'present'
  const system = named.filter(isSystem)
  const others = named.filter((each) => !isSystem(each))
  const references = system.map(({ reference }) => reference)
  return [
    ...system.map((each) => resourceOf(each, [])),
    ...others.filter(isInstalled).map((each) => resourceOf(each, references)),
    ...others.filter((each) => !isInstalled(each)).map((each) => resourceOf(each, references)),
  ]
}

function resourceOf({ type, thing, properties, alias }, system) {
  const require = [...system, ...(properties.require ?? [])]
  const optional = { ...(alias === undefined ? {} : { alias }), ...(require.length === 0 ? {} : { require }) }
  return { [type]: [{ [thing]: { ...properties, ...optional } }] }
}

function resourcesOf({ resources = [] }, name) {
  return Array.isArray(resources) ? resources : (resources[name] ?? resources.otherwise ?? [])
}

function controlOf(
  name,
  { number, numbers, level, theme, title, severity, description, remediation, references = {}, nist = [], manual },
  resources,
) {
  return {
    id: number,
    title,
    severity,
    description,
    remediation,
    references: {
      ...numbersOf(name, number, numbers),
      ...references,
      ...(nist.length === 0 ? {} : { 'nist-800-53': nist }),
    },
    tags: [theme, ...(level === undefined ? [] : [`level-${level}`])],
    ...(manual ? { manual } : {}),
    ...(resources.length === 0 ? {} : { resources }),
  }
}

/** Its number in the benchmark, or for what is none of CIS, in all that have one. */
function numbersOf(name, number, numbers) {
  if (name.startsWith('cis-') && isNumber({ number })) return { [name]: [number] }
  const all = Object.entries(numbers).map(([benchmark, text]) => [benchmark, [text.split(' ')[0]]])
  return Object.fromEntries(all.filter(([, [theirs]]) => isNumber({ number: theirs })))
}

/** The policy, with what each of its data means before it. */
function documentOf(policy, parameters) {
  const document = new Document(policy, { aliasDuplicateObjects: false })
  const data = document.get('data')
  for (const { key } of isMap(data) ? data.items : []) key.commentBefore = ` ${parameters[key.value].meaning}`
  return document
}

function textOf(name, about, document) {
  const head = `${about.trim()}\n\n  driftgate scan @${name}\n\nMade by npm run generate of scripts/baselines: change it there.`
  const comment = head.split('\n').map((line) => `# ${line}`.trimEnd())
  // A text on one line is what the fast reader of policies takes.
  return `${comment.join('\n')}\n${document.toString({ lineWidth: 0 })}`
}
