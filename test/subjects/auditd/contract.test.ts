import { chmodSync, readFileSync } from 'node:fs'
import { test } from 'vitest'
import { auditRule } from '../../../src/subjects/auditd/index.ts'
import { openAuditOf, askKernel } from '../../../src/subjects/auditd/live/audit.ts'
import { createAuditControl } from '../../../src/subjects/auditd/live/control.ts'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { filesBelow } from '../../../src/host/live/machine-files.ts'
import { readingOf } from '../../../src/host/live/machine-reading.ts'
import { type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { auditMachine } from '../../support/audit-machine.ts'
import { opening, reading, writing } from '../../support/opening.ts'
import { machineIn } from '../../support/setting-machine.ts'
import { AUDITD } from '../../../src/subjects/auditd/subject.ts'

function scene(
  told: Pick<ContractScene, 'title' | 'state'>,
  wanted: object,
  files: Record<string, string> = {},
): ContractScene {
  return {
    ...told,
    arrange(directory) {
      auditMachine(directory, { ...LOADING, ...files })
      return { name: SHADOW, ...wanted }
    },
    target(directory) {
      const machine = machineIn(directory)
      const audit = openAuditOf({
        probe: machine.probe,
        ...machine.names,
        files: readingOf(filesBelow(directory)),
        kernel: () => askOnce(directory),
        canCompile: () => true,
      })
      return {
        ...machine,
        files: { ...machine.files, realPath: createLocalTarget().files.realPath },
        open: opening(machine, reading(AUDITD, audit)),
        forget() {
          machine.forget()
          audit.forget()
        },
      }
    },
    remediator: (directory) => ({
      ...createLocalRemediator(NO_JOURNAL),
      open: opening(
        createLocalRemediator(NO_JOURNAL),
        writing(AUDITD, createAuditControl(NO_JOURNAL, placeOf(directory))),
      ),
    }),
  }
}

const ANSWERS = new Map<string, ReturnType<typeof askKernel>>()

/** What auditctl says of the kernel of a machine; of the same kernel it says the same. */
function askOnce(directory: string): ReturnType<typeof askKernel> {
  const state = ['rules', 'status'].map((name) => readFileSync(`${directory}/kernel/${name}`, 'utf8')).join('\0')
  const answer = ANSWERS.get(state) ?? askKernel(placeOf(directory), AbortSignal.timeout(60_000))
  ANSWERS.set(state, answer)
  return answer
}

const placeOf = (directory: string) => ({ root: directory, searchPath: `${directory}/bin:/usr/bin:/bin` })

const LOADING = {
  'usr/lib/systemd/system/audit-rules.service': '[Service]\nExecStart=/sbin/augenrules --load\n',
  'etc/systemd/system/multi-user.target.wants/cron.service': '',
  'usr/lib/systemd/system/cron.service': '[Service]\nExecStart=/usr/sbin/cron -f\n',
}

const SHADOW = '-w /etc/shadow -p wa -k identity'
const RULES = [
  '-a always,exit -F arch=b64 -S chmod,fchmod -F auid>=UID_MIN -F auid!=unset -k perm_mod',
  '-a always,exit -F arch=b32 -S chmod,fchmod -F auid>=UID_MIN -F auid!=unset -k perm_mod',
]
const everywhere = (text: string) => ({
  'etc/audit/rules.d/30-all.rules': `-D\n${text}`,
  'etc/audit/audit.rules': `-D\n${text}`,
  'kernel/rules': text,
})
const LOCKED = { 'kernel/status': 'enabled 2\nfailure 1\nbacklog_limit 8192\n' }

const EACH = {
  name: 'privileged',
  rules: ['-a always,exit -F path=PROGRAM -F perm=x -F auid>=UID_MIN -F auid!=unset -k privileged'],
}

/** A machine with a program that runs as its owner; what is audited lies below the directory of the machine, too. */
function sceneOfProgram(told: Pick<ContractScene, 'title' | 'state'>, rules = ''): ContractScene {
  const whole = scene(told, {})
  return {
    ...whole,
    arrange(directory) {
      const tree = `${directory}/tree`
      auditMachine(directory, {
        ...LOADING,
        'tree/su': '',
        [`${tree}/su`]: '',
        ...everywhere(rules.replaceAll('TREE', tree)),
      })
      chmodSync(`${tree}/su`, 0o4755)
      return { ...EACH, set_id_below: tree }
    },
  }
}

const scenes: readonly ContractScene[] = [
  scene({ title: 'in all three layers', state: 'compliant' }, {}, everywhere(`${SHADOW}\n`)),
  scene(
    { title: 'covered by others', state: 'compliant' },
    { name: 'permissions', rules: RULES },
    everywhere('-a always,exit -F arch=b64 -S all\n-a always,exit -F arch=b32 -S all -F auid>=500\n'),
  ),
  scene({ title: 'nowhere', state: 'fixable' }, {}),
  scene(
    { title: 'several rules, one of which is there', state: 'fixable' },
    { name: 'both', rules: [SHADOW, ...RULES] },
    everywhere(`${SHADOW}\n`),
  ),
  scene(
    { title: 'stored and not compiled', state: 'fixable' },
    {},
    { 'etc/audit/rules.d/30-shadow.rules': `${SHADOW}\n` },
  ),
  scene(
    { title: 'compiled and not loaded', state: 'fixable' },
    {},
    { 'etc/audit/rules.d/30-shadow.rules': `${SHADOW}\n`, 'etc/audit/audit.rules': `-D\n${SHADOW}\n` },
  ),
  scene({ title: 'loaded alone', state: 'fixable' }, {}, { 'kernel/rules': `${SHADOW}\n` }),
  scene(
    { title: 'under another key than the one that is wanted', state: 'fixable' },
    { compare_key: true, name: 'key', rules: ['-w /etc/passwd -p wa -k identity'] },
    { 'kernel/rules': '-w /etc/passwd -p wa -k other\n' },
  ),
  scene({ title: 'a setting', state: 'fixable' }, { name: '-e 2' }),
  scene(
    { title: 'hidden by a rule of another file', state: 'unfixable' },
    {},
    everywhere(`-a never,exit -F dir=/etc -F perm=wa\n${SHADOW}\n`),
  ),
  scene({ title: 'a directory that is not there', state: 'unfixable' }, { name: '-w /etc/nothing/x -p wa' }),
  scene(
    { title: 'rules that auditctl does not load', state: 'unfixable' },
    {},
    { 'etc/audit/rules.d/30-twice.rules': '-w /etc/passwd -p wa\n-w /etc/passwd -p wa\n' },
  ),
  scene(
    { title: 'a kernel that is locked', state: 'unfixable' },
    {},
    {
      ...LOCKED,
      'etc/audit/rules.d/30-shadow.rules': `${SHADOW}\n`,
      'etc/audit/audit.rules': `-D\n${SHADOW}\n`,
    },
  ),
  sceneOfProgram({ title: 'a program that no rule is about', state: 'fixable' }),
  sceneOfProgram(
    { title: 'a program in a directory that a rule is about', state: 'compliant' },
    '-a always,exit -F dir=TREE -F perm=x\n',
  ),
  sceneOfProgram(
    { title: 'a program that an earlier rule hides', state: 'unfixable' },
    '-a never,exit -F dir=TREE -F perm=x\n-a always,exit -F path=TREE/su -F perm=x\n',
  ),
]

for (const { name, run } of contractTests(auditRule, { scenes })) test(name, run)
