import { trimBlanksOfC, withBlanksOfC, wordsOf } from '../../../settings/blanks.ts'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import type { Command, CommandOutcome } from '../../../host/command.ts'
import type { PamView } from './profiles.ts'

/** The shared stacks that authselect(8) generates, as links into its directory. */
export const AUTHSELECT_STACKS = [
  'system-auth',
  'password-auth',
  'fingerprint-auth',
  'smartcard-auth',
  'switchable-auth',
  'postlogin',
] as const

/** The directory of generated files, the selection and custom profiles of authselect(8). */
export const AUTHSELECT_DIRECTORY = '/etc/authselect'

/** An absolute path, so that no other program of that name runs. */
export const AUTHSELECT = '/usr/bin/authselect'

const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }

const TIMEOUT_MS = 60_000

/** Twenty files of the maximum size for authselect. */
const MOST_BYTES = 1024 * 1024

export type Run = (command: Command) => Promise<CommandOutcome>

export interface Selection {
  readonly profile: string
  readonly features: readonly string[]
}

/** Client of authselect(8). */
export interface Authselect {
  /** The current selection; unknown, with the message of authselect, if the stacks do not match it. */
  current(): Promise<Reading<Selection>>
  features(profile: string): Promise<Reading<readonly string[]>>
  /** The machine with its stacks replaced by those of a selection; writes nothing. */
  view(selection: Selection, machine: PamView): Promise<Reading<PamView>>
  /** Enables or disables one feature of the current profile. */
  change(verb: 'enable-feature' | 'disable-feature', feature: string): Promise<Reading<null>>
}

/** Runs authselect(8) through `run`. */
export function authselectBy(run: Run, signal: AbortSignal): Authselect {
  const ask = async (...words: readonly string[]): Promise<Reading<string>> => {
    const argv = [AUTHSELECT, ...words] as const
    const limits = { timeoutMs: TIMEOUT_MS, maxOutputBytes: MOST_BYTES, signal }
    return answerOf(words, await run({ argv, workingDirectory: '/', environment: ENVIRONMENT, ...limits }))
  }
  return {
    async current() {
      const checked = await ask('check')
      if (checked.kind === 'unknown') return checked
      const raw = await ask('current', '--raw')
      if (raw.kind === 'unknown') return raw
      const [profile, ...features] = wordsIn(raw.value)
      if (profile === undefined) return unknown('invalid', 'authselect current --raw names no profile')
      return known({ profile, features })
    },
    async features(profile) {
      const listed = await ask('list-features', profile)
      return listed.kind === 'unknown' ? listed : known(wordsIn(listed.value))
    },
    async view({ profile, features }, machine) {
      const tested = await ask('test', profile, ...features)
      if (tested.kind === 'unknown') return tested
      const texts = parseTested(tested.value)
      if (texts.size === 0) return unknown('invalid', 'authselect test names no file of PAM')
      return known(viewWith(texts, machine))
    },
    async change(verb, feature) {
      const changed = await ask(verb, feature)
      return changed.kind === 'unknown' ? changed : known(null)
    },
  }
}

/** The output of authselect; if it failed, the exit code and the message. */
function answerOf(words: readonly string[], outcome: CommandOutcome): Reading<string> {
  const [command = ''] = words
  if (outcome.kind === 'not-started') return unknown('not-observable', `authselect ${command}: ${outcome.message}`)
  if (outcome.kind === 'killed') {
    const reason = outcome.cause === 'timeout' ? 'timeout' : 'not-observable'
    return unknown(reason, `authselect ${command}: ${outcome.reason}`)
  }
  if (outcome.exitCode === 0) return known(outcome.stdout)
  // For a check, stdout has the reason and stderr lists every file.
  const said = trimBlanksOfC(outcome.stdout) || trimBlanksOfC(outcome.stderr)
  const sentence = said === '' ? '' : `, ${said.split('\n', 1)[0]?.replace(/\.$/, '')}`
  return unknown('not-observable', `authselect ${command} ends with ${outcome.exitCode}${sentence}`)
}

function wordsIn(text: string): readonly string[] {
  return wordsOf(text)
}

/**
 * Parses the stacks in the output of `authselect test`, by name. Each file has a heading; an empty file has only that.
 */
export function parseTested(printed: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  let open: string | undefined
  for (const line of printed.split('\n')) {
    const heading = withBlanksOfC(/^File \/etc\/authselect\/(\S+):(?: Empty)?$/).exec(line)
    if (heading !== null) {
      open = AUTHSELECT_STACKS.find((name) => name === heading[1])
      if (open !== undefined) texts.set(open, '')
    } else if (open !== undefined) texts.set(open, `${texts.get(open) ?? ''}${line}\n`)
  }
  return texts
}

function viewWith(texts: ReadonlyMap<string, string>, { files, probe }: PamView): PamView {
  const paths = new Map(
    [...texts].flatMap(([name, text]) => [
      [`/etc/pam.d/${name}`, text],
      [`${AUTHSELECT_DIRECTORY}/${name}`, text],
    ]),
  )
  const readText: PamView['probe']['readText'] = (path) => {
    const text = paths.get(path)
    return text === undefined ? probe.readText(path) : known(text)
  }
  return { files, probe: { ...probe, readText } }
}
