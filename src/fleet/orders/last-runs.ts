import { OperatorError } from '../../model/operator-error.ts'
import type { Run } from '../../model/run.ts'
import type { Login } from '../nats/connect.ts'
import { natsSource } from '../nats/nats-source.ts'
import type { Keys } from '../nats/read-message.ts'

/**
 * Last signed run of each host on the server. Throws an `OperatorError` if a host has no valid run: an unknown state
 * cannot be approved.
 */
export async function lastRunsOf(
  login: Login,
  keys: Keys,
  hosts: readonly string[],
): Promise<ReadonlyMap<string, Run>> {
  const last = new Map<string, Run>()
  const source = natsSource(login, keys)
  const add = (
    { host, startedAtMs, isPerformed }: { host: string; startedAtMs: number; isPerformed: boolean },
    run?: Run,
  ): void => {
    const known = last.get(host)
    if (run === undefined || !isPerformed || (known !== undefined && Date.parse(known.run.startedAt) > startedAtMs))
      return
    last.set(host, run)
  }
  try {
    const unusable = await source.news({ add, still: () => undefined, gone: () => undefined }, 'everywhere')
    const doubt = unusable.find(
      ({ isForged, hosts: about }) => isForged === true && about.some((host) => hosts.includes(host)),
    )
    if (doubt !== undefined) throw new OperatorError(`${doubt.place} is not trusted: ${doubt.reason}`)
  } finally {
    await source.close()
  }
  return new Map(
    hosts.map((host) => {
      const run = last.get(host)
      if (run === undefined) throw new OperatorError(`no report from ${host}: its drift is unknown`)
      return [host, run]
    }),
  )
}
