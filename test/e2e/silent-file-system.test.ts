// A file system whose server is gone blocks its callers in system calls, where not even SIGKILL reaches.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import {
  type Outcome,
  ownFile,
  PROGRAM,
  type Running,
  start,
  temporaryDirectory,
  writePolicy,
} from '../support/driftgate.ts'
import { needsRoot } from '../support/temporary.ts'

const SILENT = fileURLToPath(new URL('../support/silent-fuse.py', import.meta.url))

const canMount =
  existsSync('/dev/fuse') &&
  ['unshare --mount true', 'python3 -c pass'].every((command) => spawnSync('sh', ['-c', command]).status === 0)
const cannotMount = needsRoot ?? (canMount ? undefined : 'needs unshare, /dev/fuse and python3')

// Once its daemon has ended the kernel refuses all that waits, so nothing outlives the test.
const MOUNTED = `
python3 "$1" silent $2 >mounted & daemon=$!
trap 'kill $daemon' EXIT
until grep -q mounted mounted; do :; done
shift 2
`

/** Runs a script of bash with the program's words as arguments, where a directory `silent` does not answer, or not truly. */
function beside(cwd: string, script: string, { says = '' } = {}): Running {
  mkdirSync(join(cwd, 'silent'), { recursive: true })
  const args = ['--mount', 'bash', '-c', MOUNTED + script, 'bash', SILENT, says, ...PROGRAM]
  return start('unshare', args, { cwd })
}

const TIMEOUT = expect.objectContaining({ verdict: 'error', reason: 'timeout' }) as unknown
const COMPLIANT = expect.objectContaining({ verdict: 'compliant' }) as unknown

function resourcesIn({ stdout }: Pick<Outcome, 'stdout'>): unknown {
  return (JSON.parse(stdout) as { policies: [{ resources: unknown }] }).policies[0].resources
}

test.skipIf(cannotMount)('a path on it is a timeout, through links too', async () => {
  const cwd = temporaryDirectory()
  symlinkSync('silent', join(cwd, 'link'))
  writePolicy(join(cwd, 'policy.json'), [
    { name: join(cwd, 'silent/file'), ensure: 'absent' },
    { name: join(cwd, 'link/file'), ensure: 'absent' },
    { name: join(cwd, 'copy'), ...ownFile({ source: 'silent/source' }) },
    { name: join(cwd, 'gone'), ensure: 'absent' },
  ])
  const outcome = await beside(cwd, '"$@" scan policy.json --report json').outcome
  expect(outcome.code).toBe(3)
  expect(resourcesIn(outcome)).toEqual([TIMEOUT, TIMEOUT, TIMEOUT, COMPLIANT])
})

test.skipIf(cannotMount)('so is what hangs only when it is opened', async () => {
  const cwd = temporaryDirectory()
  const file = join(cwd, 'silent/file')
  writePolicy(join(cwd, 'policy.json'), [{ name: file, ...ownFile({ content: 'x' }) }])
  const outcome = await beside(cwd, '"$@" scan policy.json --report json', { says: 'stat' }).outcome
  expect(outcome.code).toBe(3)
  expect(resourcesIn(outcome)).toEqual([TIMEOUT])
})

test.skipIf(cannotMount)('so is an overlay that lies over it', async () => {
  const cwd = temporaryDirectory()
  writePolicy(join(cwd, 'policy.json'), [{ name: join(cwd, 'over/file'), ...ownFile({ content: 'x' }) }])
  const script = `
mkdir over disk && mount -t tmpfs none disk && mkdir disk/upper disk/work
mount -t overlay none -o "lowerdir=$PWD/silent,upperdir=$PWD/disk/upper,workdir=$PWD/disk/work" over || exit 99
"$@" scan policy.json --report json`
  const outcome = await beside(cwd, script, { says: 'stat' }).outcome
  expect(outcome.code).toBe(3)
  expect(resourcesIn(outcome)).toEqual([TIMEOUT])
})

test.skipIf(cannotMount)('a file system that interrupts every call is a timeout, in templates too', async () => {
  const cwd = temporaryDirectory()
  writePolicy(join(cwd, 'policy.json'), [
    { name: join(cwd, 'silent/file'), ensure: 'absent' },
    { name: join(cwd, 'made'), ...ownFile({ content: "{{ readFile('silent/text') }}" }) },
    { name: join(cwd, 'gone'), ensure: 'absent' },
  ])
  const outcome = await beside(cwd, '"$@" scan policy.json --report json', { says: 'interrupt' }).outcome
  expect(outcome.code).toBe(3)
  expect(resourcesIn(outcome)).toEqual([TIMEOUT, TIMEOUT, COMPLIANT])
  expect(outcome.stdout).toContain('interrupts every call')
})

