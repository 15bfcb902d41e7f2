// What benchmarks share: repeated measurements of child processes, and machines to scan.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const DRIFTGATE = fileURLToPath(new URL('../dist/bin/driftgate.js', import.meta.url))
const CHILD_MEMORY = fileURLToPath(new URL('bench-memory.mjs', import.meta.url))

export async function createTools(folder) {
  return {
    folder,
    /** The command that runs driftgate. */
    driftgate: (...args) => [process.execPath, DRIFTGATE, ...args],
    nothing: [process.execPath, '-e', '0'],
    median,
    timed,
    peakMemoryBytes: (command) => peakMemoryBytes(command, folder),
    makeFiles: (count, options) => makeFiles(folder, count, options),
    isInstalled,
    compare,
  }
}

/** Medians of the wall-clock times of commands in milliseconds. They take turns, so that a busy moment hits them all. */
function median(commands, { runs, exitCodes = [0], cwd, env, uid, gid }) {
  const times = commands.map(() => [])
  for (let run = 0; run <= runs; run++) {
    commands.forEach(([program, ...args], index) => {
      const start = performance.now()
      const { status, stderr } = spawnSync(program, args, {
        cwd,
        uid,
        gid,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
        encoding: 'utf8',
      })
      const elapsed = performance.now() - start
      if (!exitCodes.includes(status)) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`)
      // The first run fills the caches of the system and is not counted.
      if (run > 0) times[index].push(elapsed)
    })
  }
  return times.map((values) => values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)])
}

/**
 * Medians of elapsed time, CPU time and peak memory of commands, by /usr/bin/time. They take turns, so that a busy moment hits them all.
 * A command that took longer than the limit has no figures.
 */
function timed(commands, { runs, limitMs, exitCodes = [0] }) {
  const all = commands.map(() => [])
  for (let turn = 0; turn <= runs; turn++) {
    commands.forEach((command, index) => {
      if (all[index].at(-1) === undefined && all[index].length > 0) return
      all[index].push(timedOnce(command, limitMs, exitCodes))
    })
  }
  // The first run fills the caches of the system and is not counted.
  return all.map(([first, ...counted]) => {
    if (first === undefined || counted.includes(undefined)) return undefined
    const middle = (key) => counted.map((each) => each[key]).toSorted((left, right) => left - right)[runs >> 1]
    return { elapsedMs: middle('elapsedMs'), cpuMs: middle('cpuMs'), mebibytes: middle('mebibytes') }
  })
}

function timedOnce(command, limitMs, exitCodes) {
  const limit = limitMs === undefined ? [] : ['timeout', '--kill-after=5', String(limitMs / 1000)]
  const { stderr } = spawnSync('/usr/bin/time', ['-f', '\n%x %e %U %S %M', ...limit, ...command], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  const [status, elapsed, user, system, kibibytes] = stderr.trim().split('\n').at(-1).split(' ').map(Number)
  if (limitMs !== undefined && status === 124) return undefined
  if (!exitCodes.includes(status)) throw new Error(`${command.join(' ')} ended with ${status}: ${stderr.slice(-500)}`)
  return { elapsedMs: elapsed * 1000, cpuMs: (user + system) * 1000, mebibytes: kibibytes / 1024 }
}

/** The most memory a command held at once. */
async function peakMemoryBytes([, ...args], folder) {
  const out = join(folder, 'memory')
  const { status, stderr } = spawnSync(process.execPath, ['--import', CHILD_MEMORY, ...args], {
    env: { ...process.env, BENCH_MEMORY_FILE: out },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  })
  if (!existsSync(out)) throw new Error(`no memory was measured, exit code ${status}: ${stderr}`)
  return Number(await readFile(out, 'utf8')) * 1024
}

/**
 * Files with their policy, `sha256sum` list, Puppet manifest, and what goss and CCM read. The policy agrees with the files, so that nothing of
 * the time goes into describing drift.
 */
async function makeFiles(folder, count, { sizeBytes = 64, policyFormat = 'yaml' } = {}) {
  const place = join(folder, `files-${count}-${sizeBytes}`)
  await mkdir(place, { recursive: true })
  const { uid, gid } = userInfo()
  const files = []
  for (let index = 0; index < count; index++) {
    const path = join(place, `file-${index}`)
    // CCM 0.0.31 cannot read content with a line end again, which it writes for itself.
    const content = `${index}-`.repeat(sizeBytes).slice(0, sizeBytes)
    await writeFile(path, content, { mode: 0o644 })
    files.push({ path, content })
  }
  const policy = join(folder, `files-${count}-${sizeBytes}.${policyFormat}`)
  const sums = join(folder, `files-${count}-${sizeBytes}.sha256`)
  const manifest = join(folder, `files-${count}-${sizeBytes}.pp`)
  await writeFile(policy, policyFormat === 'json' ? jsonPolicy(files, uid, gid) : yamlPolicy(files, uid, gid))
  await writeFile(sums, files.map(({ path, content }) => `${sha256(content)}  ${path}\n`).join(''))
  await writeFile(manifest, files.map((file) => puppetFile(file, uid, gid)).join(''))
  const peers = await writeForPeers(join(folder, `files-${count}-${sizeBytes}`), files)
  return { policy, sums, manifest, ...peers }
}

/** The same for goss, and for CCM, which knows owners by their names alone. */
async function writeForPeers(path, files) {
  const owner = userInfo().username
  const group = spawnSync('id', ['-gn'], { encoding: 'utf8' }).stdout.trim()
  const named = `${path}.named.yaml`
  const goss = `${path}.goss.json`
  await writeFile(named, yamlPolicy(files, owner, group))
  const entries = files.map(({ path: file, content }) => [
    file,
    { exists: true, filetype: 'file', owner, group, mode: '0644', sha256: sha256(content) },
  ])
  await writeFile(goss, JSON.stringify({ file: Object.fromEntries(entries) }))
  return { named, goss }
}

function yamlPolicy(files, uid, gid) {
  const items = files.map(
    ({ path, content }) =>
      `    - file:\n        name: ${path}\n        ensure: present\n        owner: ${uid}\n        group: ${gid}\n` +
      `        mode: "0644"\n        content: ${JSON.stringify(content)}\n`,
  )
  return `ccm:\n  resources:\n${items.join('')}`
}

function jsonPolicy(files, uid, gid) {
  const resources = files.map(({ path, content }) => ({
    file: { name: path, ensure: 'present', owner: String(uid), group: String(gid), mode: '0644', content },
  }))
  return JSON.stringify({ ccm: { resources } })
}

function puppetFile({ path, content }, uid, gid) {
  return `file { '${path}': ensure => file, owner => ${uid}, group => ${gid}, mode => '0644', content => ${JSON.stringify(content)} }\n`
}

function sha256(text) {
  return createHash('sha256').update(text).digest('hex')
}

function isInstalled(program) {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => existsSync(join(directory, program)))
}

/** A row that compares a measurement with another one of the same run. `atMost` or `fasterBy` is the budget's ratio. */
function compare(work, measured, { against, baseline, unit = 'ms', atMost, fasterBy }) {
  const ratio = measured / baseline
  const budget =
    atMost !== undefined
      ? { text: `${atMost} x`, met: ratio <= atMost }
      : fasterBy !== undefined
        ? { text: `${fasterBy} x faster`, met: baseline / measured >= fasterBy }
        : undefined
  return { work, measured, unit, against, baseline, ratio, ...(budget === undefined ? {} : { budget }) }
}
