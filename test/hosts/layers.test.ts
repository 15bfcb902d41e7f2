import { describe, expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { apparmor, APPARMOR_OF_KERNEL } from './baseline/apparmor.ts'
import { auditRules } from './baseline/audit-rules.ts'
import { bootArguments, bootPasswords, GRUB_OF_HOST, WITH_PASSWORD } from './baseline/boot.ts'
import { AUTHORITIES, certificates } from './baseline/certificates.ts'
import type { LayeredRule } from './baseline/layered.ts'
import { driftOf, idOf, resources, scan, writePolicy } from './baseline/scan.ts'
import { type DebianHost, prepareRootFilesystem, bootForTest } from './debian-host.ts'

const TIMEOUT_MS = 600_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

const PASSWORD: LayeredRule = {
  type: 'boot_password',
  name: 'grub',
  properties: { unrestricted: true },
  violation: ':',
  drift: [],
}

// Rules that regenerate the menu come before those that plant an entry in it.
const RULES: readonly LayeredRule[] = [PASSWORD, ...auditRules, ...certificates, ...bootArguments, ...apparmor]

describe.skipIf(unavailable)(
  `stored settings of a kernel and a boot loader (${unavailable ?? 'on a Debian host'})`,
  () => {
    test(
      'every violation is found, repaired where a fix can, and gone when the host has started again',
      async () => {
        const host = await preparedHost()
        expect(seenIn(await scan(host))).toEqual(expected(() => []))

        for (const { violation } of RULES) await host.shell(violation)
        expect(seenIn(await scan(host))).toEqual(expected(({ drift }) => drift))
        await scan(host, ['--fix'])
        const left = ({ drift, repair, untilStart }: LayeredRule): LayeredRule['drift'] =>
          repair === undefined ? drift.filter(([property]) => untilStart?.includes(property)) : drift
        expect(seenIn(await scan(host))).toEqual(expected(left))
        for (const { repair } of RULES) if (repair !== undefined) await host.shell(repair)

        await host.reboot()
        expect(seenIn(await scan(host))).toEqual(expected(() => []))
        const again = await scan(host, ['--fix'])
        expect(resources(again).flatMap(({ actions }) => actions)).toEqual([])
        await expectPasswords(host)
      },
      TIMEOUT_MS,
    )
  },
)

async function preparedHost(): Promise<DebianHost> {
  const host = await bootForTest(rootFilesystem)
  await host.shell(`DEBIAN_FRONTEND=noninteractive apt-get install -qq -y auditd apparmor openssl grub2-common >/dev/null 2>&1
    systemctl disable -q --now auditd 2>/dev/null; systemctl reset-failed`)
  for (const script of [GRUB_OF_HOST, WITH_PASSWORD, APPARMOR_OF_KERNEL, AUTHORITIES]) await host.shell(script)
  for (const { prepare } of RULES) if (prepare !== undefined) await host.shell(prepare)
  await writePolicy(host, RULES)
  return host
}

/** A password can be missing in one way at a time, and none of them is for a fix to repair. */
async function expectPasswords(host: DebianHost): Promise<void> {
  await writePolicy(host, [PASSWORD])
  for (const [name, { violation, drift }] of Object.entries(bootPasswords)) {
    await host.shell(violation)
    const id = idOf(PASSWORD)
    expect([name, driftOf(await scan(host))]).toEqual([name, { [id]: drift }])
    const [fixed] = resources(await scan(host, ['--fix']))
    expect([name, fixed?.verdict, fixed?.message]).toEqual([
      name,
      'fix-failed',
      expect.stringContaining('grub-mkpasswd-pbkdf2'),
    ])
    await host.shell(WITH_PASSWORD)
    expect([name, driftOf(await scan(host))]).toEqual([name, { [id]: [] }])
  }
}

type Seen = Readonly<Record<string, { readonly drift: unknown; readonly unknown: readonly string[] }>>

/** The expected drift of each rule, and its unobservable properties. */
function expected(drift: (rule: LayeredRule) => LayeredRule['drift']): Seen {
  return Object.fromEntries(RULES.map((rule) => [idOf(rule), { drift: drift(rule), unknown: rule.unseen ?? [] }]))
}

function seenIn(run: Run): Seen {
  const drift = driftOf(run)
  return Object.fromEntries(
    resources(run).map((each) => [each.id, { drift: drift[each.id], unknown: unknownOf(each) }]),
  )
}

function unknownOf({ unknown, errors, verdict }: ResourceResult): readonly string[] {
  if (unknown === undefined && verdict === 'error') return errors ?? ['it could not be decided']
  return (unknown ?? []).map(({ property }) => property)
}
