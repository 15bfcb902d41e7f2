import { defined } from '../../../model/defined.ts'
import { hostNameOf } from '../../../model/host-name.ts'
import type { PolicyResult, Run, RunOrigin } from '../../../model/run.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { originOf, originOfRun } from '../../words/origin.ts'
import { type Requirement, requirementsOf, requirementsOfPolicy } from '../../words/requirements.ts'
import { findTrouble, remarksOf } from '../../words/run-remarks.ts'
import { objectiveId, referencesOf, requirementId, toFinding, toObjective } from './find.ts'
import { uuidsOf } from './identifiers.ts'
import { observe, type Setting } from './observe.ts'
import { toLine, paragraphs, toPlainText, property, unlessEmpty } from './texts.ts'
import type {
  OscalDocument,
  OscalFinding,
  OscalItem,
  OscalObjective,
  OscalProperty,
  OscalResult,
  OscalSelection,
} from './types.ts'

/** The control that is not satisfied if the scan is incomplete. */
const SCAN = 'driftgate_scan'
const NO_PLAN = 'There is no assessment plan: the policies named in the results define the scope.'

/**
 * The run as OSCAL assessment results, with a result for each host and run of a merged report. A finding is about a
 * requirement of a policy, never about a referenced catalogue control, which it covers only in part.
 * @see https://pages.nist.gov/OSCAL-Reference/models/v1.1.2/assessment-results/json-outline/
 */
export function render(run: Run): string {
  const uuid = uuidsOf()
  const plan = uuid('no-plan')
  const document: OscalDocument = {
    'assessment-results': {
      uuid: uuid('assessment-results', run.run.id),
      metadata: {
        title: toLine(`${run.run.mode === 'fix' ? 'Fix' : 'Audit'} of ${hostNameOf(run.target)} by driftgate`),
        'last-modified': run.run.finishedAt,
        version: toPlainText(run.run.id),
        'oscal-version': '1.1.2',
      },
      'import-ap': { href: `#${plan}`, remarks: NO_PLAN },
      ...defined({ 'local-definitions': objectivesOf(run) }),
      results: partsOf(run).map((part) => toResult(run, part, uuid)),
      'back-matter': { resources: [{ uuid: plan, title: 'No assessment plan', description: NO_PLAN }] },
    },
  }
  return `${toSafeJson(document, 2)}\n`
}

/** The objectives of the findings, once for all hosts. */
function objectivesOf(run: Run): { readonly 'objectives-and-methods': readonly OscalObjective[] } | undefined {
  const objectives = new Map(requirementsOf(run).map((each) => [requirementId(each), toObjective(each)]))
  if (findTrouble(run) !== undefined) objectives.set(SCAN, SCAN_OBJECTIVE)
  return objectives.size === 0 ? undefined : { 'objectives-and-methods': [...objectives.values()] }
}

const SCAN_OBJECTIVE: OscalObjective = {
  'control-id': SCAN,
  description: 'Completeness of the scan',
  parts: [
    {
      id: objectiveId(SCAN),
      name: 'assessment-objective',
      title: 'Everything was evaluated',
      prose: 'The scan ran to its end and evaluated at least one resource.',
    },
  ],
}

/** The policies evaluated in one run on one host. */
interface Part {
  readonly origin: RunOrigin
  readonly policies: readonly PolicyResult[]
}

/** The run itself is part of a merged report only if it has remarks. */
function partsOf(run: Run): readonly Part[] {
  const parts = new Map<string, { origin: RunOrigin; policies: PolicyResult[] }>()
  const own = originOfRun(run)
  if (run.target.kind !== 'merged' || run.policies.length === 0 || remarksOf(run).length > 0) {
    parts.set(keyOf(own), { origin: own, policies: [] })
  }
  for (const policy of run.policies) {
    const origin = originOf(run, policy)
    const part = parts.get(keyOf(origin)) ?? { origin, policies: [] }
    part.policies.push(policy)
    parts.set(keyOf(origin), part)
  }
  return [...parts.values()]
}

function keyOf({ runId, target }: RunOrigin): string {
  return JSON.stringify([runId, hostNameOf(target)])
}

