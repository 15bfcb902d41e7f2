// What ps(1) prints about processes that the test starts, in a PID namespace of its own, is what has to be seen.
import { execFileSync } from 'node:child_process'
import process from 'node:process'
import { expect, test } from 'vitest'
import { openProcesses } from '../../../../src/subjects/processes/live/processes.ts'
import { findSystemProgram } from '../../../../src/host/live/system-programs.ts'
import { bundle } from '../../../support/bundle.ts'
import type { ShownProcesses } from '../../../support/run-processes.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'

const missing = ['ps', 'unshare', 'python3'].find((name) => findSystemProgram(name) === undefined)
const skipped = needsRoot ?? (missing === undefined ? undefined : `needs ${missing}`)

test.skipIf(skipped)(`the same processes as ps shows (${skipped ?? 'root'})`, async () => {
  const directory = temporaryDirectory()
  const program = await bundle(`
    import { showProcesses } from './test/support/run-processes.ts'
    await showProcesses(${JSON.stringify(directory)})
  `)
  const argv = ['--pid', '--fork', '--mount-proc', process.execPath, program.file]
  const printed = execFileSync('unshare', argv, { encoding: 'utf8' })
  program.remove()
  const { ours, theirs, executables, unseen } = JSON.parse(printed) as ShownProcesses
  const known = (name: string, isDeleted = false) => ({ kind: 'known', value: { path: name, isDeleted } })
  const own = (name: string, isDeleted = false) => known(`${directory}/${name}`, isDeleted)
  expect(ours.toSorted()).toEqual(theirs.toSorted())
  expect(unseen).toBeUndefined()
  expect(executables).toEqual({
    plain: own('plain'),
    'with space': own('with space'),
    'a) S 1 (b': own('a) S 1 (b'),
    'line\nfeed': own('line\nfeed'),
    'a-name-of-more-than-fifteen-bytes': own('a-name-of-more-than-fifteen-bytes'),
    'x (deleted)': own('x (deleted)'),
    removed: own('removed', true),
    replaced: own('replaced', true),
    script: expect.objectContaining({ kind: 'known' }),
    headless: expect.objectContaining({ value: expect.objectContaining({ path: expect.stringContaining('python') }) }),
  })
})

const KERNEL_THREADS = 'ps -o pid= --ppid 2 -p 2'

function kernelThreads(): readonly number[] {
  const printed = execFileSync('sh', ['-c', KERNEL_THREADS], { encoding: 'utf8' })
  return printed.trim().split(/\s+/).map(Number)
}

const hasKernelThreads = missing === undefined && openProcesses().list().kind === 'known' && isKernel(2)

function isKernel(pid: number): boolean {
  const list = openProcesses().list()
  return list.kind === 'known' && list.value.processes.some((each) => each.pid === pid && each.isKernelThread)
}

test.skipIf(hasKernelThreads ? undefined : 'needs to see threads of the kernel')(
  'threads of the kernel are told apart',
  () => {
    const before = kernelThreads()
    const list = openProcesses().list()
    if (list.kind === 'unknown') throw new Error(list.detail)
    const after = kernelThreads()
    const seen = list.value.processes.filter(({ isKernelThread }) => isKernelThread).map(({ pid }) => pid)
    // Some come and go meanwhile.
    expect(seen).toEqual(expect.arrayContaining(before.filter((pid) => after.includes(pid))))
    expect(seen).not.toContain(process.pid)
    const kept = list.value.processes.filter(({ pid }) => seen.includes(pid))
    expect(kept.every(({ executable }) => executable.kind === 'known' && executable.value === null)).toBe(true)
  },
)
