import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { loadPolicy } from '../../src/policy/load.ts'
import { putAuthselect } from '../support/authselect.ts'
import { CLIENT, LINUX, SERVER } from './dev-sec/violations.ts'
import { type DebianHost, prepareRootFilesystem, bootForTest } from './debian-host.ts'
import { ADMINISTRATOR, choicesOf } from './remediation/phrases.ts'
import type { Choices, Reported } from './remediation/scripts.ts'

const TIMEOUT_MS = 600_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined
const [PREPARED, BROKEN, BROKEN_LATER, BROKEN_SERVICES, WORKING_SERVICES, BROKEN_RED_HAT] = [
  'prepared',
  'broken',
  'broken-later',
  'broken-services',
  'working-services',
  'broken-red-hat',
].map((name) => readFileSync(`test/hosts/remediation/${name}.sh`, 'utf8')) as [
  string,
  string,
  string,
  string,
  string,
  string,
]

/** What Debian 13 is asked for beside Debian 12. */
const DEBIAN_13 = `apt-get install -qq -y --no-install-recommends ufw nftables >/dev/null 2>&1
  ufw --force enable && ufw default allow incoming && ufw default allow outgoing && ufw default allow routed
  mkdir -p /etc/cron.yearly && chmod 0777 /etc/cron.yearly
  printf 'KexAlgorithms curve25519-sha256\\n' >/etc/ssh/sshd_config.d/50-site.conf
  printf '[Service]\\nExecStart=/bin/sleep infinity\\n' >/usr/lib/systemd/system/kea-dhcp4-server.service
  systemctl daemon-reload && systemctl start kea-dhcp4-server`

/** The violations of the dev-sec baselines. */
const DEV_SEC = `apt-get install -qq -y --no-install-recommends auditd >/dev/null 2>&1
  mkdir -p /etc/cron.d && touch /etc/crontab /etc/ssh/sshd_config.d/60-site.conf /etc/ssh/ssh_config.d/50-site.conf
  ${Object.values({ ...LINUX, ...SERVER, ...CLIENT, 'os-03b': '' }).join('\n')}`

/** The programs that let users in accept their files. */
const LOGINS = 'mkdir -p /run/sshd; sshd -t; [ ! -e /etc/sudoers ] || visudo -qc'

interface Scene {
  readonly baselines: readonly string[]
  /** The release of Debian, where it is not this machine's. */
  readonly suite?: string
  /** Baselines whose texts other scenes carry out. */
  readonly besides?: readonly string[]
  /** The directory with the files of another distribution, which are changed and scanned in the place of the host's. */
  readonly root?: string
  /** Breaks the host, and what was installed since. */
  readonly broken: readonly [string, string?]
  /** Succeeds where what runs on the host still works. */
  readonly works: string
  /** Why controls are left out that such a host does not comply with whatever is done, or does not show. */
  readonly not: Readonly<Record<string, string>>
  /** How many controls are left out for other reasons. These numbers only become smaller. */
  readonly leftOut: Readonly<Record<string, number>>
}

