// Caches V8's compiled code of the bundled command line for the Node version that runs this file. The build calls it;
// it can also be run for another Node version: `node .../driftgate/dist/bin/make-cache.js`.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { EXIT } from '../../model/gate.ts'
import { type Bundle, flagsHere, type LoadedCommand, withFlags } from './evaluate.ts'
import { cacheFile, loadCommand } from './load.ts'
import { plantRoot } from './warm-up-root.ts'

/** A typical policy: controls, defaults, data, templates and files, one compliant and one drifted. */
function policyFor(folder: string): string {
  return `policy:
  id: warm-up
  title: What most policies hold
  version: 1.0.0
  controls:
    - id: warm-up-01
      title: A control
      severity: high
      tags: [warm-up]
      references: { nist-800-53: [AC-3] }
      resources: [file#${folder}/drifted]
data:
  text: drifted
ccm:
  resources:
    - file:
        - defaults: { ensure: present, owner: '${process.getuid?.() ?? 0}', group: '${process.getgid?.() ?? 0}', mode: '0600' }
        - ${folder}/complies:
            content: "complies\\n"
        - ${folder}/drifted:
            control: { if: Facts.host.info.os == 'linux' }
            content: |
              {{ Data.text }}
        - ${folder}/absent:
            ensure: absent
`
}

/** The compiled code for small policies, and for baselines. */
async function warmUp(folder: string): Promise<readonly [CompiledCode, CompiledCode]> {
  const loaded = loadCommand([], false)
  const { command } = loaded
  const policy = join(folder, 'policy.yaml')
  writeFileSync(join(folder, 'complies'), 'complies\n', { mode: 0o600 })
  writeFileSync(join(folder, 'drifted'), 'other\n', { mode: 0o600 })
  writeFileSync(policy, policyFor(folder))
  const reports = ['json', 'junit'].flatMap((name) => ['--report', `${name}=${join(folder, name)}`])
  const messages: string[] = []
  const say = (text: string): void => void messages.push(text)
  const io = {
    ...command.processIo((code) => void (process.exitCode = code)),
    print: () => Promise.resolve(),
    say,
    screen: undefined,
  }
  const code = await command.runCommandLine(['scan', policy, '--no-config', '--report', 'text', ...reports], io)
  if (code !== EXIT.drift)
    throw new Error(`the scan that warms up ended with ${code} instead of ${EXIT.drift}: ${messages.join('')}`)
  const small = compiledCode(loaded)
  const root = join(folder, 'root')
  plantRoot(root)
  const baseline = ['scan', '@cis-debian-12', '--target', `root:${root}`, '--no-config', '--report', 'text']
  if ((await command.runCommandLine(baseline, io)) === EXIT.notPerformed)
    throw new Error(`the baseline that warms up was not scanned: ${messages.join('')}`)
  return [small, compiledCode(loaded)]
}

type CompiledCode = ReadonlyMap<Bundle, Buffer>

function compiledCode({ scripts }: LoadedCommand): CompiledCode {
  return new Map([...scripts].map(([bundle, script]) => [bundle, script.createCachedData()]))
}

/**
 * Flags for reproducible code: hash seeds determine the layout of strings, unused bytecode would be flushed, threads
 * compile in any order, and each garbage collection leaves ages in the code, so the heap has room for all.
 */
const SAME_EVERY_TIME = [
  '--hash-seed=1',
  '--random-seed=1',
  '--no-flush-bytecode',
  '--single-threaded',
  '--min-semi-space-size=512',
  '--max-semi-space-size=512',
  '--initial-old-space-size=2000',
]

async function makeCache(flags: Buffer): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'driftgate-cache-'))
  try {
    const [small, baseline] = await warmUp(folder)
    for (const [bundle, code] of small) write(cacheFile(bundle, false), withFlags(code, flags))
    for (const [bundle, code] of baseline) write(cacheFile(bundle, true), withFlags(code, flags))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Atomic for processes that start meanwhile. */
function write(file: string, compiled: Buffer): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, compiled, { mode: 0o644 })
  renameSync(draft, file)
  process.stdout.write(`made ${basename(file)}, ${Math.round(compiled.length / 1024)} KiB\n`)
}

/** Flag hash for the compiled code; only set in the child process. */
const [, , flags] = process.argv

if (flags !== undefined) {
  // A scan pauses after a while: with the clock stopped, a slow machine compiles the same functions.
  Object.defineProperty(performance, 'now', { value: () => 0 })
  void makeCache(Buffer.from(flags, 'hex'))
} else {
  const args = [...SAME_EVERY_TIME, __filename, flagsHere().toString('hex')]
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status === 0 && loadCommand([]).scripts.get('command')?.cachedDataRejected !== false) {
    throw new Error(`V8 rejects the generated code cache: ${cacheFile('command', false)}`)
  }
  process.exitCode = status ?? 1
}
