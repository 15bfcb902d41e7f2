import { withBlanksOfC } from '../../settings/blanks.ts'
import { defined } from '../../model/defined.ts'
import type { ExportsOf } from '../../model/exported.ts'
import { known, present, type Reading, type Seen, unknown } from '../../model/observation.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import type { AuditChange } from './auditd.ts'
import { type AuditObserved, decideAuditRule } from './decide.ts'
import { recordFiles } from '../../settings/files.ts'
import { findPrograms } from './programs.ts'
import { problemOf, wantedLines, writtenRules } from './wanted.ts'
import { AUDITD } from './subject.ts'
import { otherServices, readUnit } from '../../settings/service-unit.ts'
import type { ConfigFiles } from '../../settings/surface.ts'

/** Units of audit 3 and 4 that load the rules when the host starts. */
const UNITS = ['auditd.service', 'audit-rules.service'] as const

/** What removes rules, loads others or disables auditing. @see auditctl(8) */
const CHANGE = withBlanksOfC(/\/auditctl\s(?:.*\s)?-(?:[DRWd]|e\s*0)/)

const COMPILED = withBlanksOfC(/\s-R\s+\/etc\/audit\/audit\.rules$/)

/** @see auditd(8), -s */
const DISABLING = withBlanksOfC(/\/auditd\s(?:.*\s)?-[a-z]*s\s*disable/)

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    summary:
      'A rule in auditctl syntax, such as `-w /etc/passwd -p wa`, or a setting, such as `-e 2`; a title if `rules` is set. Any spelling of a rule is the same: `-a always,exit` is `-a exit,always`, `-k` is `-F key=`, `auid!=unset` is `auid!=-1` and `auid!=4294967295`, the order of fields and the grouping of system calls do not count. `UID_MIN` in a rule is the number that /etc/login.defs has.',
  },
  rules: {
    kind: 'list',
    items: { kind: 'text', nonEmpty: true, summary: 'A rule or a setting.' },
    nonEmpty: true,
    summary: 'Several rules or settings. All of them must be covered; drift names its rule.',
  },
  set_id_below: {
    kind: 'text',
    absolutePath: true,
    phase: 'early',
    parameter: true,
    summary:
      'A directory. Every file below it with set-user-id or set-group-id takes the place of `PROGRAM` in the rules, each of which says `-F path=PROGRAM`. Only the file systems that this machine holds itself are looked at, and of these only where such programs can be run: not where `nosuid` or `noexec` is mounted. What was not entered is said, and what could not be looked at makes it unknown.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    parameter: true,
    summary: 'Verdict of a setting that no line has, which leaves it to the kernel: drift or compliant.',
  },
  compare_key: {
    kind: 'boolean',
    default: false,
    summary: 'Whether a covering rule must have the same key. Otherwise the key is only what a fix writes.',
  },
})

const exports = defineExports({
  enabled: {
    kind: 'integer',
    summary: 'Value of `-e` in the kernel: 0 if auditing is off, 2 if the rules are locked; absent if unknown.',
  },
})

const LOCKED = 'the kernel keeps the rules locked until reboot'

