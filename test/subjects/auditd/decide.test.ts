import { describe, expect, test } from 'vitest'
import type { Decision } from '../../../src/model/decision.ts'
import { known, type Reading, unknown } from '../../../src/model/observation.ts'
import { decideAuditRule } from '../../../src/subjects/auditd/decide.ts'
import type { Programs } from '../../../src/subjects/auditd/programs.ts'
import { auditRule } from '../../../src/subjects/auditd/index.ts'
import { ownFile } from '../../../src/subjects/auditd/plan.ts'
import { wantedLines } from '../../../src/subjects/auditd/wanted.ts'
import { decodeProperties } from '../../../src/resource-type/decode.ts'
import { compileRules, linesOf, type RulesFile } from '../../../src/subjects/auditd/rules/augenrules.ts'
import { type Resolved, type AuditLayer, loadLines } from '../../../src/subjects/auditd/rules/layers.ts'
import type { AuditRule } from '../../../src/subjects/auditd/rules/rule.ts'
import { syscallsOf } from '../../../src/subjects/auditd/rules/syscalls.ts'
import type { AuditChange, AuditState } from '../../../src/subjects/auditd/auditd.ts'

const SHADOW = '-w /etc/shadow -p wa -k identity'
const CHMOD = '-a always,exit -F arch=b64 -S chmod -F auid>=1000 -F auid!=unset -k perm_mod'
const NEVER = '-a never,exit -F dir=/etc -F perm=w'

/** Resolves a rule on the machine of these tests: `/gone` does not exist, and the account `nobody` is unknown. */
function resolve(rule: AuditRule): Resolved {
  if (rule.fields.some(({ value }) => value === 'nobody'))
    return { kind: 'unclear', message: 'nobody is called nobody' }
  if (rule.place?.path.startsWith('/gone/') === true) return { kind: 'refused', message: '/gone does not exist' }
  const place = rule.place?.kind === 'watch' ? ({ ...rule.place, kind: 'path' } as const) : rule.place
  return { kind: 'rule', rule: place === undefined ? rule : { ...rule, place } }
}

interface Machine {
  readonly kernel?: readonly string[] | Reading<never>
  readonly enabled?: number
  readonly compiled?: readonly string[] | Reading<never>
  /** The texts of files of rules.d by name; `null` where there is no such directory. */
  readonly sources?: Readonly<Record<string, string>> | null | Reading<never>
  readonly canCompile?: boolean
  readonly machine?: string
}

function stateOf({
  kernel = [],
  enabled = 1,
  compiled,
  sources = {},
  canCompile = true,
  machine = 'x86_64',
}: Machine): AuditState {
  const layerOf = (file: RulesFile): AuditLayer => loadLines(linesOf(file), resolve)
  const files = sources === null || isReading(sources) ? [] : filesOf({ 'a.rules': '-D\n', ...sources })
  const lines = compileRules(files, 'spaces')
  const text = isReading(compiled) ? '' : (compiled ?? lines.map((line) => line.text)).join('\n')
  const compiledLayer = layerOf({ path: '/etc/audit/audit.rules', text })
  return {
    loaded: isReading(kernel)
      ? kernel
      : known({
          layer: {
            ...loadLines(
              kernel.map((each) => ({ text: each })),
              resolve,
            ),
            settings: new Map([['-e', { value: enabled }]]),
          },
          enabled,
        }),
    compiled: isReading(compiled) ? compiled : known(compiledLayer),
    stored: isReading(sources)
      ? sources
      : known({
          layer: sources === null ? compiledLayer : loadLines(lines, resolve),
          leading: 'spaces',
          ...(sources === null ? {} : { files }),
        }),
    syscalls: syscallsOf(machine),
    resolve,
    canCompile,
  }
}

function isReading(value: unknown): value is Reading<never> {
  return typeof value === 'object' && value !== null && 'reason' in value
}

function filesOf(sources: Readonly<Record<string, string>>): readonly RulesFile[] {
  return Object.entries(sources)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, text]) => ({ path: `/etc/audit/rules.d/${name}`, text }))
}

function decide(wanted: string | readonly string[], machine: Machine, compareKey = false): Decision<AuditChange> {
  const given = typeof wanted === 'string' ? { name: wanted } : { name: 'title', rules: wanted }
  return decideAuditRule({ if_absent: 'drift', ...given, compare_key: compareKey }, { audit: stateOf(machine) })
}

