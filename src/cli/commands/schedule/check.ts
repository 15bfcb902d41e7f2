import { userInfo } from 'node:os'
import process from 'node:process'
import { defined } from '../../../model/defined.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import { loadPolicy } from '../../../policy/load.ts'
import { parseRemote, type RemoteSpec } from '../../../remote/spec.ts'
import { loadRunExtensions } from '../../options/extension.ts'
import { inputsOf } from '../../options/input.ts'
import { type ChosenTarget, targetOf } from '../../options/target.ts'
import { namedTarget, parallelOf } from '../../options/targets.ts'
import type { Io } from '../../output/io.ts'
import { type ScanRequest, scanRequestOf } from '../../scan/request.ts'
import type { ScheduleInvocation } from './index.ts'

interface ScheduledScan {
  readonly sources: readonly string[]
  readonly flags: ScheduleInvocation['options']
}

export function targetsOf({ targets, options: { target } }: ScanRequest): readonly ChosenTarget[] {
  return targets ?? (target.length === 0 ? ['local'] : target).map(namedTarget)
}

/**
 * Validates the policies of a schedule, which would otherwise fail every time. Throws an `OperatorError` if they are
 * invalid.
 */
export async function checkPolicies({ sources, flags }: ScheduledScan, io: Io): Promise<void> {
  const request = await scanRequestOf({ operands: sources, options: flags }, 'schedule')
  const { types, facts } = await loadRunExtensions(flags)
  const inputs = { ...inputsOf(flags, facts), ...defined({ checksum: request.checksum }) }
  const { signal } = new AbortController()
  const places: Place[] = []
  for (const target of targetsOf(request)) {
    if (target.refused !== undefined) throw new OperatorError(`target ${target.name}: ${target.refused}`)
    const remote = parseRemote(target.spec.text)
    if (remote !== undefined) {
      places.push({ target, remote })
      continue
    }
    const opened = await targetOf({ target: target.spec.text })
    const loaded = await loadPolicy(sources, { target: opened, types, signal, ...inputs, dataLayers: target.data })
    await loaded.dispose()
    if (!loaded.ok) throw new OperatorError('the policies are not valid', { problems: loaded.problems })
  }
  if (places.length > 0) await checkThere(places, { sources, flags }, io)
}

/** A remote target. */
interface Place {
  readonly target: ChosenTarget
  readonly remote: RemoteSpec
}

/** Environment variables of remote connections that exist only in a session. */
const OF_A_SESSION = ['SSH_AUTH_SOCK', 'KUBECONFIG', 'DOCKER_HOST', 'DOCKER_CONTEXT', 'CONTAINER_HOST']

/**
 * Remote targets validate the policies themselves, over the same connection as the schedule. An unreachable target is
 * not an error.
 */
async function checkThere(places: readonly Place[], { sources, flags }: ScheduledScan, io: Io): Promise<void> {
  for (const name of OF_A_SESSION) delete process.env[name]
  const user = userInfo().username
  io.say(`driftgate: the scans run as ${escapeForTerminal(user)}, ${WHAT_IS_NEEDED}\n`)
  const [{ jobOf, jobTo, throughWay }, { runJobThere }] = await Promise.all([
    import('../../remote-job.ts'),
    import('../../run-there.ts'),
  ])
  const options = { ...flags, ccm: false, quiet: true }
  const { signal } = new AbortController()
  const job = await jobOf({ command: 'validate', policies: sources, words: [], options, say: io.say })
  const check = async ({ target, remote }: Place): Promise<void> => {
    const found = await runJobThere(throughWay(remote, target), jobTo(target, job, flags), { signal, io })
    if (found.kind !== 'heard') io.say(`driftgate: warning: ${escapeForTerminal(found.message)}\n`)
    else if (found.value !== EXIT.ok) throw new OperatorError(`the policies are not valid at ${target.name}`)
  }
  const waiting = places.values()
  const work = async (): Promise<void> => {
    for (const place of waiting) await check(place)
  }
  await Promise.all(Array.from({ length: Math.min(parallelOf(flags), places.length) }, work))
}

const WHAT_IS_NEEDED =
  'and connect to their targets with the SSH configuration, known hosts and unencrypted keys of that user, without an agent or variables of this session'
