// The whole command beside goss and CCM, where they are installed: what each of them needs for the same files.
import { spawnSync } from 'node:child_process'
import process from 'node:process'

// CCM's time grows with the square of the number of resources.
const LIMIT_MS = 300_000

export async function run({ driftgate, makeFiles, isInstalled }) {
  const programs = [
    ['driftgate', ({ named }) => driftgate('scan', named, '--quiet')],
    ['ccm', ({ named }) => ['ccm', 'apply', named, '--noop']],
    ['goss', ({ goss }) => ['goss', '--gossfile', goss, 'validate', '--format', 'silent', '--no-color']],
  ].filter(([name]) => name === 'driftgate' || isInstalled(name))
  const missing = ['ccm', 'goss'].filter((name) => !isInstalled(name))
  if (missing.length === 2) return [{ work: 'beside goss and ccm', skipped: 'neither is installed' }]
  const rows = []
  for (const count of [10, 1_000, 10_000]) {
    const files = await makeFiles(count)
    const times = medianOf(
      programs.map(([, command]) => command(files)),
      count > 1_000 ? 1 : 5,
    )
    const columns = programs.map(([name], index) => ({ name, measured: times[index], unit: 'ms' }))
    rows.push({ work: `${count.toLocaleString('en')} files, whole command`, columns, missing })
  }
  return rows
}

/** Medians of wall-clock times of commands that take turns; undefined for one that is not done within the limit. */
function medianOf(commands, runs) {
  const times = commands.map(() => [])
  for (let run = 0; run <= runs; run++) {
    commands.forEach((command, index) => times[index].push(timeOf(command, times[index])))
  }
  // The first run fills the caches of the system and is not counted.
  return times.map(([, ...counted]) => counted.toSorted((left, right) => left - right)[Math.floor(runs / 2)])
}

function timeOf([program, ...args], earlier) {
  if (earlier.length > 0 && earlier[0] === undefined) return undefined
  const start = performance.now()
  const { status, signal, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: process.env,
    maxBuffer: 256 * 1024 * 1024,
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  })
  if (signal === 'SIGKILL') return undefined
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}${stdout.slice(-500)}`)
  return performance.now() - start
}
