import process from 'node:process'
import { padColumns, widestOf } from '../../../model/columns.ts'
import { countOf } from '../../../model/count-of.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { createLocalTarget } from '../../../host/live/local-target.ts'
import type { Target } from '../../../host/target.ts'
import { scan } from '../../../engine/local.ts'
import { loadPoliciesFrom } from '../../../policy/load.ts'
import { loadExtensions } from '../../options/extension.ts'
import { stateDirectoryOf } from '../../options/state.ts'
import type { Io } from '../../output/io.ts'
import { versionInFull } from '../../version.ts'
import { type Check, configurationChecks, directoryChecks, hostChecks, typeChecks } from './checks.ts'
import type { DoctorInvocation } from './index.ts'

/** Looks at this host, prints what limits a scan, and returns the exit code. */
export async function runDoctor({ options }: DoctorInvocation, io: Io): Promise<number> {
  const target = io.machine ?? createLocalTarget()
  const { types } = await loadExtensions(options, io)
  const uid = process.getuid?.() ?? 0
  const surroundings = { target, uid, env: io.env, types, stateDirectory: stateDirectoryOf(options) }
  const checks = [
    ...(await ownChecks(target)),
    ...hostChecks(surroundings),
    ...typeChecks(surroundings),
    ...directoryChecks(surroundings),
    ...configurationChecks(surroundings),
  ]
  const limits = checks.filter(({ state }) => state === 'limited').length
  await io.print(options.json ? `${toSafeJson(checks, 2)}\n` : textOf(checks, limits))
  return limits === 0 ? EXIT.ok : EXIT.undecided
}

async function ownChecks(target: Target): Promise<readonly Check[]> {
  const [version = '', ...build] = versionInFull().trim().split('\n')
  const about = build.filter((line) => !line.endsWith('unknown')).join(', ')
  return [
    { area: 'driftgate', name: 'version', state: 'ok', found: `${version}, ${about}` },
    { area: 'driftgate', name: 'a small scan', ...(await timedScan(target)) },
  ]
}

const SMALL = `ccm: { resources: [ { file: [ { /etc/passwd: { ensure: present, if_absent: drift } } ] } ] }`

/** Whether one resource is observed, and how long that takes. */
async function timedScan(target: Target): Promise<Pick<Check, 'state' | 'found'>> {
  const start = performance.now()
  const loaded = await loadPoliciesFrom(['doctor.yaml'], { target, texts: new Map([['doctor.yaml', SMALL]]) })
  try {
    if (!loaded.ok) return { state: 'limited', found: loaded.problems.map(({ message }) => message).join('; ') }
    const { policies } = await scan(loaded.value, { target })
    const [result] = policies[0]?.resources ?? []
    const took = `${Math.round(performance.now() - start)} ms`
    if (result?.verdict === 'compliant') return { state: 'ok', found: `1 resource in ${took}` }
    return { state: 'limited', found: `file#/etc/passwd is ${result?.verdict}: ${result?.message ?? ''}` }
  } finally {
    await loaded.dispose()
  }
}

function textOf(checks: readonly Check[], limits: number): string {
  const width = widestOf(checks.map(({ name }) => name))
  const lines = checks.flatMap(({ area, name, state, found, advice }, index) => [
    ...(area === checks[index - 1]?.area ? [] : [...(index === 0 ? [] : ['']), area]),
    `  ${state.padEnd(7)}  ${padColumns(name, width)}  ${found}`,
    ...(advice === undefined ? [] : [`  ${' '.repeat(7)}  ${' '.repeat(width)}  ${advice}`]),
  ])
  const summary = limits === 0 ? 'everything can be observed' : `${countOf(limits, 'limit')}, exit ${EXIT.undecided}`
  return [...lines, '', summary].map((line) => `${escapeForTerminal(line)}\n`).join('')
}
