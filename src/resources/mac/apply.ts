import type { ApplyOutcome } from '../../core/decision.ts'
import type { FileAttributes, Remediator } from '../../target/remediator.ts'
import { SELINUX_CONFIG } from '../../surfaces/selinux.ts'
import { runChange } from '../shared/run-change.ts'
import type { ApparmorAction } from './apparmor.ts'
import { AUTORELABEL, type SelinuxAction } from './selinux.ts'

type Hands = Pick<Remediator, 'writeFile' | 'remove' | 'run'>

const READABLE: FileAttributes = { uid: 0, gid: 0, mode: 0o644 }

/** Does one step after another up to the first that fails. */
export async function applyMac(
  remediator: Hands,
  _wanted: unknown,
  action: ApparmorAction | SelinuxAction,
  { signal }: { readonly signal: AbortSignal },
): Promise<ApplyOutcome> {
  const steps =
    action.kind === 'apparmor' ? apparmorSteps(remediator, action, signal) : selinuxSteps(remediator, action, signal)
  for (const step of steps) {
    const outcome = await step()
    if (outcome.kind === 'failed') return outcome
  }
  return { kind: 'done' }
}

type Step = () => Promise<ApplyOutcome>

/** Each file is compiled before it takes the place of the old one. */
function apparmorSteps(
  remediator: Hands,
  { files, links, load }: ApparmorAction,
  signal: AbortSignal,
): readonly Step[] {
  return [
    ...files.map(
      ({ path, text }) =>
        () =>
          writeChecked(remediator, { path, text, signal }),
    ),
    ...links.map((path) => () => remediator.remove(path, { recursive: false })),
    ...load.map((path) => () => runChange(remediator, ['apparmor_parser', '-r', path], signal)),
  ]
}

interface Candidate {
  readonly path: string
  readonly text: string
  readonly signal: AbortSignal
}

async function writeChecked(remediator: Hands, { path, text, signal }: Candidate): Promise<ApplyOutcome> {
  const content = { kind: 'bytes', bytes: Buffer.from(text) } as const
  const slash = path.lastIndexOf('/')
  // The parser passes over what starts with a dot when it loads the directory.
  const candidate = `${path.slice(0, slash)}/.${path.slice(slash + 1)}.driftgate-candidate`
  const staged = await remediator.writeFile(candidate, content, READABLE)
  const argv = ['apparmor_parser', '--skip-kernel-load', '--skip-cache', candidate] as const
  const checked = staged.kind === 'failed' ? staged : await runChange(remediator, argv, signal)
  const removed = await remediator.remove(candidate, { recursive: false })
  if (checked.kind === 'failed') return { ...checked, message: `${path} was not written: ${checked.message}` }
  return removed.kind === 'failed' ? removed : remediator.writeFile(path, content, READABLE)
}

function selinuxSteps(
  remediator: Hands,
  { config, relabel, booleans, setenforce }: SelinuxAction,
  signal: AbortSignal,
): readonly Step[] {
  const write = (path: string, text: string) => () =>
    remediator.writeFile(path, { kind: 'bytes', bytes: Buffer.from(text) }, READABLE)
  return [
    ...(config === undefined ? [] : [write(SELINUX_CONFIG, config)]),
    ...(relabel ? [write(AUTORELABEL, '')] : []),
    ...(booleans.length === 0 ? [] : [() => runChange(remediator, ['setsebool', '-P', ...booleans], signal)]),
    ...(setenforce === undefined ? [] : [() => runChange(remediator, ['setenforce', setenforce], signal)]),
  ]
}
