import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { kernelProblem, withKernelRules } from '../support/audit-rules.ts'
import { DRIFTGATE } from '../support/driftgate.ts'
import { OWN_STATE } from '../support/mount.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** The rules of the kernel are those of the whole machine: only without rules and with auditing off. */
const reason = ['/usr/sbin/augenrules', '/sbin/augenrules'].some((path) => existsSync(path))
  ? kernelProblem()
  : 'augenrules is not installed (auditd)'

const POLICY = `
ccm:
  resources:
    - audit_rule:
        - -w /etc/shadow -p wa -k identity: {}
        - time:
            rules:
              - -a always,exit -F arch=b64 -S adjtimex,settimeofday -F auid>=UID_MIN -F auid!=unset -k time-change
              - -a always,exit -F arch=b32 -S adjtimex,settimeofday,stime -F auid>=UID_MIN -F auid!=unset -k time-change
`

interface Result {
  /** Of each scan, the properties that drifted, resource by resource. */
  readonly scans: readonly string[]
  readonly files: readonly string[]
  readonly compiled: string
  /** What augenrules says of the compiled file at the end. */
  readonly check: string
  /** What is loaded at the end. */
  readonly kernel: readonly string[]
}

/** Scans, fixes and scans twice with an own /etc/audit, which holds these files of rules.d, and the real kernel and tools. */
function fixed(rules: Readonly<Record<string, string>>): Result {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'policy.yaml'), POLICY)
  for (const [name, text] of Object.entries(rules)) writeFileSync(join(directory, name), text)
  const scan = `"$1" "$2" scan policy.yaml --report json`
  const script = `
    ${OWN_STATE}
    cd "$3"
    mount -t tmpfs none /etc/audit && mkdir /etc/audit/rules.d && cp *.rules /etc/audit/rules.d/
    for each in 1 2 3; do
      if [ $each = 2 ]; then ${scan} --fix > $each.json; else ${scan} > $each.json; fi
    done 2> errors
    ls /etc/audit/rules.d > files
    cat /etc/audit/audit.rules > compiled
    augenrules --check >> check
    auditctl -l > kernel`
  withKernelRules('unshare -m sh -c "$@"', [script, 'sh', process.execPath, DRIFTGATE, directory])
  const read = (name: string): string => execFileSync('cat', [join(directory, name)], { encoding: 'utf8' })
  const propertiesOf = (text: string): string =>
    (JSON.parse(text) as Report).policies[0].resources
      .map(({ drift }) => [...new Set(drift.map(({ property }) => property))].join(' '))
      .join('; ')
  return {
    scans: ['1.json', '2.json', '3.json'].map((name) => propertiesOf(read(name))),
    files: read('files').trim().split('\n'),
    compiled: read('compiled'),
    check: read('check'),
    kernel: read('kernel').trim().split('\n'),
  }
}

interface Report {
  readonly policies: readonly [
    { readonly resources: readonly { readonly drift: readonly { readonly property: string }[] }[] },
  ]
}

describe.skipIf(reason)(`audit rules of this kernel${reason === undefined ? '' : `: ${reason}`}`, () => {
  test('are written, compiled and loaded, and the second look finds them', () => {
    const { scans, files, compiled, check, kernel } = fixed({
      '10-base.rules': '-D\n-b 8192\n',
      '50-site.rules': '-w /etc/passwd -p wa',
      '98-last.rules': '',
    })
    // Auditing stays off here, which is told each time.
    const all = 'loaded compiled stored enabled'
    expect(scans[0]).toBe(`${all}; ${all}`)
    expect(scans[2]).toBe('enabled; enabled')
    expect(check).toContain('No change')
    expect(files).toHaveLength(5)
    expect(compiled.split('\n').slice(1, 4)).toEqual(['-D', '-b 8192', ''])
    expect(kernel).toEqual([
      '-w /etc/passwd -p wa',
      expect.stringContaining('-a always,exit -F arch=b64 -S adjtimex,settimeofday'),
      expect.stringMatching(/-a always,exit -F arch=b32 -S .*stime/),
      '-w /etc/shadow -p wa -k identity',
    ])
  })

  test('that others have wider need no file', () => {
    const text =
      '-D\n-a always,exit -F dir=/etc -F perm=wa\n-a always,exit -F arch=b32 -S all\n-a always,exit -F arch=b64 -S all\n'
    const { scans, files } = fixed({ '30-all.rules': text })
    expect(scans).toEqual(['loaded compiled enabled; loaded compiled enabled', expect.any(String), 'enabled; enabled'])
    expect(files).toEqual(['30-all.rules'])
  })

  test('that others hide are not written', () => {
    const { scans, files } = fixed({ '10-never.rules': '-D\n-a never,exit -F auid>=1000\n' })
    expect(scans[2]).toContain('stored')
    expect(files).toEqual(['10-never.rules'])
  })
})
