import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { openUnitFiles } from '../../../../src/subjects/services/systemd/enablement.ts'
import { type SystemdPlace, THIS_MACHINE } from '../../../../src/host/systemd/place.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

/** What is at a path: a file with this content, or a link that leads there. */
export type Planted = { readonly content: string } | { readonly link: string }

export type UnitTree = Readonly<Record<string, Planted>>

/** A unit file that WantedBy makes installable, with more lines in its [Install] section. */
export function unit(install = 'WantedBy=multi-user.target'): Planted {
  return { content: `[Service]\nExecStart=/bin/true\n[Install]\n${install}\n` }
}

export function link(target: string): Planted {
  return { link: target }
}

/** A unit file without an [Install] section. */
export const STATIC: Planted = { content: '[Service]\nExecStart=/bin/true\n' }

export const MASK: Planted = link('/dev/null')

/** Makes a root directory with these files. Of two things at one path the first one counts. */
export function makeRoot(tree: UnitTree): SystemdPlace {
  const root = temporaryDirectory()
  for (const [path, planted] of Object.entries(tree)) {
    mkdirSync(dirname(`${root}${path}`), { recursive: true })
    if ('link' in planted) symlinkSync(planted.link, `${root}${path}`)
    else writeFileSync(`${root}${path}`, planted.content)
  }
  return { ...THIS_MACHINE, root }
}

/** What the unit files say of a unit: its state, `missing`, or `unknown`. */
export function stateIn(place: SystemdPlace, name: string): string {
  const found = openUnitFiles(place).lookUp(name)
  if (found.kind === 'unknown') return 'unknown'
  return found.value === null ? 'missing' : found.value.state
}

/** What systemctl itself says of a unit; `refused` for links to a unit of the same name, which versions treat differently. */
export function systemctlState({ root }: SystemdPlace, name: string): string {
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' }
  const { stdout, stderr } = spawnSync('systemctl', [`--root=${root}`, 'is-enabled', name], { encoding: 'utf8', env })
  if (stdout.trim() === 'not-found' || /No such file|Link has been severed/.test(stderr)) return 'missing'
  if (/Too many levels/.test(stderr)) return 'refused'
  return stdout.trim() === '' ? 'unknown' : stdout.trim()
}