test.skipIf(cannotMount)('an entry that its directory lists is not absent although lstat fails', async () => {
  const cwd = temporaryDirectory()
  writePolicy(join(cwd, 'policy.json'), [
    { name: join(cwd, 'silent/there'), ensure: 'absent' },
    { name: join(cwd, 'silent/there/below'), ensure: 'absent' },
    { name: join(cwd, 'silent/gone'), ensure: 'absent' },
  ])
  const outcome = await beside(cwd, '"$@" scan policy.json --report json', { says: 'deny' }).outcome
  expect(outcome.code).toBe(3)
  const denied: unknown = expect.objectContaining({ verdict: 'error', reason: 'not-observable' })
  expect(resourcesIn(outcome)).toEqual([denied, denied, COMPLIANT])
})

/** All at once, each with its output and its exit code in files; every one has to wait for the silence. */
const ALL = `
n=0
while read -r words; do
  n=$((n + 1))
  { "$@" $words >$n.out 2>&1; echo $? >$n.code; } & runs="$runs $!"
done <commands
wait $runs`

test.skipIf(cannotMount)('any other read or write of a scan there is an error', async () => {
  const cwd = temporaryDirectory()
  writePolicy(join(cwd, 'policy.json'), [{ name: join(cwd, 'gone'), ensure: 'absent' }])
  symlinkSync('silent/policy.json', join(cwd, 'link.json'))
  const words = [
    'scan silent/policy.json',
    'scan silent',
    'scan link.json',
    'scan silent/bundle.tgz',
    'validate silent/policy.json',
    'scan policy.json --config silent/config.yaml',
    'scan policy.json --data silent/data.yaml',
    'scan policy.json --waivers silent/waivers.yaml',
    'scan policy.json --baseline silent/report.json',
    'scan policy.json --report json=silent/report.json',
    'scan policy.json --report json=silent/new/report.json',
    'scan policy.json --history silent/history',
    'history list --history silent/history',
  ]
  writeFileSync(join(cwd, 'commands'), `${words.join('\n')}\n`)
  await beside(cwd, ALL).outcome
  const results = words.map((line, at) => {
    const output = readFileSync(join(cwd, `${at + 1}.out`), 'utf8')
    const code = readFileSync(join(cwd, `${at + 1}.code`), 'utf8').trim()
    return [line, code, /the file system at \S+\/silent \(fuse\.silent\) does not answer/.test(output) || output]
  })
  expect(results).toEqual(words.map((line) => [line, '1', true]))
})

function policyReading(cwd: string, expression: string): void {
  writePolicy(join(cwd, 'policy.json'), [
    { name: join(cwd, 'made'), ...ownFile({ content: `{{ ${expression} }}` }) },
    { name: join(cwd, 'gone'), ensure: 'absent' },
  ])
}

test.skipIf(cannotMount).each(["readFile('silent/text')", "fileExists('CWD/silent/text')"])(
  'so is what %s in a template asks',
  async (expression) => {
    const cwd = temporaryDirectory()
    policyReading(cwd, expression.replace('CWD', cwd))
    const outcome = await beside(cwd, '"$@" scan policy.json --report json').outcome
    expect(outcome.code).toBe(3)
    expect(resourcesIn(outcome)).toEqual([TIMEOUT, COMPLIANT])
  },
)

test.skipIf(cannotMount)('a signal ends a scan at once while a template waits for it', async () => {
  const cwd = temporaryDirectory()
  policyReading(cwd, "readFile('silent/text')")
  const { outcome } = beside(cwd, '"$@" scan policy.json --report json & echo $! >pid; wait $!')
  const pidOfScan = (): number => Number(existsSync(join(cwd, 'pid')) && readFileSync(join(cwd, 'pid'), 'utf8'))
  const children = (pid: number): readonly string[] =>
    readdirSync(`/proc/${pid}/task`).map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'))
  await vi.waitUntil(() => pidOfScan() > 0 && children(pidOfScan()).some((pids) => pids !== ''), {
    timeout: 60_000,
    interval: 20,
  })
  process.kill(pidOfScan(), 'SIGINT')
  // It was not waited until there is a report.
  expect(await outcome).toMatchObject({ code: 130, stdout: '' })
})
