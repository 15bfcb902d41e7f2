import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { DRIFTGATE } from '../support/driftgate.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))

/** The directory that the examples of the documents manage. */
const DEMO = '/srv/demo'
/** The home directory of the user in the documents; their commands run in `policies` there. */
const HOME = '/home/me'

/** Whether the time of each command is printed, for `npm run tutorials`. */
const TIMES = process.env['DOCS_TIMES'] !== undefined

/** A place where the examples of one document run, on this machine but in directories of their own. */
export interface Machine {
  /** Writes a file of the document beside its policies. */
  readonly write: (file: string, text: string) => void
  /** Runs a command as a shell would that has just seen `previousCode`. */
  readonly run: (command: string, previousCode: number) => { readonly code: number; readonly output: string }
}

/** What lies beside the package in `node_modules`, for the examples in TypeScript. */
const TOOLS = ['.bin/tsc', 'typescript', '@types/node']

/** Makes a machine whose `driftgate` is the built one and whose `node` and `tsc` find it as a package. */
export function createMachine(): Machine {
  const root = temporaryDirectory()
  const home = join(root, 'home')
  const here = join(home, 'policies')
  for (const folder of ['bin', 'demo']) mkdirSync(join(root, folder))
  symlinkSync(DRIFTGATE, join(root, 'bin/driftgate'))
  install('driftgate', PACKAGE, here)
  for (const tool of TOOLS) install(tool, join(PACKAGE, 'node_modules', tool), here)
  const localise = (text: string): string => withDays(text.replaceAll(DEMO, join(root, 'demo')), DAYS_SINCE)
  return {
    write(file, text) {
      mkdirSync(dirname(join(here, file)), { recursive: true })
      writeFileSync(join(here, file), localise(ownedByMe(text)))
    },
    run(command, previousCode) {
      const script = `exec 2>&1\numask 022\n(exit ${previousCode})\n${localise(command)}`
      const start = performance.now()
      const { status, stdout, error } = spawnSync('bash', ['-c', script], {
        cwd: here,
        encoding: 'utf8',
        env: { PATH: `${join(root, 'bin')}:${process.env['PATH']}`, HOME: home, TMPDIR: tmpdir() },
      })
      if (TIMES) console.log(`${((performance.now() - start) / 1000).toFixed(2).padStart(6)} s  ${command}`)
      if (status === null) throw new Error(`"${command}" did not end by itself`, { cause: error })
      const output = stdout.replaceAll(join(root, 'demo'), DEMO).replaceAll(home, HOME)
      return { code: status, output: withoutAccidents(ownedByRoot(withDays(output, -DAYS_SINCE))) }
    },
  }
}

/** The day on which people read the documents. */
const TODAY = '2026-11-20'
const DAY_MS = 86_400_000
const DAYS_SINCE = Math.floor(Date.now() / DAY_MS) - Date.parse(TODAY) / DAY_MS

/** The days that waivers are written with and end on, moved as far as today is from the day of the documents. */
function withDays(text: string, days: number): string {
  return text.replaceAll(/(?<![\d-])20\d\d-\d\d-\d\d(?![\dT-])/g, (day) => {
    const time = Date.parse(day)
    // What is no day is shown to be wrong and stays so.
    const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
    return isDay ? new Date(time + days * DAY_MS).toISOString().slice(0, day.length) : day
  })
}

function install(name: string, source: string, directory: string): void {
  const path = join(directory, 'node_modules', name)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(source, path)
}

const [UID, GID] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]

/** The examples say root; another user owns the files it makes. Columns stay what they are where the number is as long. */
function ownedByMe(text: string): string {
  if (UID === 0) return text
  return text.replaceAll(/\bowner: root\b/g, `owner: ${UID}`).replaceAll(/\bgroup: root\b/g, `group: ${GID}`)
}

function ownedByRoot(output: string): string {
  if (UID === 0) return output
  const named = (property: string, id: number): RegExp => new RegExp(`\\b(${property}:? +)("?)${id}\\2(?![\\w"])`, 'g')
  return output.replaceAll(named('owner', UID), '$1root').replaceAll(named('group', GID), '$1root')
}

/** What differs from run to run, always written the same way. */
function withoutAccidents(output: string): string {
  const host = hostname().replaceAll(/[^a-zA-Z0-9]/g, '\\$&')
  return output
    .replaceAll(new RegExp(`^(## driftgate: .* on \`)${host}\``, 'gm'), '$1web01`')
    .replaceAll(/^(Audit|Fix) of (?!\d+ hosts$).*$/gm, '$1 of web01 (debian 12)')
    .replaceAll(
      new RegExp(`(driftgate on |<testsuite name="\\S+ on |hostname="|"hostname": ")${host}"`, 'g'),
      '$1web01"',
    )
    .replaceAll(new RegExp(`  ${host}(?=:|  |$)`, 'gm'), '  web01')
    .replaceAll(/(stored run |^)[0-9a-f]{8}(?= in |  \d{4}-)/gm, '$10f9cbd4e')
    .replaceAll(/("target.os" value=)"[^"]*"/g, '$1"debian 12"')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+Z)?/g, (time) =>
      time.endsWith('Z') ? '2026-11-20T12:00:00.000Z' : '2026-11-20T12:00:00',
    )
    .replaceAll(/("fingerprint": )"[0-9a-f]{32}"/g, `$1"${'0123456789abcdef'.repeat(2)}"`)
    .replaceAll(/digest [0-9a-f]{12}/g, 'digest 0123456789ab')
    .replaceAll(/ time="[\d.]+"/g, ' time="0.004"')
    .replaceAll(/"durationMs": [\d.]+/g, '"durationMs": 4')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '0f9cbd4e-3a51-4be0-9d9c-5a1f8f6a7c21')
    .replaceAll(/("policy.sha256" value=)"[0-9a-f]{64}"/g, `$1"${'0123456789abcdef'.repeat(4)}"`)
}
