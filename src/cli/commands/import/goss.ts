import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { Document, isMap } from 'yaml'
import type { Declaration } from '../../../core/policy.ts'
import { SEVERITIES } from '../../../core/verdict.ts'
import { yamlText } from '../../../document/yaml-text.ts'
import { type GossResource, readGoss } from '../../../goss/read.ts'
import type { GossContent } from '../../../goss/resource.ts'
import { reportProblems, usageError } from '../../errors.ts'
import { withOne } from '../../load-one.ts'
import { inputsOf } from '../../options/input.ts'
import type { Io } from '../../output/io.ts'
import type { ImportInvocation } from './options.ts'
import { type Part, translate } from './translate.ts'

/** One resource of the policy that is written, with what is said before it. */
interface Entry extends Part {
  readonly alias?: string
  readonly comment?: string
}

/** A file of Goss with what it includes as the text of a policy; undefined where either cannot be read, which is said. */
export async function importGoss(
  file: string,
  options: ImportInvocation['options'],
  io: Io,
): Promise<string | undefined> {
  const { resourceTypes: types } = await import('../../../resources/index.ts')
  const loading = { ...inputsOf(options), types, command: 'import', io }
  const text = await withOne({ ...loading, source: file }, async ({ policy }) => {
    const foreign = policy.resources.find(({ type }) => type !== 'goss')
    if (foreign !== undefined) throw usageError(`${file} is a policy of driftgate already`, 'import')
    return write(file, policy.resources, io)
  })
  return text === undefined ? undefined : loadable(text, loading)
}

/** Reads what was written, as a scan would. */
async function loadable(
  text: string,
  loading: Omit<Parameters<typeof withOne>[0], 'source'>,
): Promise<string | undefined> {
  const directory = mkdtempSync(join(tmpdir(), 'driftgate-import-'))
  try {
    const source = join(directory, 'policy.yaml')
    writeFileSync(source, text, { mode: 0o600 })
    return await withOne({ ...loading, source }, async () => text)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

async function write(file: string, declarations: readonly Declaration[], io: Io): Promise<string> {
  const entries: Entry[] = []
  const controls: Record<string, unknown>[] = []
  for (const resource of declarations.flatMap(gossOf)) {
    const own = entriesOf(resource)
    const named = own.map((entry) => withoutTwin(entry, resource, entries))
    entries.push(...named)
    const control = controlOf(resource, named, controls.length + 1)
    if (control !== undefined) controls.push(control)
    await tellLosses(resource, io)
  }
  const id = basename(file, extname(file)).replaceAll(/[^A-Za-z0-9_.-]+/g, '-')
  const document = new Document({
    policy: { id, ...(controls.length === 0 ? {} : { controls }) },
    ccm: { resources: entries.map(({ type, name, properties }) => ({ [type]: [{ [name]: properties }] })) },
  })
  for (const [index, { comment }] of entries.entries()) {
    const node: unknown = document.getIn(['ccm', 'resources', index])
    if (comment !== undefined && isMap(node)) node.commentBefore = ` ${comment.replaceAll(/\s+/g, ' ')}`
  }
  return yamlText(document)
}

function gossOf({ properties }: Declaration): readonly GossResource[] {
  // It comes from a file of Goss that was read.
  return readGoss(properties['rules'] as GossContent).resources
}

function entriesOf(resource: GossResource): readonly Entry[] {
  const { type, key, title, isSkipped } = resource
  // A control says these.
  const given = without(resource.given, title === undefined ? [] : ['title', 'meta'])
  const name = `${type}:${key}`
  const goss = (body: Readonly<Record<string, GossContent>>, why: string): Entry => ({
    type: 'goss',
    name,
    properties: { rules: { [type]: { [key]: body } }, ...(isSkipped ? { control: { if: 'false' } } : {}) },
    comment: `${name} stays with goss: ${why}`,
  })
  if (isSkipped) return [goss(without(given, ['skip']), 'skip was true')]
  const { part, rest, why = '' } = translate(resource)
  if (part === undefined) return [goss(given, why)]
  if (rest.length === 0) return [part]
  const said = resource.assertions.map(({ attribute }) => attribute).filter((attribute) => !rest.includes(attribute))
  // What says whether it is there belongs to both.
  const dropped = resource.isGated ? said.filter((attribute) => attribute !== resource.assertions[0]?.attribute) : said
  return [part, goss(without(given, dropped), why)]
}

function without(
  body: Readonly<Record<string, GossContent>>,
  names: readonly string[],
): Readonly<Record<string, GossContent>> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
}

/** Two resources of one type and name have each an alias. */
function withoutTwin(entry: Entry, { key }: GossResource, others: readonly Entry[]): Entry {
  const isTwin = others.some(({ type, name }) => type === entry.type && name === entry.name)
  return isTwin ? { ...entry, alias: key, properties: { alias: key, ...entry.properties } } : entry
}

/** A title makes a control, which reports show by it. */
function controlOf(
  { title, given }: GossResource,
  entries: readonly Entry[],
  number: number,
): Record<string, unknown> | undefined {
  if (title === undefined) return undefined
  const meta = typeof given['meta'] === 'object' && given['meta'] !== null ? given['meta'] : {}
  const { severity, description, desc } = meta as Readonly<Record<string, GossContent>>
  const text = description ?? desc
  return {
    id: `goss-${number}`,
    title,
    ...(SEVERITIES.some((each) => each === severity) ? { severity } : {}),
    ...(typeof text === 'string' ? { description: text } : {}),
    resources: entries.map(({ type, name, alias }) => `${type}#${alias ?? name}`),
  }
}

async function tellLosses({ type, key, title, given }: GossResource, io: Io): Promise<void> {
  const losses = [
    ...(title === undefined && given['meta'] !== undefined ? ['its meta needs a title to become a control'] : []),
    ...(given['password'] === undefined ? [] : ['its password is written out in the policy, give it with --data']),
  ]
  await reportProblems(
    losses.map((loss) => ({ message: `${type} ${key}: ${loss}`, severity: 'warning' as const })),
    io,
  )
}
