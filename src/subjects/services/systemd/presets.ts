import { dropInsIn } from '../../../host/paths-in.ts'
import { compileGlob } from '../../../model/go-glob.ts'
import { known, type Reading } from '../../../model/observation.ts'
import { withBlanksOfC } from '../../../settings/blanks.ts'
import { templateOf } from '../../../host/systemd/unit-name.ts'
import type { MachineReading } from '../../../host/live/machine-reading.ts'

export interface Preset {
  readonly action: 'enable' | 'disable' | 'ignore'
  /** The matching line, as `FILE:LINE`; absent without a match, which enables a unit that has a file. */
  readonly place?: string
}

/**
 * Directories by precedence: a file shadows files of the same name in later ones. /run does not survive a reboot. @see
 * systemd.preset(5)
 */
const DIRECTORIES = ['/etc', '/usr/local/lib', '/usr/lib', '/lib'].map((above) => `${above}/systemd/system-preset`)

/** Returns the preset of a unit: the first matching line, with files in name order. */
export function readPreset(files: Pick<MachineReading, 'list' | 'readText'>, unit: string): Reading<Preset> {
  const presets = dropInsIn({ names: files.list }, DIRECTORIES, (name) => name.endsWith('.preset'))
  if (presets.kind === 'unknown') return presets
  for (const file of presets.value) {
    const text = files.readText(file)
    if (text.kind === 'unknown') return text
    const found = findRule(text.value ?? '', unit)
    if (found !== undefined) return known({ action: found.action, place: `${file}:${found.line}` })
  }
  // Presets apply to unit files, and an instance has no file.
  return known({ action: templateOf(unit) === undefined ? 'enable' : 'ignore' })
}

/** Only `enable` lines take the instances of a template. */
const RULE = withBlanksOfC(/^\s*(?:(enable)\s+(\S+)(?:\s+(.*\S))?|(disable|ignore)\s+(\S+))\s*$/s)

function findRule(
  text: string,
  unit: string,
): { readonly action: Preset['action']; readonly line: number } | undefined {
  for (const [index, line] of text.split('\n').entries()) {
    const [, enable, enabled = '', instances = '', other, others = ''] = RULE.exec(line) ?? []
    const action = enable ?? other
    if (action === undefined || !isMeant(unit, enable === undefined ? others : enabled, instances)) continue
    return { action: action as Preset['action'], line: index + 1 }
  }
  return undefined
}

function isMeant(unit: string, pattern: string, instances: string): boolean {
  if (pattern === templateOf(unit)) {
    return instances.split(/[ \t\r]+/).some((instance) => unit === pattern.replace('@', () => `@${instance}`))
  }
  // Patterns have no escapes, and brackets only contain sets. @see fnmatch(3)
  const glob = pattern.replaceAll(/[\\{}]/g, String.raw`\$&`).replaceAll('[!', '[^')
  return compileGlob(glob)?.(unit) === true
}