function toResult(run: Run, { origin, policies }: Part, uuid: Setting['uuid']): OscalResult {
  const name = hostNameOf(origin.target)
  const isOwn = keyOf(origin) === keyOf(originOfRun(run))
  // Host and tool have the same UUIDs in every report; with several hosts, each result defines its own tool.
  const host = { uuid: uuid('host', name), name }
  const tool = run.target.kind === 'merged' ? uuid('tool', 'driftgate', name) : uuid('tool', 'driftgate')
  const setting: Setting = { run, origin, host, origins: [{ actors: [{ type: 'tool', 'actor-uuid': tool }] }], uuid }
  const judged = policies.map((policy) => {
    const observed = observe(setting, policy)
    const requirements = requirementsOfPolicy(run, policy)
    const findings = requirements.flatMap((requirement) =>
      toFinding(
        setting,
        requirement,
        requirement.results.flatMap((result) => observed.get(result) ?? []),
      ),
    )
    return { observed: [...observed.values()], requirements, findings }
  })
  const observed = judged.flatMap((each) => each.observed)
  const trouble = isOwn ? scanFinding(setting) : []
  return {
    uuid: uuid('result', origin.runId, name),
    title: toLine(name),
    description: toLine(`What driftgate ${run.tool.version} found on ${name}`),
    start: origin.startedAt,
    ...(isOwn && { end: run.run.finishedAt }),
    props: [
      property('run', origin.runId),
      property('mode', origin.mode),
      ...policies.map(({ id, sha256 }) => property('policy', `${id} sha256:${sha256}`)),
      ...(isOwn ? [property('exit-code', String(run.exit.code))] : []),
    ],
    'local-definitions': {
      'inventory-items': [toItem(origin, host)],
      'assessment-assets': assetsOf(run, tool, uuid),
    },
    'reviewed-controls': {
      'control-selections': selectionsOf(
        judged.flatMap((each) => each.requirements),
        trouble,
      ),
    },
    ...defined({
      'assessment-log': isOwn ? logOf(setting) : undefined,
      observations: unlessEmpty(observed.map(({ observation }) => observation)),
      risks: unlessEmpty(observed.flatMap(({ risks }) => risks)),
      findings: unlessEmpty([...trouble, ...judged.flatMap((each) => each.findings)]),
    }),
  }
}

function toItem({ target }: RunOrigin, { uuid, name }: Setting['host']): OscalItem {
  const { kind, hostname, os } = target
  const known = (property_: OscalProperty): readonly OscalProperty[] => (property_.value === '' ? [] : [property_])
  return {
    uuid,
    description: toLine(name),
    props: [
      property('hostname', hostname),
      property('target', kind),
      ...known({ name: 'os-name', value: os.id === '' ? '' : toPlainText(os.id) }),
      ...known({ name: 'os-version', value: os.version === '' ? '' : toPlainText(os.version) }),
    ],
  }
}

function assetsOf(
  { tool }: Run,
  component: string,
  uuid: Setting['uuid'],
): OscalResult['local-definitions']['assessment-assets'] {
  return {
    components: [
      {
        uuid: component,
        type: 'software',
        title: 'driftgate',
        description: toLine(`driftgate ${tool.version}`),
        status: { state: 'operational' },
      },
    ],
    'assessment-platforms': [{ uuid: uuid('platform'), 'uses-components': [{ 'component-uuid': component }] }],
  }
}

/** The reviewed controls: the requirements of the policies, then their references, by catalogue. */
function selectionsOf(
  requirements: readonly Requirement[],
  trouble: readonly OscalFinding[],
): readonly OscalSelection[] {
  const own = [...(trouble.length === 0 ? [] : [SCAN]), ...requirements.map(requirementId)]
  const catalogues = new Map<string, string[]>()
  for (const [catalogue, id] of requirements.flatMap(referencesOf)) {
    catalogues.set(catalogue, [...(catalogues.get(catalogue) ?? []), id])
  }
  return [
    own.length === 0
      ? { description: 'Nothing was evaluated.' }
      : select('The requirements of the policies, defined in this document.', own),
    ...[...catalogues].map(([catalogue, ids]) => select(`Requirements of ${catalogue} that they cover in part.`, ids)),
  ]
}

function select(description: string, ids: readonly string[]): OscalSelection {
  return { description: toLine(description), 'include-controls': [...new Set(ids)].map((id) => ({ 'control-id': id })) }
}

/** Without it, a reader would see a document without failures. */
function scanFinding({ run, origin, host, origins, uuid }: Setting): readonly OscalFinding[] {
  const trouble = findTrouble(run)
  if (trouble === undefined) return []
  return [
    {
      uuid: uuid('finding', origin.runId, host.name),
      title: toLine(trouble.sentence),
      description: paragraphs([...trouble.lines, ...run.exit.reasons]),
      props: [property('trouble', trouble.kind)],
      origins,
      target: {
        type: 'objective-id',
        'target-id': objectiveId(SCAN),
        status: { state: 'not-satisfied', reason: 'other', remarks: toLine(trouble.sentence) },
      },
    },
  ]
}

function logOf({ run, origin, uuid }: Setting): OscalResult['assessment-log'] {
  const entries = remarksOf(run).map(({ level, text }) => ({
    uuid: uuid('log', origin.runId, text),
    title: level,
    description: toLine(text),
    start: origin.startedAt,
  }))
  return entries.length === 0 ? undefined : { entries }
}