/** Audit rules, compared by their meaning. */
export const auditRule: ResourceType = defineResource({
  type: 'audit_rule',
  summary: 'Audit rules by what they record: loaded in the kernel, compiled, and stored for the next boot.',
  properties,
  rules: [
    {
      summary:
        'Each rule is one that auditctl takes, and one that names system calls says its architecture. With `set_id_below` each has `-F path=PROGRAM`.',
      reads: ['name', 'rules', 'set_id_below'],
      check: ({ name = '', rules, ...wanted }) =>
        writtenRules({ name, rules })
          .flatMap((each) => problemOf(each, wanted) ?? [])
          .at(0),
    },
  ],
  exports,
  drifts: ['loaded', 'compiled', 'stored', 'enabled', 'set_id_below'],
  neverSecret: ['loaded', 'compiled', 'stored', 'enabled', 'set_id_below'],
  examples: [
    {
      title: 'Writes and attribute changes of a file',
      yaml: `
        audit_rule:
          - -w /etc/shadow -p wa -k identity: {}`,
    },
    {
      title: 'Changes of permissions, by programs of both architectures',
      yaml: `
        audit_rule:
          - permissions:
              rules:
                - -a always,exit -F arch=b64 -S chmod,fchmod,fchmodat -F auid>=UID_MIN -F auid!=unset -k perm_mod
                - -a always,exit -F arch=b32 -S chmod,fchmod,fchmodat -F auid>=UID_MIN -F auid!=unset -k perm_mod`,
    },
    {
      title: 'Use of setuid and setgid programs, found on the host',
      yaml: `
        audit_rule:
          - privileged commands:
              set_id_below: /
              rules:
                - -a always,exit -F path=PROGRAM -F perm=x -F auid>=UID_MIN -F auid!=unset -k privileged`,
    },
    {
      title: 'Rules are locked until reboot',
      yaml: `
        audit_rule:
          - -e 2: {}`,
    },
  ],
  providers: [
    {
      name: 'auditd',
      platforms: ['linux'],
      async observe(target, wanted, { signal }) {
        const { set_id_below: directory } = wanted
        const programs = directory === undefined ? undefined : await findPrograms(target, directory, signal)
        const paths = programs?.kind === 'known' ? programs.value.paths : []
        const rules = wantedLines(wanted, paths).filter((line) => line.kind === 'rule')
        const state = await target.open(AUDITD).state(rules, signal)
        if (state.kind === 'unknown') return state
        const loading = readLoading(recordFiles(target).files)
        const audit = loading.kind === 'unknown' ? { ...state.value, compiled: loading } : state.value
        return present({ audit, ...defined({ programs }) })
      },
      apply: (remediator, _desired, action: AuditChange, { signal }) => remediator.open(AUDITD).change(action, signal),
    },
  ],
  decide: (wanted, observed) => decideAuditRule(wanted, seenOf(observed)),
  hazards: ({ name, rules = [] }, { load }) => ({
    irreversible: load && [name, ...rules].some((rule) => withBlanksOfC(/^-e\s*2\s*$/).test(rule)) ? LOCKED : undefined,
  }),
  exportsOf: exportsOfAuditRule,
})

function exportsOfAuditRule(_desired: unknown, observed: Seen<AuditObserved>): ExportsOf<typeof exports> {
  const { loaded } = seenOf(observed).audit
  return { enabled: loaded.kind === 'known' ? loaded.value.enabled : undefined }
}

/** The audit state always exists, even without a single rule. */
function seenOf(observed: Seen<AuditObserved>): AuditObserved {
  if (observed.kind === 'absent') throw new Error('the audit rules of a machine are never absent')
  return observed.state
}

/** Whether a unit loads the compiled rules; unknown if the known units do not, or if another unit changes them. */
function readLoading(files: ConfigFiles): Reading<true> {
  const [other] = otherServices(files, UNITS, ({ key, value }) => key.startsWith('Exec') && CHANGE.test(value))
  if (other !== undefined)
    return unknown('not-observable', `${other} runs auditctl, which removes rules or loads others`)
  let hasUnit = false
  for (const name of UNITS) {
    const unit = readUnit(files, name, { section: 'Service' })
    if (unit.kind === 'unknown') return unit
    hasUnit ||= unit.value !== undefined
    const changing = unit.value?.find(
      ({ key, value }) =>
        key.startsWith('ExecStart') && ((CHANGE.test(value) && !COMPILED.test(value)) || DISABLING.test(value)),
    )
    if (changing !== undefined)
      return unknown(
        'not-observable',
        `${changing.file}:${changing.line}: the unit removes rules, loads others or disables auditing`,
      )
    if (unit.value?.some(({ key, value }) => key.startsWith('ExecStart') && /\/(?:augenrules|auditctl)\b/.test(value)))
      return known(true)
  }
  return hasUnit
    ? unknown('not-observable', `${UNITS.join(' and ')} run neither augenrules nor auditctl, so no rules are loaded`)
    : known(true)
}
