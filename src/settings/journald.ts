import { known, type Reading } from '../model/observation.ts'
import type { Assignment } from './assignment.ts'
import { wordsOf } from './blanks.ts'
import { systemdSurface } from './systemd.ts'
import { bytes, number, seconds, text, wordRules, yesOrNo } from './systemd-values.ts'
import type { ConfigFiles, KeyRules, Surface } from './surface.ts'

/** systemd's defaults. Debian changes that of ForwardToSyslog, so it is unknown. */
const KEYS: Readonly<Record<string, KeyRules>> = {
  Storage: wordRules(['volatile', 'persistent', 'auto', 'none'], 'auto'),
  // A number of bytes is a threshold, from which on entries are compressed.
  Compress: { ...yesOrNo('yes'), takes: () => true },
  MaxLevelStore: text('debug'),
  MaxLevelSyslog: text('debug'),
  Seal: yesOrNo('yes'),
  SplitMode: wordRules(['uid', 'login', 'none'], 'uid'),
  SyncIntervalSec: seconds('5m'),
  RateLimitIntervalSec: seconds('30s'),
  RateLimitBurst: number('10000'),
  SystemMaxUse: bytes(),
  SystemKeepFree: bytes(),
  SystemMaxFileSize: bytes(),
  RuntimeMaxUse: bytes(),
  RuntimeKeepFree: bytes(),
  RuntimeMaxFileSize: bytes(),
  MaxFileSec: seconds('1month'),
  MaxRetentionSec: seconds('0'),
  ForwardToSyslog: yesOrNo(),
  ForwardToKMsg: yesOrNo('no'),
  ForwardToConsole: yesOrNo('no'),
  ForwardToWall: yesOrNo('yes'),
  ReadKMsg: yesOrNo('yes'),
  LineMax: bytes('48K'),
}

/** What the command line of a start can set. @see systemd-journald.service(8), server_parse_proc_cmdline_item */
const ARGUMENTS: Readonly<Record<string, string>> = {
  forward_to_syslog: 'ForwardToSyslog',
  forward_to_kmsg: 'ForwardToKMsg',
  forward_to_console: 'ForwardToConsole',
  forward_to_wall: 'ForwardToWall',
  max_level_store: 'MaxLevelStore',
  max_level_syslog: 'MaxLevelSyslog',
  max_level_kmsg: 'MaxLevelKMsg',
  max_level_console: 'MaxLevelConsole',
  max_level_wall: 'MaxLevelWall',
}

const inFiles = systemdSurface({
  name: 'journald',
  section: 'Journal',
  program: 'systemd-journald',
  activation: { kind: 'restart', unit: 'systemd-journald.service' },
  rulesOf: (key) => KEYS[key] ?? text(),
})

/** The journal of systemd. */
export const journald: Surface = {
  ...inFiles,
  summary: `${inFiles.summary} Arguments of the running start, such as \`systemd.journald.forward_to_syslog\`, override the files.`,
  read(files) {
    const assignments = inFiles.read(files)
    if (assignments.kind === 'unknown') return assignments
    const given = readArguments(files)
    return given.kind === 'unknown' ? given : known([...assignments.value, ...given.value])
  },
}

/**
 * None of a system that is not running. In a container, the arguments of the kernel are those of another system, and
 * systemd takes its own.
 */
function readArguments(files: ConfigFiles): Reading<readonly Assignment[]> {
  const isContainer = files.exists('/run/systemd/container')
  if (isContainer.kind === 'unknown') return isContainer.needs === 'running-system' ? known([]) : isContainer
  const file = isContainer.value ? '/proc/1/cmdline' : '/proc/cmdline'
  const text = files.text(file)
  if (text.kind === 'unknown') return text
  return known(wordsOf((text.value ?? '').replaceAll('\0', '\n')).flatMap((word) => assignmentOf(word, file)))
}

/** A switch without a value is on; a level without one is ignored. */
function assignmentOf(word: string, file: string): readonly Assignment[] {
  const [, name = '', value] = /^"?systemd\.journald\.([^="]+)(?:=([^"]*))?"?$/.exec(word) ?? []
  const key = ARGUMENTS[name.replaceAll('-', '_')]
  if (key === undefined || (value === undefined && key.startsWith('MaxLevel'))) return []
  return [{ section: 'Journal', key, value: value ?? 'yes', file, line: 1 }]
}
