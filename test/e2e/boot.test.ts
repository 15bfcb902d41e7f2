import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { DRIFTGATE } from '../support/driftgate.ts'
import { GRUB_PROBE } from '../support/grub-machine.ts'
import { OWN_STATE } from '../support/mount.ts'
import { cannotAsk, named } from '../support/surface-oracle.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const needs = cannotAsk(['grub-mkconfig', 'update-grub', 'unshare'], 'root')

const POLICY = `
ccm:
  resources:
    - boot_argument:
        - audit: { value: 1 }
        - audit_backlog_limit: { value: { at_least: 8192 } }
        - selinux: { value: { not: 0 }, if_absent: compliant }
`

interface Result {
  readonly scans: readonly string[]
  readonly lines: string
  readonly dropIn: string
}

/** Scans, fixes twice, and scans again, with a /boot and an /etc/default of its own, and the real grub-mkconfig. */
function fixed(between: string): Result {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'policy.yaml'), POLICY)
  writeFileSync(join(directory, 'probe'), GRUB_PROBE, { mode: 0o755 })
  writeFileSync(
    join(directory, 'cmdline'),
    'BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet audit=1 audit_backlog_limit=64\n',
  )
  const scan = `"$1" "$2" scan policy.yaml --report json`
  const script = `
    ${OWN_STATE}
    cd "$3"
    mount -t tmpfs none /boot && mkdir /boot/grub
    for version in 6.1.0-1-amd64 6.1.0-2-amd64; do : > /boot/vmlinuz-$version; : > /boot/initrd.img-$version; done
    mount --bind probe /usr/sbin/grub-probe
    mount --bind cmdline /proc/cmdline
    mount -t tmpfs none /etc/default && mkdir /etc/default/grub.d
    printf '%s\\n' 'GRUB_DISTRIBUTOR=\`echo Debian\`' 'GRUB_CMDLINE_LINUX_DEFAULT="quiet"' 'GRUB_CMDLINE_LINUX="audit=1 selinux=0"' > /etc/default/grub
    echo 'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX audit_backlog_limit=64"' > /etc/default/grub.d/50-vendor.cfg
    update-grub 2> /dev/null
    ${between}
    for each in 1 2 3; do
      if [ $each = 1 ]; then ${scan} > $each.json; else ${scan} --fix > $each.json; fi
      stat -c '%Y %i' /boot/grub/grub.cfg > stat.$each
    done 2> errors
    grep -h '^\\s*linux' /boot/grub/grub.cfg | sed 's/.*vmlinuz[^ ]* //' | sort -u > lines
    ls /boot/grub >> lines
    cat /etc/default/grub.d/zzz-driftgate-arguments.cfg > drop-in 2> /dev/null; true`
  execFileSync('unshare', ['--mount', 'sh', '-c', script, 'sh', process.execPath, DRIFTGATE, directory])
  const read = (name: string): string => readFileSync(join(directory, name), 'utf8')
  expect(read('stat.3')).toBe(read('stat.2'))
  return {
    scans: ['1.json', '2.json', '3.json'].map((name) => summaryOf(read(name))),
    lines: read('lines'),
    dropIn: read('drop-in'),
  }
}

interface Report {
  readonly policies: readonly {
    readonly resources: readonly { readonly verdict: string; readonly drift: readonly { property: string }[] }[]
  }[]
  readonly problems?: unknown
}

function summaryOf(text: string): string {
  const { policies, problems } = JSON.parse(text) as Report
  expect(policies, JSON.stringify(problems)).toHaveLength(1)
  return policies
    .flatMap(({ resources }) => resources)
    .map(({ verdict, drift }) => [verdict, ...new Set(drift.map(({ property }) => property))].join(' '))
    .join('; ')
}

test.skipIf(needs)(named('a fix changes sources and every entry; the running kernel stays', needs), () => {
  const { scans, lines, dropIn } = fixed('')
  expect(scans).toEqual([
    'compliant; drifted value entries source; drifted entries source',
    'compliant; fix-failed value entries source; fixed entries source',
    'compliant; fix-failed value; compliant',
  ])
  expect(lines.split('\n').map((line) => line.trim().split(/\s+/).join(' '))).toEqual([
    'root=/dev/sda1 ro audit=1 audit_backlog_limit=8192 quiet',
    'root=/dev/sda1 ro single audit=1 audit_backlog_limit=8192',
    'grub.cfg',
    '',
  ])
  expect(dropIn).toBe('# Written by driftgate.\nGRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX audit_backlog_limit=8192"\n')
})

test.skipIf(needs)(named('a menu that would have fewer entries is not put in place', needs), () => {
  const { scans, lines, dropIn } = fixed('rm /boot/vmlinuz-6.1.0-2-amd64')
  expect(scans[1]).toBe('compliant; fix-failed value entries source; fix-failed entries source')
  expect(lines).toContain('audit_backlog_limit=64')
  expect(lines).toMatch(/\ngrub\.cfg\n$/)
  expect(dropIn).toBe('')
})
