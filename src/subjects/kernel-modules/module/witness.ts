import { type Observation, unknown } from '../../../model/observation.ts'
import type { Target } from '../../../host/target.ts'
import { WITNESSES } from '../../../settings/witnesses.ts'
import { matchesPattern, parseModprobeFile } from '../live/modprobe-file.ts'
import { lineOf } from '../module-availability.ts'
import type { KernelModuleState } from './decide.ts'

/** Dumps the configuration that it reads; the clean environment keeps options of the caller out. */
export const QUESTION = ['/usr/sbin/modprobe', '-c'] as const

/** Confirms with modprobe which command it runs instead of loading the module. */
export async function confirmWithModprobe(
  target: Pick<Target, 'open'>,
  name: string,
  seen: Observation<KernelModuleState>,
): Promise<Observation<KernelModuleState>> {
  if (seen.kind !== 'present' || seen.state.configuration.kind === 'unknown') return seen
  const answer = await target.open(WITNESSES).ask(QUESTION)
  if (answer?.exitCode !== 0) return seen
  // Most of its output are aliases of the kernel.
  const lines = answer.stdout.match(/^install .*$/gm)?.join('\n') ?? ''
  // It prints lines of its configuration without the backslashes that continue or escape.
  if (lines.includes('\\')) return seen
  const theirs = parseModprobeFile(lines).flatMap((said) =>
    said.kind === 'install' && matchesPattern(said.pattern, name.replaceAll('-', '_')) ? [said.command] : [],
  )[0]
  const [ours] = seen.state.configuration.value.install
  if (ours?.command === theirs) return seen
  const found = ours === undefined ? 'no line' : `${lineOf(ours)} "${ours.command}"`
  const said = theirs === undefined ? 'reports no command' : `reports "${theirs}"`
  return unknown('readers-disagree', `the command to install ${name}: ${found}, but ${QUESTION.join(' ')} ${said}`)
}
