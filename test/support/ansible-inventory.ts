import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sourceText } from '../../src/policy/document/lines.ts'
import { hostsOf } from '../../src/remote/inventory/ansible/graph.ts'
import { readGraph } from '../../src/remote/inventory/ansible/read-ansible.ts'
import type { Variable } from '../../src/remote/inventory/ansible/variable.ts'
import type { FilesBeside } from '../../src/remote/inventory/ansible/variables-beside.ts'
import { listEntries } from '../../src/policy/fetch/list-entries.ts'

/** Debian's own Python, which has Ansible's modules. */
const PYTHON = '/usr/bin/python3'

/** Why there is nothing to compare with, or undefined. */
export const needsAnsible: string | undefined =
  spawnSync(PYTHON, ['-c', 'import ansible.cli.inventory']).status === 0 ? undefined : 'needs ansible-core'

/** Groups with their hosts, and the variables of hosts; undefined where there is no inventory. */
export type Meant =
  | { readonly groups: Readonly<Record<string, readonly string[]>>; readonly hosts: Readonly<Record<string, unknown>> }
  | undefined

/** What Ansible makes of inventories. */
export function askAnsible(paths: readonly string[]): readonly Meant[] {
  // Ansible makes a directory in the home of whoever asks.
  const home = mkdtempSync(join(tmpdir(), 'driftgate-ansible-'))
  try {
    return answersIn(execFileSync(PYTHON, [join(import.meta.dirname, 'ansible-inventories.py')], askedBy(home, paths)))
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function askedBy(home: string, paths: readonly string[]) {
  const input = paths.map((path) => `${path}\n`).join('')
  const env = { PATH: '/usr/bin:/bin', HOME: home, ANSIBLE_CONFIG: join(home, 'ansible.cfg'), LC_ALL: 'C.UTF-8' }
  return { input, env, encoding: 'utf8', cwd: '/', stdio: 'pipe', maxBuffer: 2 ** 28 } as const
}

function answersIn(said: string): readonly Meant[] {
  return said
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Exclude<Meant, undefined> | { readonly error: string })
    .map((answer) => ('error' in answer ? undefined : answer))
}

/** The same of ours. */
export function meantByUs(path: string): { readonly meant: Meant; readonly why: string } {
  const source = sourceText(path, readFileSync(path, 'utf8'))
  const read = readGraph(
    path.endsWith('.yml') || path.endsWith('.json') ? 'yaml' : 'ini',
    source,
    besideIn(dirname(path)),
  )
  if (!read.ok) return { meant: undefined, why: read.problems.map(({ message }) => message).join('\n') }
  const { graph, variablesOf } = read.value
  const groups = [...graph.groups.keys()].map((name) => [name, [...hostsOf(graph, name)].toSorted()] as const)
  const hosts = [...graph.hosts.keys()].map(
    (name) => [name, Object.fromEntries([...variablesOf(name)].map(([key, value]) => [key, told(value)]))] as const,
  )
  return { meant: { groups: Object.fromEntries(groups), hosts: Object.fromEntries(hosts) }, why: '' }
}

/** The real files of a directory. */
export function besideIn(directory: string): FilesBeside {
  return {
    list(path) {
      const found = listEntries(join(directory, path))
      return 'reason' in found ? { message: found.reason, severity: 'error' } : found.entries
    },
    read: (path) => ({ file: join(directory, path), text: readFileSync(join(directory, path), 'utf8') }),
  }
}

function told({ value, unusable }: Variable): unknown {
  if (unusable === 'encrypted') return '$vault'
  return unusable === 'unreadable' ? '$python' : toldValue(value)
}

function toldValue(value: unknown): unknown {
  if (typeof value === 'bigint') return { $whole: String(value) }
  if (typeof value === 'number') return { $float: Number.isFinite(value) ? value : PYTHON_NAMES[String(value)] }
  if (Array.isArray(value)) return value.map(toldValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toldValue(inner)]))
}

const PYTHON_NAMES: Readonly<Record<string, string>> = { Infinity: 'inf', '-Infinity': '-inf', NaN: 'nan' }
