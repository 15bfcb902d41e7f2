import { arch } from 'node:process'
import { type JsonObject, textOf } from './json.ts'

/** What an image runs on, in Go's words. */
export interface Platform {
  readonly os: string
  readonly architecture: string
  /** Empty if absent. */
  readonly variant: string
}

/** Node's names of processors, where Go has others. */
const GO_NAMES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', mipsel: 'mipsle', ppc64: 'ppc64le' }

/** What an object says of a platform. */
export function platformOf({ os, architecture, variant }: JsonObject): Platform {
  return { os: textOf(os), architecture: textOf(architecture), variant: textOf(variant) }
}

/** Whether images of a platform are what this machine would run. */
export function isOfThisMachine({ os, architecture }: Platform): boolean {
  return os === 'linux' && architecture === (GO_NAMES[arch] ?? arch)
}

/** As it is written: `linux/arm64/v8`. */
export function formatPlatform({ os, architecture, variant }: Platform): string {
  return [os, architecture, variant].filter((part) => part !== '').join('/')
}

/** Whether a platform is meant by its text, with or without the variant. */
export function isPlatform(platform: Platform, text: string): boolean {
  return text === formatPlatform(platform) || text === formatPlatform({ ...platform, variant: '' })
}
