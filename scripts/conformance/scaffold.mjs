import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { differenceInText } from './expected-error.mjs'
import { decodeTagged } from './tagged.mjs'

/** Scaffolds: directories rendered from templates, through the resource type and on real directories. */
export const scaffold = {
  name: 'scaffold',
  entry: 'scripts/conformance/scaffold-model.ts',
  skip({ kind, cfg, source }) {
    if (kind === 'new' && Boolean(cfg.source) === Boolean(cfg.source_directory)) {
      return 'a policy always names one source directory'
    }
    if (kind === 'new' && !cfg.target) return 'a policy always names the target'
    if (kind === 'new' && cfg.left_delimiter === cfg.right_delimiter && cfg.source !== null) {
      return 'CCM always merges into the target'
    }
    const isUnreal = Object.entries(source ?? {}).some(([name, value]) => /[/\\]/.test(name) || isNoEntry(value))
    return isUnreal ? 'a directory on disk has no such entry' : undefined
  },
  async run(modules, recorded) {
    const folder = mkdtempSync(path.join(tmpdir(), 'driftgate-scaffold-'))
    try {
      return await kinds[recorded.kind](modules, recorded, folder)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

const kinds = {
  new: differenceInSettings,
  renderString: differenceInString,
  render: differenceInTree,
  renderNoop: differenceInTree,
}

function isNoEntry(value) {
  return typeof value !== 'string' && (value === null || typeof value !== 'object')
}

/** Settings that cannot work, found when the policy is read or when the source is looked for. */
async function differenceInSettings({ scaffold: module, govalue }, recorded, folder) {
  const decoded = module.decodeProperties(module.scaffold, propertiesOf(recorded, folder))
  if (!decoded.ok) return differenceInFailure(recorded, decoded.violations.map(({ message }) => message).join('; '))
  const { decision } = await look(module, decoded.values, contextOf(recorded, folder, govalue))
  return differenceInFailure(recorded, decision?.plan.obstacles[0]?.reason)
}

async function differenceInString({ scaffold: module, govalue }, recorded) {
  const { template, templateEngine, cfg, data } = recorded
  const source = {
    directory: '/source',
    entries: [{ path: 'string', kind: 'file' }],
    read: () => ({ kind: 'known', value: Buffer.from(template) }),
  }
  const result = await attempt(() =>
    module.renderScaffold(source, {
      engine: templateEngine,
      delimiters: delimitersOf(cfg),
      skipEmpty: cfg.skip_empty,
      target: '/target',
      context: decodeTagged(data, govalue),
      variables: new Map(),
      functions: functionsOf(recorded),
      signal: new AbortController().signal,
    }),
  )
  if (result.message !== undefined) return differenceInFailure(recorded, result.message)
  const rendered = result.value.files.get('string')
  if (rendered === undefined) return differenceInFailure(recorded, 'skipped rendering')
  const wanted = recorded.asserted.find(({ output }) => output !== undefined)
  return differenceInText(wanted?.output, Buffer.from(rendered).toString())
}

async function differenceInTree({ scaffold: module, govalue }, recorded, folder) {
  const target = path.join(folder, 'target')
  writeTree(path.join(folder, 'source'), recorded.source_directory ?? flatten(recorded.source, ''))
  if (recorded.targetExists) writeTree(target, recorded.targetBefore)
  const decoded = module.decodeProperties(module.scaffold, propertiesOf(recorded, folder))
  if (!decoded.ok) return differenceInFailure(recorded, decoded.violations.map(({ message }) => message).join('; '))
  const context = contextOf(recorded, folder, govalue)
  // What is not rendered is only looked for where it would be purged.
  const found = await look(module, { ...decoded.values, purge: true }, context)
  if (found.message !== undefined) return differenceInFailure(recorded, found.message)
  if (recorded.kind === 'render') {
    const { decision } = await look(module, decoded.values, context)
    const remediator = module.createLocalRemediator(module.NO_JOURNAL)
    const outcome =
      decision.plan.kind === 'act'
        ? await module.applyScaffold(remediator, decoded.values, decision.plan.action, context)
        : { kind: 'done' }
    if (outcome.kind === 'failed') return differenceInFailure(recorded, outcome.message)
  }
  if (recorded.observedError !== undefined) return `want the error ${recorded.observedError}, found none`
  return (
    differenceInText(JSON.stringify(recorded.observedResult), JSON.stringify(actionsOf(found.observation))) ??
    differenceInText(JSON.stringify(recorded.observedTree), JSON.stringify(readTree(target, '')))
  )
}

function differenceInFailure({ asserted, observedError }, message) {
  if (observedError === undefined) return `threw ${message}`
  const wanted = asserted.map(({ errorText }) => errorText).filter((text) => text !== undefined)
  const agrees = message !== undefined && wanted.every((text) => message.includes(text))
  return agrees ? undefined : `want the error ${observedError}, found ${message ?? 'none'}`
}

async function look(module, desired, context) {
  const observation = await module.observeScaffold(module.createLocalTarget(), desired, context)
  if (observation.kind === 'unknown') return { message: observation.detail }
  return { observation, decision: module.decideScaffold(desired, observation) }
}

function propertiesOf({ cfg, templateEngine }, folder) {
  const isHalf = (cfg.left_delimiter === '') !== (cfg.right_delimiter === '')
  const [left, right] = isHalf ? [cfg.left_delimiter, cfg.right_delimiter] : delimitersOf(cfg)
  return {
    name: path.join(folder, 'target'),
    ensure: 'present',
    source: cfg.source_directory === true ? '/no/such/directory' : 'source',
    engine: templateEngine,
    left_delimiter: left,
    right_delimiter: right,
    skip_empty: cfg.skip_empty ?? false,
    post: cfg.post ?? [],
  }
}

/** The recorded program has the same delimiters for both languages. */
function delimitersOf({ left_delimiter: left, right_delimiter: right }) {
  return left === '' ? ['{{', '}}'] : [left, right]
}

function contextOf(recorded, folder, govalue) {
  const data = decodeTagged(recorded.data ?? {}, govalue)
  return {
    workingDirectory: folder,
    signal: new AbortController().signal,
    showDiff: true,
    templates: () => ({ variables: data, functions: functionsOf(recorded) }),
  }
}

// The function that the recorded tests themselves define.
function functionsOf({ customFuncs }) {
  const greet = { kind: 'function', name: 'greet', call: ([name]) => `hi ${name}` }
  return customFuncs === undefined ? new Map() : new Map([['greet', greet]])
}

async function attempt(work) {
  try {
    return { value: await work() }
  } catch (error) {
    if (!['TemplateError', 'BudgetError'].includes(error.name)) throw error
    return { message: error.message }
  }
}

function actionsOf({ kind, state, context }) {
  if (kind === 'absent') return context.files.map((file) => ({ action: 'add', path: file.path }))
  const words = { missing: 'add', different: 'update', equal: 'equal' }
  return [
    ...state.files.map((file) => ({ action: words[file.seen.kind], path: file.path })),
    ...state.unexpected.value.map(({ path: unexpected }) => ({ action: 'remove', path: unexpected })),
  ].toSorted((left, right) => (left.path < right.path ? -1 : 1))
}

/** A tree in memory as one on disk: paths with the content of files, directories with a slash at the end. */
function flatten(tree, prefix) {
  return Object.fromEntries(
    Object.entries(tree).flatMap(([name, value]) =>
      typeof value === 'string'
        ? [[prefix + name, { content: value, mode: '0644' }]]
        : [[`${prefix}${name}/`, '0755'], ...Object.entries(flatten(value, `${prefix}${name}/`))],
    ),
  )
}

function writeTree(folder, tree) {
  mkdirSync(folder)
  for (const [name, value] of Object.entries(tree)) {
    const place = path.join(folder, name)
    if (name.endsWith('/')) mkdirSync(place, { recursive: true, mode: Number.parseInt(value, 8) })
    else writeFileSync(place, value.content, { mode: Number.parseInt(value.mode, 8) })
  }
}

function readTree(folder, prefix) {
  const names = statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder).toSorted()
  return Object.fromEntries(
    names.flatMap((name) => {
      const place = path.join(folder, name)
      const stats = statSync(place)
      const mode = `0${(stats.mode & 0o777).toString(8)}`
      if (!stats.isDirectory()) return [[prefix + name, { content: readFileSync(place, 'utf8'), mode }]]
      return [[`${prefix}${name}/`, mode], ...Object.entries(readTree(place, `${prefix}${name}/`))]
    }),
  )
}