const SCENES: readonly Scene[] = [
  {
    baselines: ['@cis-debian-12', '@linux', '@ssh'],
    broken: [BROKEN, BROKEN_LATER],
    works: LOGINS,
    not: {
      '1.3.1.2': 'needs a boot loader',
      '1.4.1': 'needs a boot loader',
      '6.2.1.3': 'needs a boot loader',
      '6.2.1.4': 'needs a boot loader',
      '1.5.2': 'not every kernel has Yama',
      'ptrace-scope': 'not every kernel has Yama',
      symlinks: 'parameters of the kernel are read-only',
      'kptr-restrict': 'parameters of the kernel are read-only',
      '1.3.1.3': 'the kernel shows no profiles',
      '1.3.1.4': 'the kernel shows no profiles',
      'apparmor-enforce': 'the kernel shows no profiles',
      '6.2.1.2': 'auditd does not run',
      '6.1.2.1.3': 'needs a log server',
    },
    leftOut: { manual: 18, 'complied before': 70, 'not applicable': 31, 'the kernel shows no modules': 23 },
  },
  {
    baselines: ['@cis-debian-13'],
    suite: 'trixie',
    besides: ['@cis-debian-12'],
    broken: [DEBIAN_13],
    works: LOGINS,
    not: {
      '1.5.2': 'parameters of the kernel are read-only',
      '1.5.8': 'parameters of the kernel are read-only',
    },
    leftOut: { manual: 1, 'complied before': 7, 'not applicable': 1, 'the kernel shows no modules': 3 },
  },
  {
    baselines: ['@dev-sec-linux', '@dev-sec-ssh'],
    broken: [DEV_SEC],
    works: LOGINS,
    not: {
      'sysctl-34': 'parameters of the kernel are read-only',
      'sysctl-35': 'parameters of the kernel are read-only',
      'os-12': 'needs a kernel and microcode',
      'os-04': 'a person decides',
      'os-07': 'a person decides',
      'os-09': 'a person decides',
    },
    leftOut: { 'complied before': 12, 'not applicable': 2, 'the kernel shows no modules': 1 },
  },
  {
    baselines: ['@nginx', '@postgresql', '@docker-host'],
    broken: [BROKEN_SERVICES],
    works: WORKING_SERVICES,
    not: { 'docker-storage': 'no kernel has aufs any more' },
    leftOut: { manual: 6 },
  },
  {
    baselines: ['@cis-rhel-9'],
    besides: ['@cis-debian-12', '@cis-debian-13', '@dev-sec-linux', '@dev-sec-ssh'],
    root: '/srv/root',
    broken: [BROKEN_RED_HAT],
    works: LOGINS,
    not: {
      '1.2.1.1': 'a person compares',
      '1.3.1.1': 'needs packages of Red Hat',
      '1.3.1.2': 'needs a boot loader',
      '1.3.1.7': 'needs packages of Red Hat',
      '1.3.1.8': 'needs packages of Red Hat',
      '1.6.1': 'needs packages of Red Hat',
      '1.6.3': 'needs packages of Red Hat',
      '1.6.4': 'needs packages of Red Hat',
      '1.6.5': 'needs packages of Red Hat',
      '4.2.2': 'needs packages of Red Hat',
      '5.1.4': 'needs packages of Red Hat',
      '5.1.5': 'needs packages of Red Hat',
      '5.1.6': 'needs packages of Red Hat',
      '5.3.1.2': 'needs packages of Red Hat',
      '6.1.2': 'commands are not run',
      enable_authselect: 'commands are not run',
      reload_dconf_db: 'commands are not run',
    },
    leftOut: { manual: 4, 'complied before': 1 },
  },
]

const NO_MODULES = /neither \/proc\/modules nor \/sys\/module/
const NOT_SHOWN = RegExp(`${NO_MODULES.source}|^loaded: auditctl -l: `)

