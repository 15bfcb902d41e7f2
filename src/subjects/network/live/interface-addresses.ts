import { known, type Reading, unknown } from '../../../model/observation.ts'
import { runCommand } from '../../../host/live/run-command.ts'
import { SYSTEM_PATH } from '../../../host/live/system-programs.ts'

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** All IPv4 addresses by interface. No file lists those of an interface that is down, only netlink, which Node cannot use. */
export async function askForIpv4(): Promise<Reading<ReadonlyMap<string, readonly string[]>>> {
  const outcome = await runCommand({
    argv: ['ip', '-4', '-o', 'addr', 'show'],
    workingDirectory: '/',
    environment: { PATH: SYSTEM_PATH, LC_ALL: 'C' },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_ANSWER_BYTES,
    signal: new AbortController().signal,
  })
  if (outcome.kind === 'exited' && outcome.exitCode === 0) return known(parseIpv4Addresses(outcome.stdout))
  const why = outcome.kind === 'not-started' ? outcome.message : 'the command failed'
  return unknown('not-observable', `cannot read the addresses of an interface that is down with "ip addr": ${why}`)
}

/** Parses `2: eth0    inet 10.0.0.5/24 brd … scope global eth0`, also `inet 10.0.0.1 peer 10.0.0.2/32`. */
export function parseIpv4Addresses(output: string): ReadonlyMap<string, readonly string[]> {
  const addresses = new Map<string, string[]>()
  for (const [, name = '', address = '', peer, prefix = ''] of output.matchAll(
    /^\d+: (\S+) +inet ([\d.]+)(?: peer ([\d.]+))?\/(\d+)/gm,
  )) {
    const cidr = `${address}/${peer === undefined ? prefix : '32'}`
    addresses.set(name, [...(addresses.get(name) ?? []), cidr])
  }
  return addresses
}
