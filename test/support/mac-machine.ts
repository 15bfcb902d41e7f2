import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { known } from '../../src/model/observation.ts'
import type { Process } from '../../src/subjects/processes/processes.ts'
import { readStoredProfiles } from '../../src/subjects/mac/apparmor-profiles/stored.ts'
import type { Command, CommandOutcome } from '../../src/host/command.ts'
import type { Remediator } from '../../src/host/remediator.ts'
import type { Target } from '../../src/host/target.ts'
import { put } from './contract.ts'
import { handsIn, machineIn } from './setting-machine.ts'
import { opening, reading } from './opening.ts'
import { PROCESSES } from '../../src/subjects/processes/subject.ts'

const SECURITYFS = 'sys/kernel/security/apparmor'
const SELINUXFS = 'sys/fs/selinux'

/** A process of such a machine: the program that it runs, and its label. */
export interface PlacedProcess {
  readonly pid: number
  readonly program: string
  readonly label: string
}

/** Lays a machine with AppArmor below a directory: its kernel with these profiles, and files of /etc/apparmor.d. */
export function apparmorMachine(
  directory: string,
  loaded: string,
  files: Readonly<Record<string, string>>,
  processes: readonly PlacedProcess[] = [],
): void {
  put(directory, {
    'sys/module/apparmor/parameters/enabled': 'Y\n',
    [`${SECURITYFS}/profiles`]: loaded,
    'proc/filesystems': 'nodev\tsecurityfs\n',
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`etc/apparmor.d/${name}`, text])),
  })
  for (const { pid, program, label } of processes) {
    put(directory, { [`proc/${pid}/attr/apparmor/current`]: `${label}\n` })
    symlinkSync(program, join(directory, `proc/${pid}/exe`))
  }
}

/** Lays a machine with SELinux below a directory. Its semanage prints what stands in `semanage`. */
export function selinuxMachine(directory: string, files: Readonly<Record<string, string>> = {}): void {
  put(directory, {
    [`${SELINUXFS}/enforce`]: '1',
    [`${SELINUXFS}/booleans/httpd_can_network_connect`]: '0 0',
    'proc/filesystems': 'nodev\tselinuxfs\n',
    'proc/cmdline': 'BOOT_IMAGE=/vmlinuz ro quiet\n',
    'etc/selinux/config': '# This file controls SELinux.\nSELINUX=enforcing\nSELINUXTYPE=targeted\n',
    'etc/selinux/targeted/policy/policy.33': 'policy',
    semanage: 'httpd_can_network_connect      (off  ,  off)  Allow httpd to connect\n',
    ...files,
  })
}

/** Such a machine as one that is looked at. */
export function macMachineIn(directory: string): Target {
  const machine = machineIn(directory)
  return {
    ...machine,
    open: opening(machine, reading(PROCESSES, { list: () => known({ processes: processesIn(directory) }) })),
    run: async () => exited(0, readFileSync(join(directory, 'semanage'), 'utf8')),
  }
}

function processesIn(directory: string): readonly Process[] {
  const proc = join(directory, 'proc')
  const pids = existsSync(proc) ? readdirSync(proc).filter((name) => /^\d+$/.test(name)) : []
  return pids.map((pid) => ({
    pid: Number(pid),
    parentPid: 1,
    isKernelThread: false,
    command: 'test',
    arguments: [],
    executable: known({ path: readlinkSync(join(proc, pid, 'exe')), isDeleted: false }),
    realUid: 0,
    effectiveUid: 0,
    unit: known(null),
    startTicks: 0,
  }))
}

/** What a fix works with there: programs that change the files in which the kernel is laid, as the real ones change the kernel. */
export function macHandsIn(directory: string): Remediator {
  return { ...handsIn(directory), run: async ({ argv }) => runThere(directory, argv) }
}

function runThere(directory: string, [program, ...args]: Command['argv']): CommandOutcome {
  const [last = ''] = args.slice(-1)
  switch (program) {
    case 'apparmor_parser':
      return args[0] === '-r' ? load(directory, last) : compile(directory, args)
    case 'setenforce':
      writeFileSync(join(directory, SELINUXFS, 'enforce'), last)
      return exited(0)
    case 'setsebool':
      for (const [name, value] of args.slice(1).map((each) => each.split('='))) {
        writeFileSync(join(directory, `${SELINUXFS}/booleans/${name}`), value === 'on' ? '1 1' : '0 0')
        put(directory, { 'var/lib/selinux/targeted/active/booleans.local': `${name}=${value === 'on' ? 1 : 0}\n` })
      }
      return exited(0)
    default:
      return { kind: 'not-started', message: `there is no ${program}` }
  }
}

/** The real parser compiles what is to be put in place; where it is missing, anything is right. */
function compile(directory: string, args: readonly string[]): CommandOutcome {
  const parser = '/usr/sbin/apparmor_parser'
  if (!existsSync(parser)) return exited(0)
  const base = join(directory, 'etc/apparmor.d')
  const paths = args.map((each) => (each.startsWith('/') ? join(directory, each) : each))
  const { status, stderr } = spawnSync(parser, ['-b', base, ...paths], { encoding: 'utf8' })
  return exited(status ?? 1, '', stderr)
}

function load(directory: string, source: string): CommandOutcome {
  const stored = readStoredProfiles(machineIn(directory))
  const own = stored.kind === 'known' ? stored.value?.profiles.filter((each) => each.source === source) : undefined
  if (own === undefined) return exited(1, '', 'not understood')
  const path = join(directory, SECURITYFS, 'profiles')
  const names = new Set(own.map(({ name }) => name))
  const others = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !names.has(line.replace(/ \(\w+\)$/, '')))
  writeFileSync(path, [...others, ...own.map(({ name, mode }) => `${name} (${mode})`), ''].join('\n'))
  return exited(0)
}

function exited(exitCode: number, stdout = '', stderr = ''): CommandOutcome {
  return { kind: 'exited', exitCode, stdout, stderr, output: stdout + stderr }
}