function actionOf({ plan }: Decision<AuditChange>): AuditChange | undefined {
  return plan.kind === 'act' ? plan.action : undefined
}

/** The same rules in every layer. */
const everywhere = (...rules: string[]): Machine => ({ kernel: rules, sources: { 'b.rules': `${rules.join('\n')}\n` } })

const DENIED = unknown('permission-denied', 'only root may')

/** What is stored of a rule: auditctl 3.0.9 carries out removals where they stand. */
describe('a rule that is taken out again', () => {
  const REMOVAL = '-d always,exit -F path=/etc/shadow -F perm=wa -F key=identity'

  test.each([
    ['as a watch', [SHADOW, '-W /etc/shadow -p wa -k identity'], 'drifted'],
    ['in other words', [SHADOW, REMOVAL], 'drifted'],
    ['and put there again', [SHADOW, REMOVAL, SHADOW], 'compliant'],
    ['in words that are not understood', [SHADOW, '-d always,exit -F nothing=1'], 'unknown'],
    ['by its key', [SHADOW, '-D -k identity'], 'unknown'],
    ['but another one', [SHADOW, '-w /etc/group -p wa', '-W /etc/group -p wa'], 'compliant'],
    ['before it is there, where auditctl ends', [REMOVAL, SHADOW], 'drifted'],
    ['before it is there, where auditctl goes on', ['-i', REMOVAL, SHADOW], 'compliant'],
    ['as the rule that hides it', ['-a never,exit', '-d never,exit', SHADOW], 'compliant'],
  ])('%s', (_name, lines, verdict) => {
    const { drift, unknown } = decide(SHADOW, { kernel: [SHADOW], sources: { 'b.rules': `${lines.join('\n')}\n` } })
    expect(drift.length > 0 ? 'drifted' : unknown.length > 0 ? 'unknown' : 'compliant').toBe(verdict)
  })
})

describe('a rule', () => {
  test('in all layers is compliant', () => {
    expect(decide(SHADOW, everywhere(SHADOW))).toMatchObject({ drift: [], unknown: [], plan: { kind: 'none' } })
  })

  test.each([
    ['loaded', { sources: { 'b.rules': `${SHADOW}\n` } }],
    ['compiled', { ...everywhere(SHADOW), compiled: ['-D'] }],
    ['stored', { kernel: [SHADOW], compiled: [SHADOW] }],
  ])('everywhere but in one layer is drift of %s alone', (property, machine) => {
    expect(decide(SHADOW, machine).drift).toEqual([
      { property, desired: SHADOW, observed: null, note: 'no rule covers it' },
    ])
  })

  test('is not told where a layer cannot be read', () => {
    for (const [property, machine] of Object.entries({
      loaded: { kernel: DENIED },
      compiled: { compiled: DENIED },
      stored: { sources: DENIED, compiled: [SHADOW] },
    })) {
      const { drift, unknown: unclear, comparesStored } = decide(SHADOW, { ...everywhere(SHADOW), ...machine })
      expect(drift).toEqual([])
      expect(comparesStored).toBe(property === 'loaded')
      expect(unclear).toEqual([{ property, reason: 'permission-denied', detail: 'only root may' }])
    }
  })

  test('records nothing while auditing is off', () => {
    const { drift, plan } = decide(SHADOW, { ...everywhere(SHADOW), enabled: 0 })
    const note = 'auditing is disabled: the kernel records no events'
    expect(drift).toEqual([{ property: 'enabled', desired: 1, observed: 0, note }])
    expect(plan).toMatchObject({ kind: 'refuse', obstacles: [{ mayComeWithRequirement: true }] })
  })

  // augenrules writes a line on itself and an empty one, then -D, the rules and -e.
  test.each([
    ['of the compiled file', {}, '/etc/audit/audit.rules:5'],
    ['of rules.d, where the compiled file is unreadable', { compiled: DENIED }, '/etc/audit/rules.d/b.rules:2'],
    ['of rules.d alone', { compiled: [SHADOW, '-e 1'] }, '/etc/audit/rules.d/b.rules:2'],
  ])('records nothing after the next boot with -e 0 %s', (_where, machine, place) => {
    const sources = { 'b.rules': `${SHADOW}\n-e 0\n` }
    const { drift } = decide([SHADOW, '-a never,exclude -F msgtype=CWD'], { kernel: [SHADOW], sources, ...machine })
    const note = `auditing is disabled at boot: ${place}`
    expect(drift.filter(({ property }) => property === 'enabled')).toMatchObject([{ desired: 1, observed: 0, note }])
  })

  test('excludes without auditing', () => {
    const rule = '-a never,exclude -F msgtype=CWD'
    expect(decide(rule, { ...everywhere(rule), enabled: 0 }).drift).toEqual([])
  })

  test('is nothing where no program of the machine can do it', () => {
    const rule = '-a always,exit -F arch=b64 -S open'
    expect(decide(rule, { machine: 'aarch64' }).drift).toEqual([])
  })
})

