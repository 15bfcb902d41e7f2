import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { Document, isMap } from 'yaml'
import { defined } from '../../../model/defined.ts'
import type { Declaration } from '../../../model/policy.ts'
import type { Position, Problem } from '../../../model/problem.ts'
import { yamlText } from '../../../policy/document/yaml-text.ts'
import { gossControl } from '../../../subjects/goss/files/control.ts'
import { type GossResource, readGoss } from '../../../subjects/goss/files/read.ts'
import type { GossContent } from '../../../subjects/goss/files/resource.ts'
import { escapeTemplate, escapeTemplates } from '../../../engine/inspect/render/escape-template.ts'
import type { LoadPolicyOptions } from '../../../policy/load.ts'
import { reportProblems, usageError } from '../../errors.ts'
import { withOne } from '../../load-one.ts'
import { inputsOf } from '../../options/input.ts'
import type { Io } from '../../output/io.ts'
import type { ImportInvocation } from './index.ts'
import { type Part, translate } from './translate.ts'

/** A resource of the written policy, with a preceding comment. */
interface Entry extends Part {
  readonly alias?: string
  readonly comment?: string
}

/** A Goss resource with its position and its translation. */
interface Imported {
  readonly resource: GossResource
  readonly position: Position
  readonly entries: readonly Entry[]
}

/** Converts a Goss file and its includes to a policy; undefined if it cannot be read (which is reported). */
export async function importGoss(
  file: string,
  options: ImportInvocation['options'],
  io: Io,
): Promise<string | undefined> {
  const loading = { ...inputsOf(options), command: 'import', io }
  return withOne({ ...loading, source: file }, async ({ policy, unusableParts = [] }) => {
    const foreign = policy.resources.find(({ type }) => type !== 'goss')
    if (foreign !== undefined) throw usageError(`${file} is already a driftgate policy`, 'import')
    const all = policy.resources.flatMap(importedOf)
    await reportProblems(
      unusableParts.map((each) => ({ ...each, severity: 'warning' as const })),
      io,
    )
    await reportProblems(all.flatMap(lossesOf), io)
    return write(file, all, { ...inputsOf(options), io })
  })
}

interface Checking extends LoadPolicyOptions {
  readonly io: Io
}

/** Text of the policy. Translations that a scan would refuse stay with type goss. */
async function write(file: string, all: readonly Imported[], checking: Checking): Promise<string | undefined> {
  const { text, ends } = policyText(file, all)
  const problems = await problemsOf(text, checking)
  const lines = problems.map(({ position }) => position?.line ?? 0)
  const refused = new Set(lines.map((line) => ends.findIndex((end) => line < end)))
  const isSimpler = all.some((each, index) => refused.has(index) && each.entries.some(isNative))
  if (!isSimpler) {
    if (problems.length === 0) return text
    const placed = problems.map((problem) => {
      const position = all[ends.findIndex((end) => (problem.position?.line ?? 0) < end)]?.position
      return { severity: problem.severity, message: problem.message, ...defined({ position }) }
    })
    await reportProblems(placed, checking.io)
    return undefined
  }
  const simpler = all.map((each, index) =>
    refused.has(index) ? { ...each, entries: [ofGoss(each.resource, 'not supported in policies')] } : each,
  )
  return write(file, simpler, checking)
}

function isNative({ type }: Entry): boolean {
  return type !== 'goss'
}

/** Problems that a scan would report. */
async function problemsOf(text: string, { io: _io, ...options }: Checking): Promise<readonly Problem[]> {
  const directory = mkdtempSync(join(tmpdir(), 'driftgate-import-'))
  try {
    const source = join(directory, 'policy.yaml')
    writeFileSync(source, text, { mode: 0o600 })
    const { loadDocuments } = await import('../../../policy/load.ts')
    const loaded = await loadDocuments([source], options)
    await loaded.dispose()
    return loaded.ok ? [] : loaded.problems
  } finally {
    rmSync(directory, { recursive: true })
  }
}

interface PolicyText {
  readonly text: string
  /** Last line of each Goss resource. */
  readonly ends: readonly number[]
}

