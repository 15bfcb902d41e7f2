import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ApplyOutcome } from '../../../model/decision.ts'
import { type PamProfileControl, PROFILE_DIRECTORY, PROFILE_RECORDS, type PamView } from '../stack/profiles.ts'
import { PAM_TYPES } from '../stack/stack.ts'
import { createFeatureControl } from './authselect.ts'
import { runCommand } from '../../../host/live/run-command.ts'
import { writeFailure } from '../../../host/live/system-error.ts'
import { SYSTEM_PATH } from '../../../host/live/system-programs.ts'
import { failureOf } from '../../../host/systemd/systemctl.ts'

const STACKS = '/etc/pam.d'

/** The paths that pam-auth-update(8) reads and writes below its root. */
const COPIED = [STACKS, PROFILE_RECORDS, PROFILE_DIRECTORY]

const TIMEOUT_MS = 120_000

const ENVIRONMENT = { PATH: SYSTEM_PATH, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' }

/** Changes the shared stacks of this machine through profiles. `machine` serves files outside of the stacks. */
export function createPamProfileControl(machine: () => PamView): PamProfileControl {
  return {
    enableFeatures: createFeatureControl(machine),
    async enable(profile, objection, signal) {
      let root: string | undefined
      try {
        root = mkdtempSync(join(tmpdir(), 'driftgate-pam-'))
        return await enable(root, { profile, objection, machine: machine(), signal })
      } catch (error) {
        return writeFailure(error, `could not enable the profile ${profile}`)
      } finally {
        if (root !== undefined) rmSync(root, { recursive: true, force: true })
      }
    },
  }
}

interface Request {
  readonly profile: string
  readonly objection: Parameters<PamProfileControl['enable']>[1]
  readonly machine: PamView
  readonly signal: AbortSignal
}

async function enable(root: string, { profile, objection, machine, signal }: Request): Promise<ApplyOutcome> {
  for (const directory of COPIED) {
    mkdirSync(dirname(join(root, directory)), { recursive: true })
    cpSync(directory, join(root, directory), { recursive: true, verbatimSymlinks: true })
  }
  const arguments_ = ['--package', '--enable', profile]
  // A trial run must not change the debconf database.
  const rehearsal = { ...ENVIRONMENT, DEBCONF_SYSTEMRC: debconfIn(root) }
  const tried = await update(['--root', root, ...arguments_], rehearsal, signal)
  if (tried !== undefined) return failedOutcome(tried)
  const problem = objection(viewOf(root, machine))
  if (problem !== undefined) return failedOutcome(`the resulting stacks are not installed: ${problem}`)
  const expected = sharedStacks(root)
  const made = await update(arguments_, ENVIRONMENT, signal)
  if (made !== undefined) return failedOutcome(made)
  return sharedStacks('/') === expected
    ? { kind: 'done' }
    : failedOutcome('the stacks differ from those it generated for the check')
}

function failedOutcome(reason: string): ApplyOutcome {
  return { kind: 'failed', message: `pam-auth-update: ${reason}` }
}

async function update(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const argv = ['pam-auth-update', ...words] as const
  return failureOf(await runCommand({ argv, workingDirectory: '/', environment, timeoutMs: TIMEOUT_MS, signal }))
}

function debconfIn(root: string): string {
  const path = join(root, 'debconf.conf')
  const database = (name: string): string => `Name: ${name}\nDriver: File\nFilename: ${join(root, `${name}.dat`)}\n`
  writeFileSync(path, `Config: config\nTemplates: templates\n\n${database('config')}\n${database('templates')}`)
  return path
}

/** The machine with its own files replaced by those below the root. */
function viewOf(root: string, machine: Request['machine']): Request['machine'] {
  const at = (path: string): string => (COPIED.some((each) => path.startsWith(`${each}/`)) ? join(root, path) : path)
  const { probe } = machine
  return {
    files: { stat: (path) => machine.files.stat(at(path)) },
    probe: { ...probe, readText: (path) => probe.readText(at(path)), list: (path) => probe.list(at(path)) },
  }
}

function sharedStacks(root: string): string {
  const names = [...PAM_TYPES, 'session-noninteractive']
  return names.map((type) => readFileSync(join(root, STACKS, `common-${type}`), 'utf8')).join('\n')
}