describe('a difference', () => {
  const notes = (wanted: string | readonly string[], machine: Machine, compareKey = false) =>
    decide(wanted, machine, compareKey).drift.map(({ property, note, observed }) => [property, observed, note])

  test('names the earlier rule with its file and line, the kernel’s too', () => {
    const compiled = [NEVER, SHADOW]
    const machine = { kernel: compiled, compiled, sources: { 'b.rules': `# first\n${NEVER}\n${SHADOW}\n` } }
    expect(notes(SHADOW, machine)).toEqual([
      ['loaded', NEVER, 'shadowed by /etc/audit/rules.d/b.rules:2'],
      ['compiled', NEVER, 'shadowed by /etc/audit/audit.rules:1'],
      ['stored', NEVER, 'shadowed by /etc/audit/rules.d/b.rules:2'],
    ])
  })

  test('names a rule that the kernel alone has', () => {
    expect(notes(SHADOW, { ...everywhere(SHADOW), kernel: ['-a never,task', SHADOW] })).toEqual([
      ['loaded', '-a never,task', 'shadowed by a rule that is only in the kernel, not in a file'],
    ])
  })

  test('names the narrower rule with its conditions', () => {
    const narrow = `${CHMOD.replace('-k', '-F uid=5555 -k')}`
    expect(notes(CHMOD, everywhere(narrow)).slice(1)).toEqual([
      ['compiled', expect.any(String), '/etc/audit/audit.rules:4 is narrower: it requires uid=5555'],
      ['stored', expect.any(String), '/etc/audit/rules.d/b.rules:1 is narrower: it requires uid=5555'],
    ])
  })

  test('names the line at which auditctl stops', () => {
    const machine = {
      kernel: [CHMOD, SHADOW],
      compiled: [CHMOD, SHADOW],
      sources: { 'b.rules': `${CHMOD}\n${CHMOD}\n${SHADOW}\n` },
    }
    expect(notes(SHADOW, machine)).toEqual([
      ['stored', null, 'auditctl stops at /etc/audit/rules.d/b.rules:2, before any such rule: the rule already exists'],
    ])
  })

  test('is the key only where that is wanted', () => {
    const other = SHADOW.replace('identity', 'other')
    expect(notes(SHADOW, everywhere(other))).toEqual([])
    expect(notes(SHADOW, everywhere(other), true)).toHaveLength(3)
    expect(notes(SHADOW, everywhere(other), true)[2]?.[2]).toBe(
      '/etc/audit/rules.d/b.rules:1 records it without the desired key',
    )
  })

  test('names its rule where there are several', () => {
    expect(decide([SHADOW, CHMOD], everywhere(SHADOW)).drift.map(({ property, path }) => [property, path])).toEqual([
      ['loaded', CHMOD.replace('auid>=1000 -F auid!=unset -k perm_mod', 'auid!=unset -F auid>=1000 -F key=perm_mod')],
      ['compiled', expect.stringContaining('chmod')],
      ['stored', expect.stringContaining('chmod')],
    ])
  })

  test('that the kernel refuses cannot be met', () => {
    const { drift, plan } = decide('-w /gone/x -p wa', {})
    expect(drift[2]?.note).toBe('cannot be met here: /gone does not exist, so the kernel rejects the rule')
    expect(plan).toMatchObject({ kind: 'refuse' })
  })

  test('is not told of a name or a line that is not known', () => {
    const detail = 'nobody is called nobody'
    expect(decide('-a always,exit -F uid=nobody', {}).unknown).toHaveLength(3)
    expect(decide('-a always,exit -F uid=nobody', {}).unknown[0]).toEqual({
      property: 'loaded',
      reason: 'invalid',
      detail,
    })
    const strange = decide(SHADOW, {
      ...everywhere(SHADOW),
      sources: { 'b.rules': `-a always,exit -F x=1\n${SHADOW}\n` },
    })
    expect(strange.drift).toEqual([])
    expect(strange.unknown[1]).toMatchObject({ property: 'stored', detail: expect.stringContaining('b.rules:1') })
  })
})

