import { countOf } from '../../../model/count-of.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { type CaptureOptions, selectCapturing, whyNotCompliant } from '../../../engine/capture.ts'
import type { ResourceType } from '../../../resource-type/define.ts'
import { loadTypes } from '../../../subjects/index.ts'
import { createLocalTarget } from '../../../host/live/local-target.ts'
import type { Target } from '../../../host/target.ts'
import { checkText } from '../../capture/check-text.ts'
import { type CapturedResource, gather, type Desired } from '../../capture/gather.ts'
import { policyText, type Section } from '../../capture/policy-text.ts'
import type { Io } from '../../output/io.ts'
import { refuseExisting, writeNew } from '../../output/write-new.ts'
import type { InitInvocation } from './index.ts'
import { type Part, partsOf } from './parts.ts'
import { survey } from './survey.ts'

/** Writes a first policy for this machine, prints the next steps, and returns the exit code. */
export async function runInit({ options }: InitInvocation, io: Io): Promise<number> {
  const { output = 'policy.yaml', print: isPrinted, force } = options
  if (!isPrinted) refuseExisting(output, { force })
  const target = createLocalTarget()
  const { signal } = new AbortController()
  const found = await survey(target, signal)
  const work: Work = { target, signal, troubles: [...found.troubles] }
  const sections: Section[] = []
  for (const part of partsOf(found)) {
    const section = await sectionOf(part, work)
    const rules = await rulesOf(part, work)
    const resources = [...section.resources, ...rules]
    if (resources.length > 0) sections.push({ ...section, resources })
  }
  const { hostname } = target.system
  const text = policyText({
    head: headOf(target, output),
    id: hostname.replaceAll(/[^A-Za-z0-9_.-]+/g, '-'),
    title: `Current state of ${hostname}`,
    sections,
    isCompact: true,
  })
  await checkText(text)
  for (const trouble of work.troubles) io.say(`driftgate: omitted: ${escapeForTerminal(trouble)}\n`)
  if (isPrinted) await io.print(text)
  else {
    await writeNew(output, text, { force })
    io.say(nextSteps(output, sections.flatMap(({ resources }) => resources).length))
  }
  return work.troubles.length === 0 ? EXIT.ok : EXIT.undecided
}

interface Work {
  readonly target: Target
  readonly signal: AbortSignal
  /** Omissions from the policy, reported at the end. */
  readonly troubles: string[]
}

async function sectionOf(part: Part, { target, signal, troubles }: Work): Promise<Section> {
  const { comment, contents = 'none', takesAbsent, adapt = (properties) => properties } = part
  // sudoers and sshd configuration contain no secrets, and only digests and settings are written.
  const options: CaptureOptions = { target, signal, contents, isPrivateTaken: true }
  const type = typeNamed(selectCapturing(await loadTypes()), part.type)
  const wanted = part.names.flatMap((name) => withEntries(name, target)).map((name): Desired => ({ type, name }))
  const resources: CapturedResource[] = []
  for (const each of await gather(wanted, options, ({ properties }) => adapt(properties))) {
    for (const trouble of each.troubles) troubles.push(`${part.type}#${each.wanted.name}: ${trouble}`)
    if (each.resource !== undefined && (!each.isAbsent || takesAbsent === true)) resources.push(each.resource)
  }
  return { comment, resources }
}

function typeNamed<Type extends ResourceType>(types: readonly Type[], name: string): Type {
  const type = types.find((each) => each.type === name)
  if (type === undefined) throw new Error(`unknown resource type: ${name}`)
  return type
}

/** A path with a trailing slash means the directory and its files. */
function withEntries(name: string, target: Target): readonly string[] {
  if (!name.endsWith('/')) return [name]
  const directory = name.slice(0, -1)
  const names = target.probe.list(directory)
  const entries = names.kind === 'known' ? (names.value ?? []) : []
  return [directory, ...entries.toSorted().map((entry) => `${directory}/${entry}`)]
}

/** Rules of a group with which the machine complies. */
async function rulesOf({ rules }: Part, work: Work): Promise<readonly CapturedResource[]> {
  const kept: CapturedResource[] = []
  for (const { type, name, properties, isOptional } of rules?.(work.target) ?? []) {
    const why = await whyNotCompliant(typeNamed(await loadTypes([type]), type), { name, ...properties }, work)
    if (why === undefined) kept.push({ type, name, properties })
    else if (isOptional !== true) work.troubles.push(`${type}#${name}: ${why}`)
  }
  return kept
}

function headOf({ system: { hostname, os } }: Target, file: string): readonly string[] {
  const commands: readonly (readonly [command: string, meaning: string])[] = [
    [`driftgate scan ${file}`, 'drift since then (exit code 2)'],
    [`driftgate scan ${file} @linux`, 'the same, with a shipped baseline'],
    ['driftgate capture TYPE:NAME ...', 'capture further items'],
  ]
  const width = Math.max(...commands.map(([command]) => command.length))
  return [
    'yaml-language-server: $schema=policy.schema.json',
    `Security-relevant state of ${hostname} (${os.id} ${os.version}), written by "driftgate init".`,
    'Edit it: remove items that may change, and add items that must not.',
    '',
    ...commands.map(([command, meaning]) => `  ${command.padEnd(width)}   ${meaning}`),
    '',
  ].map((line) => escapeForTerminal(line))
}

function nextSteps(file: string, count: number): string {
  const name = escapeForTerminal(file)
  return `driftgate: wrote ${name} with ${countOf(count, 'resource')}, which this machine complies with
Next:
  driftgate scan ${name}          shows changes since now
  driftgate scan ${name} @linux   also checks a baseline
  driftgate schedule install ${name} --on-calendar daily   scans every day
  driftgate schema --out ${' '.repeat(Math.max(0, name.length - 2))}          lets editors complete and check it
`
}
