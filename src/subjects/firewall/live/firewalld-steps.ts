import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firewalldOptions } from '../rules/firewalld/added.ts'
import type { FirewallChange, JudgeRules } from '../firewall.ts'
import { createLocalProbe } from '../../../host/live/probe.ts'
import { type Bench, readBefore, rewriteStep, runSilently, neverAborted } from './bench.ts'
import { FIREWALLD_DIRECTORY } from './firewalld.ts'
import type { Problem, Step, Steps } from './steps.ts'
import { storedOfFirewalld } from './stored.ts'

/** Changes zones where firewalld keeps them, and has it load what is stored. What was not stored of its zones is lost with that. */
export async function firewalldSteps(
  { added, halves }: FirewallChange,
  judge: JudgeRules,
  bench: Bench,
): Promise<Steps> {
  const written = halves.stored ? await changedFiles(added, judge, bench) : []
  if ('problem' in written) return written
  if (halves.inForce === 'kept') return written
  // What is taken back last: when the files from before are there.
  return [
    { carryOut: noProblem, takeBack: () => reload(neverAborted()) },
    ...written,
    { carryOut: () => reload(bench.signal), takeBack: noProblem },
  ]
}

/** The change is made to a copy, which firewalld itself has to take. */
async function changedFiles(added: FirewallChange['added'], judge: JudgeRules, bench: Bench): Promise<Steps> {
  const stored = await storedOfFirewalld(createLocalProbe())
  if (stored.kind === 'unknown') return { problem: stored.detail }
  const copy = mkdtempSync(join(tmpdir(), 'driftgate-firewall-'))
  try {
    cpSync(FIREWALLD_DIRECTORY, copy, { recursive: true, dereference: true })
    for (const options of [...firewalldOptions(stored.value, added), ['--check-config']]) {
      const refused = await runSilently(['firewall-offline-cmd', '--system-config', copy, ...options], bench.signal)
      if (refused !== undefined) return { problem: `${FIREWALLD_DIRECTORY} is unchanged: ${refused}` }
    }
    const rules = await storedOfFirewalld(createLocalProbe(), copy)
    const wrong = rules.kind === 'unknown' ? rules.detail : judge(rules.value)
    if (wrong !== undefined) return { problem: `${FIREWALLD_DIRECTORY} is unchanged: ${wrong}` }
    return rewriteSteps(copy, bench)
  } finally {
    rmSync(copy, { recursive: true })
  }
}

function rewriteSteps(copy: string, bench: Bench): Steps {
  const zones = readdirSync(join(copy, 'zones')).filter((name) => name.endsWith('.xml'))
  const steps: Step[] = []
  for (const name of ['firewalld.conf', ...zones.map((each) => `zones/${each}`)]) {
    const text = readFileSync(join(copy, name), 'utf8')
    const before = readBefore(join(FIREWALLD_DIRECTORY, name))
    if ('problem' in before) return before
    if (before.text !== text) steps.push(rewriteStep(before, text, bench))
  }
  return steps
}

function reload(signal: AbortSignal): Promise<Problem> {
  return runSilently(['firewall-cmd', '--reload'], signal)
}

async function noProblem(): Promise<undefined> {
  return undefined
}
