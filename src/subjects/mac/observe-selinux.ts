import { trimBlanksOfC, withBlanksOfC, wordsOf } from '../../settings/blanks.ts'
import { known, type Observation, present, type Reading, unknown } from '../../model/observation.ts'
import { assignmentsIn, effectiveOf } from '../../settings/effective.ts'
import { recordFiles } from '../../settings/files.ts'
import { SELINUX_CONFIG, selinux } from './selinux-settings.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import { POLICY_ENVIRONMENT } from '../../host/command.ts'
import type { HasFiles, Target } from '../../host/target.ts'
import { AUTORELABEL, type SelinuxBoolean, type SelinuxConfig, type SelinuxState } from './selinux.ts'
import type { MacDesired } from './wanted.ts'

const SELINUXFS = '/sys/fs/selinux'
const PATIENCE_MS = 60_000

type Machine = Pick<Target, 'probe' | 'run'> & HasFiles<'stat' | 'realPath' | 'readHead'>

/** Observes the current state of SELinux, and its configuration for the next boot. */
export async function observeSelinux(
  machine: Machine,
  { booleans = {} }: MacDesired,
  signal: AbortSignal,
): Promise<Observation<SelinuxState>> {
  const { files } = recordFiles(machine)
  const config = readConfig(files)
  const relabels = files.exists(AUTORELABEL)
  if (relabels.kind === 'unknown') return relabels
  const names = Object.keys(booleans)
  return present({
    mode: readMode(machine),
    config,
    bootArguments: readArguments(machine),
    booleans: names.length === 0 ? {} : await readBooleans(machine, { names, config, signal }),
    relabels: relabels.value,
  })
}

/** A kernel that runs without SELinux does not register its file system. @see init_sel_fs of the kernel */
function readMode({ probe }: Machine): SelinuxState['mode'] {
  const enforce = probe.readText(`${SELINUXFS}/enforce`)
  if (enforce.kind === 'unknown') return enforce
  if (enforce.value !== null) {
    const value = trimBlanksOfC(enforce.value)
    if (value === '1') return known('enforcing')
    return value === '0'
      ? known('permissive')
      : unknown('invalid', `${SELINUXFS}/enforce has the unexpected value ${value}`)
  }
  const systems = probe.readText('/proc/filesystems')
  if (systems.kind === 'unknown') return systems
  if (systems.value === null) return unknown('not-observable', '/proc/filesystems is not accessible')
  if (!withBlanksOfC(/\sselinuxfs$/m).test(systems.value)) return known('disabled')
  return unknown('not-observable', `${SELINUXFS} is not mounted, so the SELinux mode is unknown`)
}

function readConfig(files: ConfigFiles): Reading<SelinuxConfig> {
  const text = files.text(SELINUX_CONFIG)
  if (text.kind === 'unknown') return text
  const mode = readKey(files, 'SELINUX')
  if (mode.kind === 'unknown') return mode
  const policy = readKey(files, 'SELINUXTYPE')
  if (policy.kind === 'unknown') return policy
  const compiled = files.names(`/etc/selinux/${policy.value.value ?? 'targeted'}/policy`)
  if (compiled.kind === 'unknown') return compiled
  return known({
    mode: /^(?:enforcing|permissive|disabled)/.exec(mode.value.value?.toLowerCase() ?? '')?.[0] ?? null,
    policy: policy.value.value,
    modeAt: mode.value.at,
    policyAt: policy.value.at,
    hasPolicy: compiled.value?.some((name) => name.startsWith('policy.')) === true,
    text: text.value,
  })
}

function readKey(files: ConfigFiles, key: string): Reading<{ readonly value: string | null; readonly at: string }> {
  const assignments = assignmentsIn(files, selinux)
  if (assignments.kind === 'unknown') return assignments
  const effective = effectiveOf(selinux, assignments.value, { section: '', key })
  if (effective.kind === 'unknown') return effective
  const [winner] = effective.value[0].winners
  return known(
    winner === undefined
      ? { value: null, at: `${key} is not set in ${SELINUX_CONFIG}` }
      : { value: winner.value, at: `set by ${winner.file}:${winner.line}` },
  )
}

