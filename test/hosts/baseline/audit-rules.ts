import type { LayeredRule } from './layered.ts'

const SOURCES = '/etc/audit/rules.d'
const COMPILED = '/etc/audit/audit.rules'

interface Row {
  readonly rules: readonly string[]
  readonly violation: string
  readonly drift: LayeredRule['drift']
  readonly repair?: string
}

/** A row's own file of rules, which the fix of a row does not touch. */
const fileOf = (title: string): string => `${SOURCES}/40-${title}.rules`

const MOUNT = '-a always,exit -F arch=b64 -S mount -F auid!=unset -F auid>=1000 -F key=mounts'
const TIME_64 = '-a always,exit -F arch=b64 -S adjtimex -F key=time'
const TIME_32 = '-a always,exit -F arch=b32 -S adjtimex -F key=time'
const NARROW = MOUNT.replace(' -F key', ' -F uid=5555 -F key')
const QUIET = '-a never,exit -F arch=b64 -S sethostname'

/** The same in the compiled file and in the sources, as a baseline's two lower layers go together. */
const inBoth = (observed: string | null, path: string): LayeredRule['drift'] => [
  ['compiled', observed, path],
  ['stored', observed, path],
]

const ROWS: Readonly<Record<string, Row>> = {
  'a file that is gone': {
    rules: ['-w /etc/passwd -p wa -k identity'],
    violation: `rm ${fileOf('a-file-that-is-gone')}; augenrules`,
    drift: inBoth(null, '-w /etc/passwd -p wa -k identity'),
  },
  'fewer accesses': {
    rules: ['-w /etc/group -p wa -k identity'],
    violation: `sed -i 's/-p wa/-p a/' ${fileOf('fewer-accesses')}; augenrules`,
    drift: inBoth('-w /etc/group -p a -k identity', '-w /etc/group -p wa -k identity'),
  },
  'a narrower field': {
    rules: [MOUNT],
    violation: `echo '${NARROW}' > ${fileOf('a-narrower-field')}; augenrules`,
    drift: inBoth(NARROW, MOUNT),
  },
  'one architecture': {
    rules: [TIME_64, TIME_32],
    violation: `sed -i /b32/d ${fileOf('one-architecture')}; augenrules`,
    drift: inBoth(null, TIME_32),
  },
  'an earlier never': {
    rules: ['-a always,exit -F arch=b64 -S sethostname -F key=names'],
    violation: `echo '${QUIET}' > ${SOURCES}/10-quiet.rules; augenrules`,
    drift: inBoth(QUIET, '-a always,exit -F arch=b64 -S sethostname -F key=names'),
    repair: `rm ${SOURCES}/10-quiet.rules; augenrules`,
  },
  'a line that is commented out': {
    rules: ['-w /etc/gshadow -p wa'],
    violation: `sed -i 's/^/# /' ${fileOf('a-line-that-is-commented-out')}; augenrules`,
    drift: inBoth(null, '-w /etc/gshadow -p wa'),
  },
  'a smaller backlog': {
    rules: ['-b 8192'],
    // Debian's own file is read behind those with a number, so that a file of a fix would not count.
    violation: `sed -i 's/-b 8192/-b 64/' ${SOURCES}/audit.rules; augenrules`,
    drift: inBoth('-b 64', '-b 8192'),
    repair: `sed -i 's/-b 64/-b 8192/' ${SOURCES}/audit.rules; augenrules`,
  },
  'rules that are not locked': {
    rules: ['-e 2'],
    violation: `echo '-e 1' > ${SOURCES}/95-open.rules; augenrules`,
    drift: inBoth('-e 1', '-e 2'),
  },
  'only compiled': {
    rules: ['-w /etc/hosts -p wa'],
    violation: `rm ${fileOf('only-compiled')}`,
    drift: [['stored', null, '-w /etc/hosts -p wa']],
  },
  'not compiled': {
    rules: ['-w /etc/sudoers -p wa'],
    violation: `sed -i '/etc.sudoers/d' ${COMPILED}`,
    drift: [['compiled', null, '-w /etc/sudoers -p wa']],
  },
}

/**
 * Audit rules in their sources and compiled. The kernel of a container does not answer, and auditd does not start there, so
 * what is loaded is unknown throughout.
 */
export const auditRules: readonly LayeredRule[] = Object.entries(ROWS).map(([name, { rules, ...row }]) => ({
  type: 'audit_rule',
  name,
  properties: { rules },
  prepare: `printf '%s\\n' ${rules.map((rule) => `'${rule}'`).join(' ')} > ${fileOf(name.replaceAll(' ', '-'))}; augenrules`,
  unseen: ['loaded'],
  ...row,
}))
