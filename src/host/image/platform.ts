import { arch } from 'node:process'
import { type JsonObject, textOf } from './json.ts'

/** A platform in Go's terms. */
export interface Platform {
  readonly os: string
  readonly architecture: string
  /** Empty if absent. */
  readonly variant: string
}

/** Node's names of architectures that differ from Go's. */
const GO_NAMES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', mipsel: 'mipsle', ppc64: 'ppc64le' }

/** Reads a platform from an untrusted JSON object. */
export function platformOf({ os, architecture, variant }: JsonObject): Platform {
  return { os: textOf(os), architecture: textOf(architecture), variant: textOf(variant) }
}

/** Whether this machine can run the platform. */
export function isOfThisMachine({ os, architecture }: Platform): boolean {
  return os === 'linux' && architecture === (GO_NAMES[arch] ?? arch)
}

/** Formats a platform: `linux/arm64/v8`. */
export function formatPlatform({ os, architecture, variant }: Platform): string {
  return [os, architecture, variant].filter((part) => part !== '').join('/')
}

/** Whether a text names the platform, with or without the variant. */
export function isPlatform(platform: Platform, text: string): boolean {
  return text === formatPlatform(platform) || text === formatPlatform({ ...platform, variant: '' })
}