function readArguments({ probe }: Machine): SelinuxState['bootArguments'] {
  const text = probe.readText('/proc/cmdline')
  if (text.kind === 'unknown') return text
  if (text.value === null)
    return unknown('not-observable', '/proc/cmdline does not exist: the command line of the running kernel is unknown')
  const given = wordsOf(text.value)
  // The last occurrence is effective.
  return known(
    ['selinux', 'enforcing']
      .map((name) => given.findLast((each) => each.startsWith(`${name}=`)) ?? '')
      .filter((each) => each === 'selinux=0' || each === 'enforcing=0'),
  )
}

interface BooleanQuery {
  readonly names: readonly string[]
  readonly config: Reading<SelinuxConfig>
  readonly signal: AbortSignal
}

async function readBooleans(machine: Machine, asked: BooleanQuery): Promise<Readonly<Record<string, SelinuxBoolean>>> {
  const local = readLocal(machine, asked.config)
  const isListed = local.kind === 'known' && asked.names.every((name) => local.value.has(name))
  const defaults = isListed ? local : await askDefaults(machine, asked.signal)
  return Object.fromEntries(
    asked.names.map((name) => {
      const own = local.kind === 'known' ? local.value.get(name) : undefined
      const ofPolicy = defaults.kind === 'unknown' ? defaults : known(defaults.value.get(name) ?? null)
      const stored = local.kind === 'unknown' ? local : own === undefined ? ofPolicy : known(own)
      return [name, { now: readNow(machine, name), stored }]
    }),
  )
}

/** `1 1`: the current value and the pending one. */
function readNow({ probe }: Machine, name: string): SelinuxBoolean['now'] {
  const all = probe.list(`${SELINUXFS}/booleans`)
  if (all.kind === 'unknown') return all
  if (all.value === null) return unknown('not-observable', `${SELINUXFS}/booleans does not exist`)
  const text = probe.readText(`${SELINUXFS}/booleans/${name}`)
  if (text.kind === 'unknown') return text
  if (text.value === null) return known(null)
  const [value] = wordsOf(text.value)
  return value === '1' ? known('on') : value === '0' ? known('off') : unknown('invalid', `${name} holds ${text.value}`)
}

type Booleans = ReadonlyMap<string, 'on' | 'off'>

/** Persistent settings in addition to the policy. @see booleans(8) */
function readLocal({ probe }: Machine, config: Reading<SelinuxConfig>): Reading<Booleans> {
  if (config.kind === 'unknown') return config
  const policy = config.value.policy ?? 'targeted'
  const found = new Map<string, 'on' | 'off'>()
  for (const directory of [`/etc/selinux/${policy}/modules`, `/etc/selinux/${policy}`, `/var/lib/selinux/${policy}`]) {
    const text = probe.readText(`${directory}/active/booleans.local`)
    if (text.kind === 'unknown') return text
    for (const [, name = '', value = ''] of (text.value ?? '').matchAll(
      withBlanksOfC(/^\s*(\w+)\s*=\s*(1|0|on|off|true|false)\s*$/gim),
    )) {
      found.set(name, /^(?:1|on|true)$/i.test(value) ? 'on' : 'off')
    }
  }
  return known(found)
}

/** `NAME  (on   ,  off)  words`: the current value, and the one after the next boot. @see semanage-boolean(8) */
async function askDefaults({ run }: Machine, signal: AbortSignal): Promise<Reading<Booleans>> {
  const outcome = await run({
    argv: ['semanage', 'boolean', '-l', '-n'],
    workingDirectory: '/',
    environment: POLICY_ENVIRONMENT,
    timeoutMs: PATIENCE_MS,
    maxOutputBytes: 1024 * 1024,
    signal,
  })
  if (outcome.kind === 'not-started') return unknown('not-observable', outcome.message)
  if (outcome.kind === 'killed') return unknown('timeout', `semanage: ${outcome.reason}`)
  if (outcome.exitCode !== 0)
    return unknown('command', `semanage exited with ${outcome.exitCode}: ${trimBlanksOfC(outcome.stderr)}`)
  const lines = [...outcome.stdout.matchAll(withBlanksOfC(/^(\w+)\s+\((?:on|off)\s*,\s*(on|off)\)/gm))]
  return known(new Map(lines.map(([, name = '', value]) => [name, value === 'on' ? 'on' : 'off'])))
}
