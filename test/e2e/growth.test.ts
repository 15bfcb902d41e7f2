import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/driftgate.ts'
import { type BlockCounts, executedBlocks, fasterThanLinear } from '../support/executed-blocks.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** What runs with an input of n parts, and the exit code. */
type Counted = readonly [args: readonly string[], code: number]

type Stage = (home: string, n: number) => Counted | Promise<Counted>

function put(home: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
}

const lines = (n: number, line: (index: number) => string): string =>
  Array.from({ length: n }, (_, i) => line(i)).join('')

/** Every third file differs from what the policy wants. */
function files(home: string, n: number): void {
  put(home, { 'root/etc/os-release': 'ID=debian\n' })
  put(home, Object.fromEntries(Array.from({ length: n }, (_, i) => [`root/srv/f${i}`, `line ${i}\n`])))
  const wanted = (i: number): string => (i % 3 === 0 ? 'other' : `line ${i}`)
  const resource = (i: number): string =>
    `        - /srv/f${i}: { ensure: present, content: "${wanted(i)}\\n", owner: root, group: root, mode: '0644' }\n`
  put(home, { 'policy.yaml': `ccm:\n  resources:\n    - file:\n${lines(n, resource)}` })
}

const SCAN = ['scan', 'policy.yaml', '--target', 'root:root']

/** Scans without counting, into a report. */
async function scanInto(home: string, report: string): Promise<void> {
  const { code } = await driftgate([...SCAN, '--report', `json=${report}`, '--quiet'], { cwd: home })
  expect(code).toBe(2)
}

const STAGES: Readonly<Record<string, Stage>> = {
  'scan and reports': (home, n) => {
    files(home, n)
    const reports = ['json', 'html', 'junit', 'sarif', 'markdown'].flatMap((format) => [
      '--report',
      `${format}=${format}`,
    ])
    return [[...SCAN, ...reports], 2]
  },
  'policies in JSON, and in YAML with data and templates': (home, n) => {
    const list = Array.from({ length: n }, (_, i) => ({
      [`/srv/f${i}`]: { ensure: 'absent', require: i === 0 ? [] : [`file#/srv/f${i - 1}`] },
    }))
    put(home, {
      'policy.json': JSON.stringify({ ccm: { resources: [{ file: list }] } }),
      'policy.yaml': `data:\n  mode: '0644'\nccm:\n  resources:\n    - file:\n${lines(n, (i) => `        - /srv/f${i}: { ensure: present, content: "{{ lookup('data.mode') }}\\n", owner: root, group: root, mode: "{{ lookup('data.mode') }}" }\n`)}`,
    })
    return [['validate', 'policy.json', 'policy.yaml'], 0]
  },
  'a comparison': async (home, n) => {
    files(home, n)
    await scanInto(home, 'before.json')
    put(home, Object.fromEntries(Array.from({ length: n }, (_, i) => [`root/srv/f${i}`, 'other\n'])))
    await scanInto(home, 'after.json')
    return [['compare', 'before.json', 'after.json'], 2]
  },
  'a fleet of reports': async (home, n) => {
    files(home, 3)
    await scanInto(home, 'report.json')
    const report = JSON.parse(readFileSync(join(home, 'report.json'), 'utf8'))
    const ofHost = (index: number): string =>
      JSON.stringify({
        ...report,
        run: { ...report.run, id: randomUUID() },
        target: { ...report.target, hostname: `host${index}`, machine: `${index}` },
      })
    put(home, Object.fromEntries(Array.from({ length: n }, (_, i) => [`reports/host${i}.json`, ofHost(i)])))
    return [['fleet', 'status', '--from', 'reports'], 0]
  },
}

const grows = async (stage: Stage, n: number): Promise<readonly string[]> => {
  const countsFor = async (size: number): Promise<BlockCounts> => {
    const home = temporaryDirectory()
    const [args, code] = await stage(home, size)
    return executedBlocks(args, { cwd: home, code })
  }
  const counts = [await countsFor(n), await countsFor(2 * n), await countsFor(4 * n)] as const
  expect(Math.max(...counts[2].values()), 'the input is read').toBeGreaterThanOrEqual(4 * n)
  return fasterThanLinear(counts, n)
}