describe('settings', () => {
  test.each([
    ['-e 1', 2, []],
    ['-e 2', 2, []],
    ['-e 2', 1, ['loaded', 'compiled', 'stored']],
    ['-e 0', 1, ['loaded', 'compiled', 'stored']],
  ])('%s where %i is set', (wanted, value, expected) => {
    const machine = { enabled: value, sources: { 'b.rules': `-e ${value}\n` } }
    expect(decide(wanted, machine).drift.map(({ property }) => property)).toEqual(expected)
  })

  test.each([
    ['-b 8192', '-b 16384', 0],
    ['-b 8192', '-b 64', 1],
    ['-f 1', '-f 2', 1],
    ['-c', '-c', 0],
    ['-D', '-D', 0],
    ['-i', '-c', 1],
  ])('%s is stored as %s', (wanted, line, count) => {
    const { drift } = decide(wanted, { sources: { 'b.rules': `${line}\n` } })
    expect(drift.filter(({ property }) => property === 'stored')).toHaveLength(count)
  })

  test.each([
    ['-r 0', '', 0],
    ['-r 0', '-r 1\n', 1],
    ['-b 8192', '', 0],
    ['-b 8192', '-b 64\n', 1],
  ])('%s may be absent, where "%s" is stored', (wanted, text, count) => {
    const audit = stateOf({ sources: { 'b.rules': text } })
    const { drift } = decideAuditRule({ name: wanted, compare_key: false, if_absent: 'compliant' }, { audit })
    expect(drift.filter(({ property }) => property === 'stored')).toHaveLength(count)
  })

  test('that other files set later cannot be fixed', () => {
    const { plan } = decide('-f 2', { sources: { 'zz.rules': '-f 1\n' } })
    expect(plan).toMatchObject({ obstacles: [{ reason: '-f 2: shadowed by /etc/audit/rules.d/zz.rules:1' }] })
  })
})