function policyText(file: string, all: readonly Imported[]): PolicyText {
  const named = withAliases(all)
  const id = basename(file, extname(file)).replaceAll(/[^A-Za-z0-9_.-]+/g, '-')
  const controls = named.flatMap(controlOf).map((control, index) => ({ id: `goss-${index + 1}`, ...control }))
  const entries = named.flatMap((each) => each.entries)
  const resources = entries.map(({ type, name, alias, properties }) => ({
    [type]: [{ [escapeTemplate(name)]: escapeTemplates({ ...defined({ alias }), ...properties }) }],
  }))
  const document = new Document({
    policy: { id, ...(controls.length === 0 ? {} : { controls }) },
    ccm: { resources },
  })
  for (const [index, { comment }] of entries.entries()) {
    const node: unknown = document.getIn(['ccm', 'resources', index])
    if (comment !== undefined && isMap(node)) node.commentBefore = ` ${comment.replaceAll(/\s+/g, ' ')}`
  }
  const text = yamlText(document)
  return { text, ends: endsOf(text, named) }
}

/** End lines of the entries of each resource. */
function endsOf(text: string, all: readonly Imported[]): readonly number[] {
  const lines = text.split('\n')
  const start = lines.indexOf('  resources:')
  const starts = lines.flatMap((line, index) => (index > start && /^ {4}- /.test(line) ? [index + 1] : []))
  let count = 0
  return all.map(({ entries }) => {
    count += entries.length
    return starts[count] ?? lines.length + 1
  })
}

function importedOf({ properties, position }: Declaration): readonly Imported[] {
  // The rules come from a valid Goss file.
  const { resources } = readGoss((properties['rules'] ?? {}) as GossContent)
  return resources.map((resource) => ({ resource, position, entries: entriesOf(resource) }))
}

function entriesOf(resource: GossResource): readonly Entry[] {
  if (resource.isSkipped) return [ofGoss(resource, 'skip was true', ['skip'])]
  const { part, rest, why = '' } = translate(resource)
  if (part === undefined) return [ofGoss(resource, why)]
  if (rest.length === 0) return [part]
  const said = resource.assertions.map(({ attribute }) => attribute).filter((attribute) => !rest.includes(attribute))
  // The attribute that decides existence belongs to both.
  const dropped = resource.isGated ? said.filter((attribute) => attribute !== resource.assertions[0]?.attribute) : said
  return [part, ofGoss(resource, why, dropped)]
}

/** Resource of type goss without the dropped attributes. */
function ofGoss(resource: GossResource, why: string, dropped: readonly string[] = []): Entry {
  const { type, key, given, isSkipped } = resource
  // Title and meta become a control.
  const body = Object.entries(given).filter(([name]) => !['title', 'meta', ...dropped].includes(name))
  const name = `${type}:${key}`
  return {
    type: 'goss',
    name,
    properties: {
      rules: { [type]: { [key]: Object.fromEntries(body) } },
      ...(isSkipped ? { control: { if: 'false' } } : {}),
    },
    comment: `${name} keeps the type goss: ${why}`,
  }
}

/** Adds aliases to resources with the same type and name, and to renamed ones. */
function withAliases(all: readonly Imported[]): readonly Imported[] {
  const counts = new Map<string, number>()
  const keyOf = ({ type, name }: Entry): string => JSON.stringify([type, name])
  for (const { entries } of all)
    for (const entry of entries) counts.set(keyOf(entry), (counts.get(keyOf(entry)) ?? 0) + 1)
  return all.map((each, index) => {
    const { type, key } = each.resource
    const own = escapeTemplate(key) === key ? `${type}:${key}` : `${type}:${index + 1}`
    const isMany = (entry: Entry): boolean => (counts.get(keyOf(entry)) ?? 0) > 1
    const entries = each.entries.map((entry) =>
      isMany(entry) || escapeTemplate(entry.name) !== entry.name ? { ...entry, alias: own } : entry,
    )
    return { ...each, entries }
  })
}

/** A title becomes a control, under which reports show it. */
function controlOf({ resource, entries }: Imported): readonly Record<string, unknown>[] {
  const control = gossControl(resource)
  if (control === undefined) return []
  const { references, ...rest } = control
  return [
    {
      ...rest,
      ...(Object.keys(references).length === 0 ? {} : { references }),
      resources: entries.map(({ type, name, alias }) => `${type}#${alias ?? name}`),
    },
  ]
}

function lossesOf({ resource: { type, key, given }, position }: Imported): readonly Problem[] {
  if (given['password'] === undefined) return []
  const message = `${type} ${key}: its password is in the policy in clear text: set it with --data`
  return [{ message, severity: 'warning', position }]
}