test.each(Object.entries(STAGES))('the work of %s grows with its size', async (_, stage) => {
  expect(await grows(stage, 100)).toEqual([])
})

/** Files that programs read, each with its line of a number. */
const TEXTS: Readonly<Record<string, (index: number) => string>> = {
  fstab: (i) => `/dev/d${i} /srv/m${i} ext4 defaults 0 2\n`,
  'login.defs': (i) => `KEY_${i} ${i}\n`,
  'ssh/sshd_config': (i) => `AllowUsers user${i}\n`,
  sudoers: (i) => `Cmnd_Alias A${i} = /bin/p${i}\nuser${i} ALL = NOPASSWD: A${i}\n`,
  'systemd/journald.conf': (i) => `[Journal]\nKey${i}=${i}\n`,
  'security/limits.conf': (i) => `user${i} hard core ${i}\n`,
  'security/faillock.conf': (i) => `key${i} = ${i}\n`,
  'chrony/chrony.conf': (i) => `server s${i}.example iburst\n`,
  'postfix/main.cf': (i) => `key${i} = $key${i + 1}\n`,
  'apt/apt.conf': (i) => `A::B${i} "${i}";\n`,
  profile: (i) => `KEY_${i}=$KEY_${i + 1}\n`,
  'aide/aide.conf': (i) => `/srv/d${i} p+i\n`,
  'app.space': (i) => `key${i} ${i}\n`,
  'app.equals': (i) => `key${i} = ${i}\n`,
  'app.ini': (i) => `[section${i}]\nkey=${i}\n`,
  'app.properties': (i) => `key${i}: ${i} \\\n next\n`,
  'app.shell': (i) => `KEY_${i}="${i}"\n`,
  'app.toml': (i) => `[table${i}]\nkey = ${i}\n`,
  'app.yaml': (i) => `key${i}: [${i}]\n`,
  'sysctl.d/a.conf': (i) => `-net.ipv4.conf.eth${i}.forwarding = ${i}\n`,
  'modprobe.d/a.conf': (i) => `install m${i} /bin/false\n`,
  'audit/rules.d/a.rules': (i) => `-w /srv/w${i} -p wa -k key${i}\n`,
  passwd: (i) => `user${i}:x:${1000 + i}:${1000 + i}::/:/bin/sh\n`,
  group: (i) => `group${i}:x:${1000 + i}:user${i}\n`,
}

const FORMATS = ['space', 'equals', 'ini', 'properties', 'shell', 'toml', 'yaml']

const ABOUT_TEXTS = `ccm:
  resources:
    - setting:
        - defaults: { value: x }
        - login.defs:UMASK: {}
        - sshd:PermitRootLogin: {}
        - sudoers:Defaults.use_pty: {}
        - journald:Storage: {}
        - limits:hard.core: {}
        - faillock:deny: {}
        - chrony:user: {}
        - postfix:inet_interfaces: {}
        - apt:APT::Sandbox::Seccomp: {}
        - shell:TMOUT: {}
        - aide:/usr/sbin/auditd: {}
${FORMATS.map((format) => `        - /etc/app.${format}:a.key: { format: ${format} }\n`).join('')}
    - sysctl: [{ kernel.sysrq: { value: '0' } }]
    - kernel_module: [{ cramfs: { available: true } }]
    - audit_rule: [{ -w /etc/x -p wa: {} }]
    - user: [{ app: { shell: /bin/sh } }]
    - group: [{ app: { gid: 7 } }]
    - accounts: [{ people: { unique: [uid] } }]
    - mount: [{ /srv/x: { ensure: mounted } }]
`

test('the work of reading texts grows with their number of lines', async () => {
  const stage: Stage = (home, n) => {
    put(home, { 'root/etc/os-release': 'ID=debian\n', 'policy.yaml': ABOUT_TEXTS })
    put(home, Object.fromEntries(Object.entries(TEXTS).map(([path, line]) => [`root/etc/${path}`, lines(n, line)])))
    return [SCAN, 2]
  }
  expect(await grows(stage, 500)).toEqual([])
})