describe('a fix', () => {
  test('writes only missing rules', () => {
    const decision = decide([SHADOW, CHMOD], everywhere(SHADOW))
    const { file, load } = actionOf(decision) ?? {}
    expect(load).toBe(true)
    expect(file?.path).toMatch(/^\/etc\/audit\/rules\.d\/60-driftgate-title-[0-9a-f]{8}\.rules$/)
    expect(file?.text).toBe(
      '\n# Written by driftgate. A fix writes it again.\n-a always,exit -F arch=b64 -S chmod -F auid!=unset -F auid>=1000 -F key=perm_mod\n',
    )
  })

  test('comes after a file that does not end its last line', () => {
    const decision = decide(SHADOW, { sources: { 'a.rules': '', '50.rules': '-D\n-w /etc/passwd -p wa' } })
    expect(decision.plan).toMatchObject({ kind: 'act', action: { load: true } })
    expect(decision.plan).not.toHaveProperty('leaves')
  })

  test('leaves out system calls that only other architectures have', () => {
    const { file } = actionOf(decide('-a always,exit -F arch=b64 -S open,openat', { machine: 'aarch64' })) ?? {}
    expect(file?.text).toContain('-S openat\n')
  })

  test('compiles and loads the stored rules', () => {
    expect(actionOf(decide(SHADOW, { ...everywhere(SHADOW), compiled: ['-D'] }))).toEqual({ load: false })
    expect(actionOf(decide(SHADOW, { sources: { 'b.rules': `${SHADOW}\n` } }))).toEqual({ load: true })
  })

  test('waits for the next start where the kernel is locked', () => {
    const { plan } = decide(SHADOW, { enabled: 2 })
    expect(plan).toMatchObject({
      kind: 'act',
      action: { load: false },
      leaves: [{ reason: 'pending reboot: the kernel rejects rule changes while enabled is 2' }],
    })
    const stored = decide(SHADOW, { enabled: 2, sources: { 'b.rules': `${SHADOW}\n` } })
    expect(stored.plan).toMatchObject({
      kind: 'refuse',
      obstacles: [{ reason: expect.stringMatching(/^pending reboot/) }],
    })
  })

  test('waits if no line deletes the loaded rules', () => {
    const { plan } = decide(SHADOW, { kernel: [CHMOD], sources: { 'a.rules': '' } })
    expect(plan).toMatchObject({ leaves: [{ reason: expect.stringMatching(/^pending reboot: no line .*\(-D\)$/) }] })
  })

  test('does not load where the kernel cannot be asked', () => {
    expect(actionOf(decide(SHADOW, { kernel: DENIED }))).toMatchObject({ load: false })
  })

  test.each<[string, Machine, RegExp]>([
    ['nothing compiles', { canCompile: false }, /^augenrules is not installed/],
    ['the sources cannot be read', { sources: DENIED, compiled: [] }, /^cannot read the stored rules: only root may$/],
    ['rules are written by hand', { sources: null, compiled: [CHMOD] }, /^\/etc\/audit\/rules\.d does not exist/],
    ['the compiled rules cannot be read either', { sources: null, compiled: DENIED }, /./],
    ['auditctl stops before', { sources: { '10.rules': `${CHMOD}\n${CHMOD}\n` } }, /auditctl stops at .*10\.rules:2/],
  ])('is refused where %s', (_, machine, reason) => {
    const { plan } = decide(SHADOW, machine)
    expect(plan).toMatchObject({ kind: 'refuse', obstacles: [{ reason: expect.stringMatching(reason) }] })
  })

  test('is refused where a rule of another file hides it', () => {
    const { plan } = decide(SHADOW, { sources: { '10.rules': `${NEVER}\n` } })
    expect(plan).toMatchObject({
      kind: 'refuse',
      obstacles: [{ reason: `${SHADOW}: shadowed by /etc/audit/rules.d/10.rules:1` }],
    })
  })

  test('precedes a rule that would hide it in a file with a later name', () => {
    const decision = decide(SHADOW, { sources: { 'b.rules': `${NEVER}\n` } })
    expect(decision.plan).not.toHaveProperty('leaves')
    expect(actionOf(decision)?.file?.text).toContain(SHADOW)
  })

  test('writes the rules that it can', () => {
    const decision = decide([SHADOW, CHMOD], {
      sources: { '10.rules': `${NEVER.replace('dir=/etc', 'path=/etc/shadow')} -F auid=0\n` },
    })
    expect(actionOf(decision)?.file?.text).not.toContain(SHADOW)
    expect(decision.plan).toMatchObject({ leaves: [{ reason: expect.stringContaining('10.rules:1') }] })
  })

  test('is refused where our own file has everything and is hidden', () => {
    const own = ownFile(SHADOW, wantedLines({ name: SHADOW })).replace(/.*\//, '')
    const text = `\n# Written by driftgate. A fix writes it again.\n${SHADOW}\n`
    const { plan } = decide(SHADOW, { sources: { '10.rules': `${NEVER}\n`, [own]: text } })
    expect(plan).toMatchObject({ kind: 'refuse', obstacles: [{ reason: expect.stringContaining('shadowed by') }] })
  })

  test('says that a setting in the same resource turns auditing on', () => {
    const { plan } = decide([SHADOW, '-e 1'], { enabled: 0 })
    expect(plan).not.toHaveProperty('leaves')
  })

  test('does not load where auditctl would leave the kernel with some of the rules', () => {
    const { plan } = decide(SHADOW, { sources: { 'b.rules': `${SHADOW}\n-a x\n` } })
    expect(plan).toMatchObject({
      kind: 'refuse',
      obstacles: [{ reason: expect.stringMatching(/^auditctl would stop at .*b\.rules:2: x is not a list/) }],
    })
    expect(actionOf(decide(SHADOW, { sources: { 'b.rules': `-c\n${SHADOW}\n-a x\n` } }))).toEqual({ load: true })
  })
})

describe('a rule for each program', () => {
  const EACH = '-a always,exit -F path=PROGRAM -F perm=x -F auid>=1000 -F auid!=unset -k privileged'
  const ruleFor = (path: string) =>
    `-a always,exit -F path=${path} -F perm=x -F auid!=unset -F auid>=1000 -F key=privileged`
  const wanted = {
    name: 'privileged',
    rules: [EACH],
    set_id_below: '/usr',
    compare_key: false,
    if_absent: 'drift',
  } as const
  const programs = (paths: readonly string[], rest: Partial<Programs> = {}) =>
    known({ directory: '/usr', paths, leftOut: [], unread: [], ...rest })

  test('is covered by a rule for the directory, with any key', () => {
    const machine = everywhere('-a always,exit -F dir=/usr/bin -F perm=x')
    const decision = decideAuditRule(wanted, {
      audit: stateOf(machine),
      programs: programs(['/usr/bin/su', '/usr/bin/passwd']),
    })
    expect(decision).toMatchObject({ drift: [], unknown: [], messages: ['2 setuid or setgid programs below /usr'] })
  })

  test('names those that are not covered, and a fix writes only these', () => {
    const machine = everywhere(ruleFor('/usr/bin/su'))
    const decision = decideAuditRule(wanted, {
      audit: stateOf(machine),
      programs: programs(['/usr/bin/su', '/usr/bin/passwd']),
    })
    expect(decision.drift.map(({ property, path }) => [property, path])).toEqual(
      ['loaded', 'compiled', 'stored'].map((property) => [property, ruleFor('/usr/bin/passwd')]),
    )
    expect(actionOf(decision)?.file?.text).toContain(ruleFor('/usr/bin/passwd'))
    expect(actionOf(decision)?.file?.text).not.toContain('/usr/bin/su')
  })

  test('is not covered by one that an earlier never hides, or for another access', () => {
    const paths = ['/usr/bin/su']
    const hidden = everywhere('-a never,exit -F dir=/usr -F perm=x', ruleFor('/usr/bin/su'))
    const other = everywhere('-w /usr/bin/su -p wa')
    for (const machine of [hidden, other]) {
      const { drift } = decideAuditRule(wanted, { audit: stateOf(machine), programs: programs(paths) })
      expect(drift.map(({ property }) => property)).toEqual(['loaded', 'compiled', 'stored'])
    }
  })

  test('is not known to be covered where a program may have been missed', () => {
    const machine = everywhere(ruleFor('/usr/bin/su'))
    for (const seen of [programs(['/usr/bin/su'], { unread: [DENIED] }), DENIED]) {
      const { unknown: unclear, drift } = decideAuditRule(wanted, { audit: stateOf(machine), programs: seen })
      expect(drift).toEqual([])
      expect(unclear).toEqual([{ property: 'set_id_below', reason: 'permission-denied', detail: 'only root may' }])
      expect(auditRule.drifts).toContain('set_id_below')
    }
  })

  test('is written for no name that a file of rules cannot hold', () => {
    const decision = decideAuditRule(wanted, {
      audit: stateOf({}),
      programs: programs(['/usr/a b', '/usr/a"b', '/usr/a\nb', '/usr/\uDCFF']),
    })
    expect(actionOf(decision)?.file?.text.match(/path=.*?(?= -F)/g)).toEqual([String.raw`path=/usr/a\ b`])
    const { leaves } = decision.plan as { leaves?: readonly { reason: string }[] }
    expect(leaves?.filter(({ reason }) => reason.includes('a rules file cannot contain this name'))).toHaveLength(3)
  })

  test('says where no program was looked for', () => {
    const { messages } = decideAuditRule(wanted, {
      audit: stateOf({}),
      programs: programs([], { leftOut: [{ path: 'share', why: 'nfs4' }] }),
    })
    expect(messages).toEqual(['0 setuid or setgid programs below /usr', 'not entered: share (nfs4)'])
  })
})

test.each([
  [{ name: 'each', set_id_below: '/', rules: ['-w /bin/su -p x'] }, /has no .*-F path=PROGRAM/],
  [{ name: 'each', set_id_below: '/', rules: ['-e 1'] }, /has no .*-F path=PROGRAM/],
  [{ name: '-a always,exit -F path=PROGRAM -F perm=x' }, /the path PROGRAM does not start with/],
  [{ name: 'title' }, /is not an audit rule/],
  [{ name: '# comment' }, /it is empty/],
  [{ name: '-a always,exit -S open' }, /no architecture/],
  [{ name: '-a always,exit -F arch=b64 -S open -F exit=-EACCES -F exit=-EPERM' }, /write a rule for each alternative/],
  [{ name: 'title', rules: ['-e 9'] }, /-e takes 0, 1 or 2/],
])('a policy with %j has a problem', (given, message) => {
  const decoded = decodeProperties(auditRule, given)
  expect(decoded.ok ? '' : JSON.stringify(decoded)).toMatch(message)
})
