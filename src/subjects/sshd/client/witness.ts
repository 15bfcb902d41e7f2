import type { Testimony } from '../../../host/witness.ts'
import { type ConfigFiles, SILENT, type WitnessAnswer, type WitnessQuestion } from '../../../settings/surface.ts'
import { canonicalOf } from '../value.ts'
import { readClientConfig } from './config.ts'
import { findClientKeyword } from './keywords.ts'

/**
 * What makes the answer another one, or not harmless: includes that ssh takes from the home of the user for a file that is named,
 * conditions that run a command or ask for addresses, and names that it resolves.
 */
const OTHERWISE =
  /^[ \t]*"?(?:include[ \t="]+[^/"\s]|match\b.*\b(?:exec|localnetwork|final|canonical)\b|canonicalizehostname\b)/im

/** Asks the client for a host that no pattern names. @see ssh(1), "-G" */
export function askClient(files: ConfigFiles, key: string): readonly WitnessQuestion[] {
  const config = readClientConfig(files)
  if (config.kind === 'unknown' || config.value === null) return []
  const texts = config.value.files.map((file) => files.text(file))
  if (texts.some((text) => text.kind === 'unknown' || OTHERWISE.test(text.value ?? ''))) return []
  const command = ['/usr/bin/ssh', '-G', '-F', config.value.files[0] ?? '', 'host.invalid'] as const
  return [{ commands: [command], hear: ([answer]) => heardOf(answer, key) }]
}

const REFUSED = /^\S+ ?:? line \d+: .*$/m

function heardOf({ exitCode, stdout, stderr }: Testimony, key: string): WitnessAnswer {
  if (exitCode !== 0) {
    const [words] = REFUSED.exec(stderr) ?? []
    return words === undefined ? SILENT : { kind: 'refused', words: `ssh -G: ${words}` }
  }
  const name = key.toLowerCase()
  const line = stdout.split('\n').find((each) => each.startsWith(`${name} `))
  if (line === undefined) return SILENT
  const value = line.slice(name.length + 1)
  const keyword = findClientKeyword(name)
  // It prints the path of a later line even where an earlier one forbids to forward.
  if (name === 'forwardagent' && !/^(?:yes|no)$/.test(value)) return SILENT
  return { kind: 'said', value: (keyword && canonicalOf(keyword, value)) ?? value }
}
