import { describe, expect, test } from 'vitest'
import { FRESH } from './baseline/fresh.ts'
import { INSTALLED, RULES } from './baseline/rules.ts'
import { driftOf, idOf, notIn, resources, scan, writePolicy } from './baseline/scan.ts'
import { type DebianHost, prepareRootFilesystem, bootForTest } from './debian-host.ts'

// Three starts of the host and five scans of everything, on machines that are busy with other things.
const TIMEOUT_MS = 600_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

describe.skipIf(unavailable)(`a baseline on a Debian host (${unavailable ?? 'booted for the test'})`, () => {
  test(
    `says what a fresh host lacks, finds ${RULES.length} planted violations, and repairs them beyond a reboot`,
    async () => {
      const host = await bootedHost()
      // Without the audit of the kernel, which no container has, its daemon fails; debootstrap makes no /etc/hosts.
      await host.shell(`DEBIAN_FRONTEND=noninteractive apt-get install -qq -y ${INSTALLED} >/dev/null 2>&1
          systemctl disable -q --now auditd 2>/dev/null; systemctl reset-failed; echo '127.0.0.1 localhost' > /etc/hosts`)
      for (const { prepare } of RULES) if (prepare !== undefined) await host.shell(prepare)
      const ofHost = Object.entries(driftOf(await scan(host))).filter(([id]) => !id.startsWith('sysctl#'))
      expect(Object.fromEntries(ofHost)).toEqual({ ...Object.fromEntries(ofHost.map(([id]) => [id, []])), ...FRESH })

      // What a fresh host lacks is repaired once, so that what is found next is what was planted.
      expect(notIn(await scan(host, ['--fix']), ['compliant', 'fixed'])).toEqual({})
      expect(notIn(await scan(host), ['compliant'])).toEqual({})

      for (const { violation } of RULES) await host.shell(violation)
      const found = await scan(host)
      expect(driftOf(found)).toEqual(Object.fromEntries(RULES.map((rule) => [idOf(rule), rule.drift])))
      const fixed = await scan(host, ['--fix'])
      expect(notIn(fixed, ['fixed'])).toEqual({})

      await host.reboot()
      expect(notIn(await scan(host), ['compliant'])).toEqual({})
      const again = await scan(host, ['--fix'])
      expect(resources(again).flatMap(({ actions }) => actions)).toEqual([])

      // The host is as usable as before: a user logs in, names resolve, packages can be installed.
      expect(await host.shell('su - gina -s /bin/sh -c id 2>/dev/null')).toContain('(gina)')
      expect(await host.shell('getent hosts localhost')).toContain('localhost')
      await host.shell('DEBIAN_FRONTEND=noninteractive apt-get install -qq -y nftables >/dev/null 2>&1; nft --version')
    },
    TIMEOUT_MS,
  )
})

async function bootedHost(): Promise<DebianHost> {
  const host = await bootForTest(rootFilesystem)
  await writePolicy(host, RULES)
  return host
}