describe.skipIf(unavailable)(`remediation on a Debian host (${unavailable ?? 'booted for the test'})`, () => {
  test.concurrent.for(SCENES)(
    'what the texts tell to do makes their controls compliant, and no other control differ: $baselines',
    { timeout: TIMEOUT_MS },
    async ({ baselines, suite, besides, root: directory, broken, works, not, leftOut }, { skip, onTestFinished }) => {
      const root = suite === undefined ? rootFilesystem : await prepareRootFilesystem(suite)
      if (root.kind === 'unavailable') return skip(root.reason)
      const elsewhere = new Set((await Promise.all((besides ?? []).map(textsOf))).flat())
      const target = directory === undefined ? [] : ['--target', `root:${directory}`, '--offline-as', 'not-applicable']
      const host = await bootForTest(root, onTestFinished)
      await host.shell(PREPARED)
      await host.shell(broken[0])
      if (directory !== undefined) await putAuthselect(`/proc/${host.init()}/root${directory}`)
      const failures: string[] = []
      const followed = new Map<string, Choices>()
      const follow = async (id: string, script: string): Promise<void> => {
        const bash = ['bash', '--norc', '-euo', 'pipefail', '-c', `${ADMINISTRATOR}\n${script}`]
        const { code, stderr } = await host.run(directory === undefined ? bash : ['chroot', directory, ...bash])
        if (code !== 0 && !(id in not)) failures.push(`${id}: ended with ${code}: ${script}\n${stderr}`)
      }
      /** What a report finds at the resources of a control and could not look at, except for what no container shows. */
      const differencesOf = (reported: Reported | undefined): readonly string[] => {
        const { control, resources = [] } = reported ?? {}
        if (control === undefined || control.id in not) return []
        return resources
          .filter(
            ({ verdict, drift, message = '' }) => drift.length > 0 || (verdict === 'error' && !NOT_SHOWN.test(message)),
          )
          .map(({ id, message }) => `${id}: ${message}`)
      }
      /** Carries scripts out, each once, and returns a scan in which the controls that they are for must comply. */
      const followAll = async (
        scripts: readonly (readonly [string, string])[],
        only: readonly string[] = [],
      ): Promise<ReadonlyMap<string, Reported>> => {
        const ids = new Map(scripts.map(([id, script]) => [script, id]))
        for (const [script, id] of ids) await follow(id, script)
        await follow('later', 'do_later')
        const report = await scan(host, [...baselines, ...target], only)
        for (const [id] of scripts) failures.push(...differencesOf(report.get(id)).map((text) => `${id}: ${text}`))
        return report
      }

      // Programs first: what they bring is what the others configure.
      let latest: ReadonlyMap<string, Reported> | undefined
      for (const only of [/^Install /, /./, /./]) {
        latest ??= await scan(host, [...baselines, ...target])
        const todo = [...latest.values()].flatMap((reported): readonly (readonly [string, Choices])[] => {
          const { id, remediation = '' } = reported.control
          if (
            followed.has(id) ||
            elsewhere.has(remediation) ||
            !only.test(remediation) ||
            differencesOf(reported).length === 0
          )
            return []
          const choices = choicesOf(reported)
          return choices === undefined ? [] : [[id, choices]]
        })
        for (const [id, choices] of todo) followed.set(id, choices)
        for (let index = 0; todo.some(([, choices]) => index < choices.length); index++) {
          const chosen = todo.flatMap(([id, choices]) =>
            choices.slice(index, index + 1).map((script) => [id, script] as const),
          )
          await followAll(
            chosen,
            chosen.map(([id]) => id),
          )
        }
        if (todo.length > 0) latest = undefined
        if (only.source !== '^Install ' || broken[1] === undefined) continue
        await host.shell(broken[1])
        latest = undefined
      }

      // In the other order, so that of two controls each is followed after the other.
      const last = [...followed].toReversed().map(([id, choices]) => [id, choices.at(-1) ?? ''] as const)
      const report = await followAll(last.map(([id, script]) => [id, ONCE.test(script) ? '' : script]))

      const counts: Record<string, number> = {}
      for (const [id, reported] of report) {
        if (followed.has(id)) continue
        const { remediation = '' } = reported.control
        const reason = elsewhere.has(remediation) ? 'carried out elsewhere' : (not[id] ?? reasonOf(reported))
        counts[reason] = (counts[reason] ?? 0) + 1
      }
      await follow('works', works)
      const isCurrent = (id: string): boolean =>
        report.has(id) && !(followed.has(id) && report.get(id)?.control.verdict === 'compliant')
      expect(Object.keys(not).filter((id) => !isCurrent(id))).toEqual([])
      expect(failures).toEqual([])
      for (const [reason, count] of Object.entries(counts).filter(
        ([reason]) => reason !== 'carried out elsewhere' && !Object.values(not).includes(reason),
      ))
        expect(count, reason).toBeLessThanOrEqual(leftOut[reason] ?? 0)
    },
  )
})

/** Scripts that cannot be run twice. */
const ONCE = /^(?:new_file_system|install_packages|remove_packages|prelink|gpasswd)/

async function textsOf(baseline: string): Promise<readonly string[]> {
  const loaded = await loadPolicy(baseline)
  const policies = loaded.ok ? loaded.value : []
  return policies.flatMap(({ controls }) => controls.map(({ remediation = '' }) => remediation))
}

/** Why the remediation of a control was not carried out. */
function reasonOf({ control, resources }: Reported): string {
  if (resources.length === 0 || control.verdict === 'not-evaluated') return 'manual'
  if (resources.some(({ type }) => type === 'kernel_module')) return 'the kernel shows no modules'
  if (control.verdict === 'not-applicable') return 'not applicable'
  if (control.verdict === 'compliant') return 'complied before'
  return `${control.id} cannot be carried out: ${control.remediation}`
}

/** The controls of a scan by their id, with their resources. */
async function scan(
  host: DebianHost,
  args: readonly string[],
  only: readonly string[] = [],
): Promise<ReadonlyMap<string, Reported>> {
  const selected = only.flatMap((id) => ['--only', id])
  const { code, stdout, stderr } = await host.run(['driftgate', 'scan', ...args, ...selected, '--report', 'json'])
  if (stdout === '') throw new Error(`driftgate ended with ${code} and no report: ${stderr}`)
  const { policies } = JSON.parse(stdout) as Run
  return new Map(
    policies.flatMap(({ controls, resources }) =>
      controls.map((control) => [
        control.id,
        { control, resources: resources.filter(({ id }) => control.resources.includes(id)) },
      ]),
    ),
  )
}
