import { test } from 'vitest'
import { mac } from '../../../src/subjects/mac/index.ts'
import { type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { needsRootToFix } from '../../support/contract.ts'
import {
  apparmorMachine,
  macHandsIn,
  macMachineIn,
  type PlacedProcess,
  selinuxMachine,
} from '../../support/mac-machine.ts'

type Told = Pick<ContractScene, 'title' | 'state'>

interface Laid {
  readonly loaded: string
  readonly files: Readonly<Record<string, string>>
  readonly processes?: readonly PlacedProcess[]
}

function apparmor(told: Told, wanted: object, { loaded, files, processes }: Laid): ContractScene {
  return {
    ...told,
    arrange(directory) {
      apparmorMachine(directory, loaded, files, processes)
      return { name: 'apparmor', ...wanted }
    },
    target: macMachineIn,
    remediator: macHandsIn,
  }
}

function selinux(told: Told, wanted: object, files: Record<string, string> = {}): ContractScene {
  return {
    ...told,
    arrange(directory) {
      selinuxMachine(directory, files)
      return { name: 'selinux', ...wanted }
    },
    target: macMachineIn,
    remediator: macHandsIn,
  }
}

const ENFORCE = { profiles: 'enforce' }
const MAN = 'profile man /usr/bin/man {\n  /usr/bin/man mr,\n  profile groff flags=(attach_disconnected) { /x r, }\n}\n'
const COMPLAINING = MAN.replace('/usr/bin/man {', '/usr/bin/man flags=(complain, audit) {').replace('disc', 'disc')
const LOADED = 'man (enforce)\nman//groff (enforce)\n'
const UNIT = '../../usr/lib/systemd/system/apparmor.service'
const BOOLEANS = { booleans: { httpd_can_network_connect: 'on' } }
const OFF = 'SELINUX=disabled\nSELINUXTYPE=targeted\n'

const scenes: readonly ContractScene[] = [
  apparmor({ title: 'all enforce', state: 'compliant' }, ENFORCE, { loaded: LOADED, files: { man: MAN } }),
  apparmor(
    { title: 'programs run under their profiles', state: 'compliant' },
    { confined: true },
    {
      loaded: LOADED,
      files: { man: MAN },
      processes: [
        { pid: 10, program: '/usr/bin/man', label: 'man (enforce)' },
        { pid: 11, program: '/usr/bin/other', label: 'unconfined' },
      ],
    },
  ),
  apparmor(
    { title: 'a program runs without its profile', state: 'unfixable' },
    { confined: true },
    {
      loaded: LOADED,
      files: { man: MAN },
      processes: [{ pid: 10, program: '/usr/bin/man', label: 'unconfined' }],
    },
  ),
  apparmor({ title: 'one complains by its flags', state: 'fixable' }, ENFORCE, {
    loaded: LOADED.replace('man (enforce)', 'man (complain)'),
    files: { man: COMPLAINING },
  }),
  apparmor({ title: 'all of a file complain by a link', state: 'fixable' }, ENFORCE, {
    loaded: LOADED.replaceAll('enforce', 'complain'),
    files: { man: MAN, 'force-complain/man': '' },
  }),
  apparmor({ title: 'one complains in the kernel alone', state: 'fixable' }, ENFORCE, {
    loaded: LOADED.replace('man (enforce)', 'man (complain)'),
    files: { man: MAN },
  }),
  apparmor({ title: 'one complains after the next start', state: 'fixable' }, ENFORCE, {
    loaded: LOADED,
    files: { man: COMPLAINING },
  }),
  apparmor({ title: 'a profile of another source', state: 'unfixable' }, ENFORCE, {
    loaded: `${LOADED}docker-default (complain)\n`,
    files: { man: MAN },
  }),
  apparmor({ title: 'a profile that is not written to be enforced', state: 'unfixable' }, ENFORCE, {
    loaded: 'x (unconfined)\n',
    files: { x: 'profile x /x flags=(unconfined) { }\n' },
  }),
  apparmor({ title: 'the unit loads them at each start', state: 'compliant' }, ENFORCE, {
    loaded: LOADED,
    files: { man: MAN, [UNIT]: '', '../systemd/system/sysinit.target.wants/apparmor.service': '' },
  }),
  apparmor({ title: 'the unit is not enabled', state: 'unfixable' }, ENFORCE, {
    loaded: LOADED,
    files: { man: MAN, [UNIT]: '' },
  }),
  apparmor({ title: 'none at all', state: 'unfixable' }, {}, { loaded: '', files: { README: '# Nothing\n' } }),
  selinux({ title: 'it enforces', state: 'compliant' }, { mode: 'enforcing', policy: 'targeted' }),
  selinux(
    { title: 'a boolean as it has to be', state: 'compliant' },
    { booleans: { httpd_can_network_connect: 'off' } },
  ),
  selinux({ title: 'permissive now', state: 'fixable' }, { mode: 'enforcing' }, { 'sys/fs/selinux/enforce': '0' }),
  selinux(
    { title: 'permissive after the next start', state: 'fixable' },
    { mode: 'enforcing' },
    { 'etc/selinux/config': 'SELINUX=permissive\nSELINUXTYPE=targeted\n' },
  ),
  selinux({ title: 'a boolean that is off', state: 'fixable' }, BOOLEANS),
  selinux({ title: 'a boolean that is nowhere', state: 'unfixable' }, { booleans: { nothing_like_it: 'on' } }),
  selinux({ title: 'another policy', state: 'unfixable' }, { policy: 'mls' }),
  selinux(
    { title: 'turned down by a boot argument', state: 'unfixable' },
    { mode: 'enforcing' },
    {
      'proc/cmdline': 'ro enforcing=0\n',
    },
  ),
  selinux(
    { title: 'off after the next start, and no configuration to change', state: 'fixable' },
    {},
    {
      'etc/selinux/config': OFF,
    },
  ),
]

/** Their fixes write files of root. */
const FIXED_AS_ROOT = [
  'one complains by its flags',
  'one complains after the next start',
  'permissive after the next start',
  'off after the next start, and no configuration to change',
]

for (const { name, run } of contractTests(mac, { scenes })) test.skipIf(needsRootToFix(name, FIXED_AS_ROOT))(name, run)
